"""read_log: the same log from every format, and errors that name file, column, row and remedy."""

import subprocess
import sys

import numpy as np
import pytest

import robustbandits as rb
from red_team.logs import (
    catalogue_log,
    table_of,
    write_csv,
    write_open_bandit,
    write_parquet,
)
from robustbandits.ratings.errors import DataError

pytest.importorskip("pyarrow")
LOG = catalogue_log(rows=50)


def assert_same(found, expected):
    for name in ("contexts", "arms", "rewards", "probabilities"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_columns_for_each_arm_and_feature(tmp_path, write):
    log = rb.read_log(write(tmp_path / "file", table_of(LOG)))
    assert_same(log, LOG)
    assert repr(log) == "Log(file: 50 rows, 4 arms, dim 4)"


def test_a_parquet_column_with_lists_of_features(tmp_path):
    columns = {"arm": LOG.arms, "reward": LOG.rewards, "probability": LOG.probabilities}
    columns["contexts"] = LOG.contexts.tolist()
    assert_same(rb.read_log(write_parquet(tmp_path / "file", columns)), LOG)


def test_a_context_that_all_arms_share_gives_each_arm_a_theta_of_its_own(tmp_path):
    columns = {"arm": [0, 2], "reward": [1.0, 0.0], "context_0": [0.1, 0.2], "context_1": [0.3, 0]}
    log = rb.read_log(write_csv(tmp_path / "log.csv", columns))
    assert log.contexts.shape == (2, 3, 6)
    np.testing.assert_array_equal(log.contexts[0, 1], [0, 0, 0.1, 0.3, 0, 0])
    np.testing.assert_array_equal(log.contexts[1, 2], [0, 0, 0, 0, 0.2, 0])
    assert log.probabilities is None
    assert log.clicks


def test_the_open_bandit_dataset(tmp_path):
    log = rb.read_log(write_open_bandit(tmp_path))
    # affinity; a number; categories a0, a1, b, c0, c1, c2; a constant
    assert log.contexts.shape == (60, 3, 9)
    np.testing.assert_array_equal(log.contexts[0, 2, 1:], [0.5, 1, 0, 1, 0, 0, 1, 1])
    assert set(np.unique(log.contexts[:, :, 0])) == {0.0, 1.0, 2.0}
    assert log.clicks
    assert log.intercept
    np.testing.assert_allclose(log.probabilities, 1 / 3)


def test_without_item_features_the_index_of_an_item_stands_for_them(tmp_path):
    path = write_open_bandit(tmp_path)
    (tmp_path / "item_context.csv").unlink()
    log = rb.read_log(path)
    np.testing.assert_array_equal(log.contexts[5, :, 1:], np.column_stack([np.eye(3), np.ones(3)]))


def test_only_the_first_rows_are_read(tmp_path):
    path = write_parquet(tmp_path / "file", table_of(LOG))
    log = rb.read_log(path, rows=7)
    assert len(log) == 7
    np.testing.assert_array_equal(log.rewards, LOG.rewards[:7])


def changed(column, row, value):
    columns = {name: list(values) for name, values in table_of(LOG).items()}
    columns[column][row] = value
    return columns


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("reward", "many", "invalid value 'many'; correct the value, or remove the row"),
        ("reward", 1.5, "expected a reward from 0 to 1, got 1.5; correct the value"),
        ("reward", "", "expected a finite number, got nan"),
        ("arm", 0.5, "expected a whole number, at least 0, got 0.5"),
        ("arm", 4, "expected an arm below 4, the number of arms, got 4"),
        ("probability", 0.0, "expected a probability above 0, up to 1, got 0"),
        ("context_1_2", "inf", "expected a finite number, got inf"),
    ],
)
def test_a_bad_value_is_reported_with_file_column_and_row(tmp_path, column, value, message):
    path = write_csv(tmp_path / "log.csv", changed(column, 30, value))
    with pytest.raises(DataError) as error:
        rb.read_log(path)
    assert str(error.value).startswith(f"{path}, column {column!r}, row 31: ")
    assert message in str(error.value)


