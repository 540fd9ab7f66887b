"""A spec in TOML: sweeps, and errors that say where and what instead."""

import math

import pytest

import robustbandits as rb
from robustbandits.experiments.spec import SpecError, parse_spec, read_spec
from robustbandits.experiments.spec_toml import MAX_RECIPES

WHOLE = """\
name = "mine"
about = '''
Two lines
of text'''
rounds = 1_000
seeds = [3, 1]
points = 50

[environments.Simulation]
arms = 5

[attacks.Garcelon]
budget = [0, 10, inf]

[attacks."no attack"]
kind = "NoAttack"

[policies.LinUCB]
sigma = [0.1, 0.2]
radius = ["trace", "det"]

[policies.BOB]
kind = "BOBNoRestart"
preset = "as_written"
sigma = 0.3
"""
PLACE = "[environments.Simulation]\n"
BASE = PLACE + "[policies.LinUCB]\n"


def test_a_whole_spec():
    spec = parse_spec(WHOLE)
    assert (spec.name, spec.about) == ("mine", "Two lines of text")
    assert (spec.rounds, spec.seeds, spec.points) == (1000, (3, 1), 50)
    assert spec.environments == {"Simulation": rb.environments.Simulation(arms=5)}
    assert spec.attacks == {
        "Garcelon(budget=0)": rb.attacks.Garcelon(0),
        "Garcelon(budget=10)": rb.attacks.Garcelon(10),
        "Garcelon(budget=inf)": rb.attacks.Garcelon(math.inf),
        "no attack": rb.attacks.NoAttack(),
    }
    assert list(spec.policies) == [
        "LinUCB(sigma=0.1, radius=trace)",
        "LinUCB(sigma=0.1, radius=det)",
        "LinUCB(sigma=0.2, radius=trace)",
        "LinUCB(sigma=0.2, radius=det)",
        "BOB",
    ]
    assert spec.policies["BOB"] == rb.policies.BOBNoRestart.as_written(sigma=0.3)
    assert spec.games == 1 * 4 * 5 * 2


def test_what_is_not_said_takes_the_defaults():
    spec = parse_spec(BASE, source="folder/short.toml")
    assert (spec.name, spec.rounds, len(spec.seeds), spec.points) == ("short", 100_000, 10, 1000)
    assert list(spec.attacks) == ["NoAttack"]


@pytest.mark.parametrize(
    ("value", "levels"),
    [
        ("[0, 1, 2]", [(0.0, 1.0, 2.0)]),
        ("[[0, 1], [0, 2]]", [(0.0, 1.0), (0.0, 2.0)]),
        ('["T", "sqrtT"]', ["T", "sqrtT"]),
        ('["T", [0, 1]]', ["T", (0.0, 1.0)]),
    ],
)
def test_a_list_that_the_parameter_takes_is_one_value(value, levels):
    spec = parse_spec(PLACE + f"[policies.RobustBandit]\ncandidates = {value}\n")
    assert [one.candidates for one in spec.policies.values()] == levels


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("rounds = \n" + BASE, 1, r"column 10: not TOML: Invalid value"),
        (BASE + "[policies.LinUCB]\n", 3, "not TOML: Cannot declare"),
        ("seeds = [1,", 1, "not TOML"),
        ("\n\nroundz = 3\n" + BASE, 3, r"no 'roundz'; did you mean rounds\?"),
        (BASE + "[polices.Greedy]\n", 3, r"no 'polices'; did you mean policies"),
        ("policies = 3\n" + PLACE, 1, "policies must be tables such as"),
        ("rounds = 0\n" + BASE, 1, "rounds must be >= 1, got 0"),
        ("\nrounds = '9'\n" + BASE, 2, "rounds must be a whole number, got '9'"),
        ("seeds = [1, 1]\n" + BASE, 1, "seeds must be different"),
        ("seeds = 'all'\n" + BASE, 1, "seeds must be a whole number"),
        ("name = 3\n" + BASE, 1, "name must be a line of text, got 3"),
        (PLACE + "[policies.LinUBC]\n", 2, r"policies has no 'LinUBC'; did you mean LinUCB"),
        (PLACE + "[policies.x]\nkind = 'linucb'\n", 3, r"no 'linucb'; did you mean LinUCB"),
        (PLACE + "[policies.x]\nkind = 3\n", 3, "policies has no 3"),
        (PLACE + "[policies]\nLinUCB = 3\n", 3, "must be a table of parameters"),
        (
            BASE + "ridge = 1\nsgima = 3\n",
            4,
            r"LinUCB has no parameter 'sgima'; did you mean sigma",
        ),
        (BASE + "ridge = 1\n# why\nsigma = -3\n", 5, r"LinUCB: sigma must be >= 0, got -3"),
        (BASE + "sigma = [0.1,\n -1]\nridge = 1", 3, r"sigma must be >= 0, got -1"),
        (BASE + "sigma = 'x'\n", 3, "sigma must be a number, got 'x'"),
        (BASE + "sigma = []\n", 3, "a sweep over nothing"),
        (BASE + "sigma = [1, 1]\n", 3, "sigma has 1 twice"),
        (BASE + "sigma = [1, 1.0]\n", 3, r"sigma has 1\.0 twice"),
        (BASE + "preset = 'as_written'\n", 3, "LinUCB has no preset 'as_written'; there is none"),
        (
            PLACE + "[policies.RobustBandit]\npreset = 'as_writen'\n",
            3,
            r"no preset 'as_writen'; did you mean as_written\?",
        ),
        (BASE + "[attacks.Garcelon]\n", 3, "Garcelon needs budget"),
        (BASE + "[attacks.G]\nkind = 'Garcelon'\nbudget = -1\n", 5, "budget must be >= 0, got -1"),
        (
            BASE + "[policies.'LinUCB(ridge=1)']\nkind = 'LinUCB'\nradius = 'det'\n"
            "[policies.b]\nkind = 'Gredy'\n",
            7,
            "no 'Gredy'",
        ),
        ("\npolicies.LinUCB.sgima = 3\n" + PLACE, 2, "has no parameter 'sgima'"),
    ],
)
def test_error_names_the_line_and_the_remedy(text, line, message):
    with pytest.raises(SpecError, match=message) as caught:
        parse_spec(text, source="my.toml")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"my.toml, line {line}: ")


