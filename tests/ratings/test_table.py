"""A table stores ratings in a few bytes each, and refuses bad columns."""

import numpy as np
import pytest

from robustbandits.environments import DataError, RatingTable


def table(**changes):
    given = {
        "users": np.array([0, 1, 1]),
        "items": np.array([1, 0, 1]),
        "ratings": np.array([5, 3, 1]),
        "user_ids": np.array([10, 20]),
        "item_ids": np.array([7, 9]),
    }
    return RatingTable(**(given | changes))


def test_columns_are_small_and_read_only():
    made = table()
    kinds = (made.users.dtype, made.items.dtype, made.ratings.dtype)
    assert kinds == (np.int32, np.int16, np.uint8)
    assert (len(made), made.shape, made.nbytes) == (3, (2, 2), 21)
    for column in (made.users, made.items, made.ratings, made.user_ids, made.item_ids):
        assert not column.flags.writeable
    own = np.array([0, 1, 1], np.int32)
    table(users=own)
    own[0] = 1  # the given array can still be written to


def test_many_items_need_four_bytes():
    ids = np.arange(40_000)
    made = table(item_ids=ids, items=np.array([0, 39_999, 5]))
    assert made.items.dtype == np.int32
    assert made.items.tolist() == [0, 39_999, 5]


def test_ratings_of_any_size():
    assert table(ratings=np.array([0, 255, 7])).ratings.dtype == np.uint8
    assert table(ratings=np.array([-1, 256, 7])).ratings.tolist() == [-1.0, 256.0, 7.0]
    assert table(ratings=np.array([0.25, 1e6, -3.0])).ratings.tolist() == [0.25, 1e6, -3.0]
    halves = table(ratings=np.array([1, 9, 10]), step=0.5)
    assert halves.ratings.tolist() == [0.5, 4.5, 5.0]
    assert halves.fingerprint != table(ratings=np.array([1, 9, 10])).fingerprint


def test_fingerprint_does_not_depend_on_types_but_on_contents():
    plain = table()
    wide = table(users=np.array([0, 1, 1], np.int64), ratings=np.array([5, 3, 1], np.int16))
    assert wide.fingerprint == plain.fingerprint
    assert table(name="x", titles={7: "A"}).fingerprint == plain.fingerprint
    changes = [
        {"users": np.array([0, 1, 0])},
        {"items": np.array([1, 0, 0])},
        {"ratings": np.array([5, 3, 2])},
        {"user_ids": np.array([10, 21])},
        {"item_ids": np.array(["7", "9"])},
        {"item_ids": np.array(["79", "9"])},
    ]
    prints = {table(**change).fingerprint for change in changes}
    assert len(prints | {plain.fingerprint}) == len(changes) + 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"users": np.array([0, 1])}, r"the same length, got 2, 3 and 3"),
        ({"users": np.array([0, 1, 2])}, r"users must be between 0 and 1, got 0 to 2"),
        ({"users": np.array([0.0, 1.0, 1.0])}, r"users must be a list of whole numbers"),
        ({"ratings": np.array([1.0, np.nan, 2.0])}, r"ratings must be finite"),
        ({"ratings": np.array([1.0, 1e39, 2.0])}, r"at most 3.40282e\+38"),
        ({"ratings": np.array(["a", "b", "c"])}, r"ratings must be a list of numbers"),
        ({"item_ids": np.array([1.5, 2.5])}, r"item_ids must be a list of whole numbers"),
        ({"user_ids": np.array([20, 10])}, r"user_ids must be ascending"),
        ({key: np.array([], int) for key in ("users", "items", "ratings")}, r"no ratings"),
    ],
)
def test_bad_columns_are_refused(changes, reason):
    with pytest.raises(DataError, match=reason):
        table(**changes)


def test_repr_and_titles():
    made = table(titles={9: "Tea"}, name="shop")
    assert repr(made) == "RatingTable(shop: 3 ratings, 2 users, 2 items)"
    assert (made.title(0), made.title(1)) == ("7", "Tea")
