"""The file of a plan: a damaged or hostile one is refused with a clear message."""

import json

import pytest

from experiments.lab import small_spec
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.store.match_file import DamagedError, NewerError, encode
from robustbandits.experiments.store.plan_file import decode_plan, encode_plan
from robustbandits.experiments.store.store import Store, StoreError

PLAN = make_plan(small_spec())


def changed(change):
    values = json.loads(encode_plan(PLAN)[1])
    change(values)
    return json.dumps(values).encode()


def set_spec(key, value):
    return lambda values: values["spec"].update({key: value})


def set_match(index, value):
    return lambda values: values["matches"][0].__setitem__(index, value)


DAMAGE = {
    "policies are a number": set_spec("policies", 5),
    "policies are a list": set_spec("policies", [1]),
    "a policy is a number": set_spec("policies", {"LinUCB": 5}),
    "a policy is unknown": set_spec("policies", {"LinUCB": {"name": "Unknown"}}),
    "seeds are a word": set_spec("seeds", "x"),
    "seeds are null": set_spec("seeds", None),
    "rounds are negative": set_spec("rounds", -1),
    "the name is empty": set_spec("name", ""),
    "an unknown entry": set_spec("more", 1),
    "spec is a list": lambda values: values.update(spec=[1, 2]),
    "format is a word": lambda values: values.update(format="x"),
    "matches are a number": lambda values: values.update(matches=3),
    "a match is too short": lambda values: values["matches"][0].pop(),
    "games are a word": lambda values: values.update(games="xy"),
    "a game is of no policy": lambda values: values["games"][0].__setitem__(1, "Nobody"),
    "an attack is a list": lambda values: values["games"][0].__setitem__(0, []),
    "id with NUL": set_match(0, "\0" * 32),
    "id that leaves the folder": set_match(0, "../" * 10 + "ab"),
    "id that is short": set_match(0, "ab"),
    "id that is a number": set_match(0, 12),
    "id that ends with a line break": set_match(0, "a" * 32 + "\n"),
    "unknown environment": set_match(1, "nowhere"),
    "unknown seed": set_match(2, 99),
    "seed that is true": set_match(2, True),
}


def test_plan_is_read_back():
    plan = decode_plan(encode_plan(PLAN)[1])
    assert plan.spec == PLAN.spec
    assert [match[:3] for match in plan.matches] == [match[:3] for match in PLAN.matches]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_plan_is_refused(damage):
    with pytest.raises(DamagedError, match="it is not the file of a plan"):
        decode_plan(changed(DAMAGE[damage]))


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"5", b"null", b"\xff", b"[" * 100_000])
def test_text_that_is_no_plan_is_refused(text):
    with pytest.raises(DamagedError):
        decode_plan(text)


def test_newer_plan_is_not_damaged():
    with pytest.raises(NewerError, match="newer"):
        decode_plan(changed(lambda values: values.update(format=3)))


def test_store_names_the_damaged_plan_and_what_to_do(tmp_path):
    store = Store(tmp_path)
    store.write_plan(PLAN)
    (path,) = (tmp_path / "plans").glob("*.json")
    path.write_bytes(changed(DAMAGE["policies are a number"]))
    with pytest.raises(StoreError, match=rf"{path.name} is damaged.*delete the file and run"):
        store.experiments()


@pytest.mark.parametrize(
    ("field", "value"),
    [("spec", {}), ("spec", 5), ("spec", {"policies": 5}), ("provenance", {}), ("provenance", 5)],
)
def test_match_whose_header_is_wrong_is_left_out_with_a_warning(tmp_path, field, value):
    from robustbandits.experiments.runner import run

    outcome = run(small_spec(), tmp_path, progress=False)
    (plan,) = (tmp_path / "plans").glob("*.json")
    plan.unlink()  # so that the matches are grouped by their headers
    first = outcome.plan.matches[0]
    stored = outcome.store.read(first).match
    outcome.store.path_of(first.id).write_bytes(encode(stored._replace(**{field: value})))
    with pytest.warns(RuntimeWarning, match=f"match {first.id} is left out"):
        (experiment,) = outcome.store.experiments()
    assert experiment.provenance["finished"] == len(outcome.plan.matches) - 1