def test_inline_tables_are_as_good():
    spec = parse_spec("environments = {Simulation = {arms = 3}}\npolicies = {LinUCB = {}}\n")
    assert spec.environments["Simulation"].arms == 3
    with pytest.raises(SpecError, match=r"line 2: .*no parameter 'sgima'"):
        parse_spec("environments = {Simulation = {}}\npolicies = {LinUCB = {sgima = 1}}\n")


def test_a_spec_needs_policies_and_environments():
    with pytest.raises(SpecError, match="no policies; give at least one"):
        parse_spec(PLACE)
    with pytest.raises(SpecError, match="no environments; give at least one"):
        parse_spec("[policies.LinUCB]")


def test_labels_that_a_sweep_repeats_are_refused():
    text = PLACE + (
        "[policies.LinUCB]\nsigma = [1, 2]\n[policies.'LinUCB(sigma=1)']\nkind = 'Greedy'\n"
    )
    with pytest.raises(SpecError, match=r"line 4: .*label 'LinUCB\(sigma=1\)' twice"):
        parse_spec(text)


def test_one_recipe_under_two_labels_is_refused():
    text = BASE + "[policies.again]\nkind = 'LinUCB'\nsigma = 0.1\n"
    with pytest.raises(SpecError, match="'LinUCB' and 'again' are one and the same recipe"):
        parse_spec(text)


def test_sweep_beyond_reason_is_counted_not_expanded():
    numbers = list(range(1, 1001))
    text = BASE + f"sigma = {numbers}\nridge = {numbers}\n"
    assert parse_spec(text.replace(str(numbers), "[1, 2]")).games == 40
    text += f"delta = {[one / 2000 for one in numbers]}\n"  # 10^9 recipes
    with pytest.raises(SpecError, match=r"line 2: .*1,000,000,000 recipes; at most 1,000,000"):
        parse_spec(text)


def test_many_sweeps_are_counted_together():
    numbers = str(list(range(1, 802)))
    tables = "".join(
        f"[policies.p{i}]\nkind = 'LinUCB'\nsigma = {numbers}\nridge = {numbers}\n"
        for i in range(2)
    )
    assert 801**2 < MAX_RECIPES < 2 * 801**2
    with pytest.raises(SpecError, match=r"1,283,203 recipes in all"):
        parse_spec(PLACE + tables)


def test_spec_is_read_from_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(WHOLE, encoding="utf-8")
    assert read_spec(path) == parse_spec(WHOLE)


def test_windows_line_ends_change_nothing():
    text = WHOLE.replace("\n", "\r\n")
    assert parse_spec(text) == parse_spec(WHOLE)
    with pytest.raises(SpecError, match="line 10: "):
        parse_spec(text.replace("arms = 5", "arms = 0"))


def test_unreadable_files_are_named(tmp_path):
    with pytest.raises(SpecError, match=r"absent\.toml: cannot be read: No such file"):
        read_spec(tmp_path / "absent.toml")
    with pytest.raises(SpecError, match=r"neither a file nor a ready spec; did you mean smoke\?"):
        read_spec("smok")
    with pytest.raises(SpecError, match="cannot be read"):
        read_spec(tmp_path)
    path = tmp_path / "latin.toml"
    path.write_bytes(b"name = '\xe9'")
    with pytest.raises(SpecError, match="not UTF-8"):
        read_spec(path)


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "rounds = " + "9" * 10_000])
def test_what_python_cannot_hold_is_refused(text):
    with pytest.raises(SpecError):
        parse_spec(text + "\n" + BASE)