def test_a_line_with_too_few_fields_is_reported(tmp_path):
    path = write_csv(tmp_path / "log.csv", table_of(LOG))
    path.write_text(path.read_text() + "1,0.5\n")
    with pytest.raises(DataError, match=r"row 51: .*Expected 19 columns, got 2"):
        rb.read_log(path)


def without(*names):
    return {name: values for name, values in table_of(LOG).items() if name not in names}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (without("arm"), "has no column 'arm': expected columns arm, reward and"),
        (without("context_2_1"), "has no column 'context_2_1': each of the 4 arms needs 4"),
        ({"arm": [0], "reward": [1.0]}, "has no contexts: expected columns arm, reward"),
        ({"arm": [0], "reward": [1.0], "context_99999_0": [1.0]}, "at most 10,000 arms"),
        ({"arm": [10**9], "reward": [1.0], "context_0": [1.0]}, "at most 10,000 arms"),
        ({"arm": [0], "reward": [1.0], "contexts": [[[1.0], [1.0, 2.0]]]}, "of the same lengths"),
        ({"arm": [0], "reward": [1.0], "contexts": [[[1.0, float("nan")]]]}, "finite numbers"),
        ({"arm": ["x"], "reward": [1.0], "context_0": [1.0]}, "column 'arm': expected numbers"),
        ({name: [] for name in table_of(LOG)}, "has no rows"),
    ],
)
def test_a_file_that_is_no_log_is_refused(tmp_path, columns, message):
    with pytest.raises(DataError, match=message):
        rb.read_log(write_parquet(tmp_path / "file", columns))


def test_the_size_is_checked_before_contexts_are_made(tmp_path, monkeypatch):
    path = write_csv(tmp_path / "log.csv", table_of(LOG))
    monkeypatch.setattr("robustbandits.red_team.log_file.MAX_NUMBERS", 16 * 20)
    with pytest.raises(DataError, match=r"allow 20 rows; read fewer \(rows=20, or --rounds 20\)"):
        rb.read_log(path)
    assert len(rb.read_log(path, rows=20)) == 20


def test_a_column_with_too_many_values_is_refused_before_it_is_decoded(tmp_path, monkeypatch):
    path = write_parquet(tmp_path / "file", table_of(LOG))
    monkeypatch.setattr("robustbandits.red_team._log_rows.MAX_VALUES", 49)
    with pytest.raises(DataError, match=r"column 'arm': row group 0 has 50 values, more than 49"):
        rb.read_log(path)


@pytest.mark.parametrize("content", [b"", b"PAR1 damaged", b"\xff\xfe\x00"])
def test_a_damaged_file_is_refused(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(DataError, match=str(path)):
        rb.read_log(path)


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(FileNotFoundError, match="is not a file"):
        rb.read_log(tmp_path / "nothing.csv")


def test_an_item_without_features_is_reported(tmp_path):
    path = write_open_bandit(tmp_path)
    items = tmp_path / "item_context.csv"
    items.write_text("".join(items.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match=r"item_context.csv, column 'item_id': item 2 is missing"):
        rb.read_log(path)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['pyarrow'] = None; import robustbandits as rb; rb.read_log('x')"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "reading a log needs pyarrow: pip install 'robustbandits[data]'" in result.stderr


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"contexts": np.zeros((50, 4))}, ValueError, r"shape \(rows, arms, dim\)"),
        ({"arms": np.zeros(50)}, TypeError, "arms must be whole numbers"),
        ({"arms": np.full(50, 4)}, ValueError, "arms must be from 0 to 3, got 4 in row 0"),
        (
            {"rewards": np.full(50, 2.0)},
            ValueError,
            "rewards must be from 0 to 1, got 2.0",
        ),
        (
            {"probabilities": np.zeros(50)},
            ValueError,
            "probabilities must be above 0, up to 1",
        ),
        ({"rewards": np.zeros(49)}, ValueError, r"rewards must have shape \(50,\)"),
    ],
)
def test_a_log_made_of_arrays_is_checked(changes, error, message):
    arrays = {"contexts": LOG.contexts, "arms": LOG.arms, "rewards": LOG.rewards}
    with pytest.raises(error, match=message):
        rb.Log(**{**arrays, **changes})
