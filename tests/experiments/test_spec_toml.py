"""A spec in TOML: sweeps, and errors that name the line and the remedy."""

import math
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import robustbandits as rb
from robustbandits.experiments.spec import SpecError, parse_spec, read_spec
from robustbandits.experiments.spec_toml import MAX_RECIPES, line_of

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
ENVIRONMENT = "[environments.Simulation]\n"
BASE = ENVIRONMENT + "[policies.LinUCB]\n"


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


def test_settings_that_are_left_out_have_defaults():
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
    spec = parse_spec(ENVIRONMENT + f"[policies.RobustBandit]\ncandidates = {value}\n")
    assert [policy.candidates for policy in spec.policies.values()] == levels


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("rounds = \n" + BASE, 1, r"column 10: not TOML: Invalid value"),
        (BASE + "[policies.LinUCB]\n", 3, "not TOML: Cannot declare"),
        ("seeds = [1,", 1, "not TOML"),
        ("\n\nroundz = 3\n" + BASE, 3, r"no 'roundz'; did you mean rounds\?"),
        (BASE + "[polices.Greedy]\n", 3, r"no 'polices'; did you mean policies"),
        ("policies = 3\n" + ENVIRONMENT, 1, "policies must be tables such as"),
        ("\nrounds = '9'\n" + BASE, 2, "rounds must be a whole number, got '9'"),
        ("\nabout = 3\n" + BASE, 2, "about must be text, got 3"),
        (
            ENVIRONMENT + "[policies.LinUBC]\n",
            2,
            r"there is no policy 'LinUBC'; did you mean LinUCB",
        ),
        (
            ENVIRONMENT + "[policies.x]\nkind = 'linucb'\n",
            3,
            r"no policy 'linucb'; did you mean LinUCB",
        ),
        (ENVIRONMENT + "[policies]\nLinUCB = 3\n", 3, "must be a table of parameters"),
        (
            BASE + "ridge = 1\nsgima = 3\n",
            4,
            "sgima is not .* of LinUCB; did you mean sigma",
        ),
        (BASE + "ridge = 1\n# why\nsigma = -3\n", 5, "sigma must be >= 0, got -3"),
        (BASE + "sigma = [0.1,\n -1]\nridge = 1", 3, r"sigma must be >= 0, got -1"),
        (BASE + "sigma = 'x'\n", 3, "sigma must be a number, got 'x'"),
        (BASE + "sigma = []\n", 3, "an empty sweep"),
        (BASE + "sigma = [1, 1]\n", 3, "sigma has 1 twice"),
        (BASE + "sigma = [1, 1.0]\n", 3, r"sigma has 1\.0 twice"),
        (BASE + "preset = 'as_written'\n", 3, "no preset 'as_written'; there are none"),
        (
            ENVIRONMENT + "[policies.RobustBandit]\npreset = 'as_writen'\n",
            3,
            r"no preset 'as_writen'; did you mean as_written\?",
        ),
        (BASE + "[attacks.Garcelon]\n", 3, "Garcelon needs budget"),
        (BASE + "[attacks.G]\nkind = 'Garcelon'\nbudget = -1\n", 5, "budget must be >= 0, got -1"),
        (
            BASE + "[policies.'LinUCB(ridge=1)']\nkind = 'LinUCB'\nradius = 'det'\n"
            "[policies.b]\nkind = 'Gredy'\n",
            7,
            "no policy 'Gredy'",
        ),
        ("\npolicies.LinUCB.sgima = 3\n" + ENVIRONMENT, 2, "sgima is not a parameter"),
        (
            ENVIRONMENT + "[policies.LinUCB]\nsigma = [1, 2]\n"
            "[policies.'LinUCB(sigma=1)']\nkind = 'Greedy'\n",
            4,
            r"policies has the label 'LinUCB\(sigma=1\)' twice",
        ),
        (
            BASE + "[policies.again]\nkind = 'LinUCB'\nsigma = 0.1\n",
            3,
            "'LinUCB' and 'again' are the same recipe",
        ),
    ],
)
def test_an_error_names_the_line_and_the_remedy(text, line, message):
    with pytest.raises(SpecError, match=message) as caught:
        parse_spec(text, source="my.toml")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"my.toml, line {line}: ")


def test_inline_tables_work_too():
    spec = parse_spec("environments = {Simulation = {arms = 3}}\npolicies = {LinUCB = {}}\n")
    assert spec.environments["Simulation"].arms == 3
    with pytest.raises(SpecError, match="line 2: sgima is not a parameter"):
        parse_spec("environments = {Simulation = {}}\npolicies = {LinUCB = {sgima = 1}}\n")


def test_a_spec_needs_policies_and_environments():
    with pytest.raises(SpecError, match="no policies; give at least one"):
        parse_spec(ENVIRONMENT)
    with pytest.raises(SpecError, match="no environments; give at least one"):
        parse_spec("[policies.LinUCB]")


def test_a_sweep_that_is_too_large_is_not_expanded():
    numbers = list(range(1, 1001))
    text = BASE + f"sigma = {numbers}\nridge = {numbers}\n"
    assert parse_spec(text.replace(str(numbers), "[1, 2]")).games == 40
    text += f"delta = {[number / 2000 for number in numbers]}\n"  # 10^9 recipes
    with pytest.raises(SpecError, match=r"line 2: 1,000,000,001 recipes up to here; at most 1,000"):
        parse_spec(text)


def test_the_recipes_of_all_sweeps_are_counted():
    numbers = str(list(range(1, 802)))
    sweep = f"kind = 'LinUCB'\nsigma = {numbers}\nridge = {numbers}\n"
    assert 801**2 < MAX_RECIPES < 2 * 801**2
    with pytest.raises(SpecError, match=r"line 6: 1,283,203 recipes"):
        parse_spec(ENVIRONMENT + "".join(f"[policies.p{i}]\n{sweep}" for i in range(2)))


def test_windows_line_ends_change_nothing():
    text = WHOLE.replace("\n", "\r\n")
    assert parse_spec(text) == parse_spec(WHOLE)
    with pytest.raises(SpecError, match="line 10: "):
        parse_spec(text.replace("arms = 5", "arms = 0"))


def test_a_spec_is_read_from_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(WHOLE, encoding="utf-8")
    assert read_spec(path) == parse_spec(WHOLE)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(SpecError, match=r"absent\.toml: cannot be read: No such file"):
        read_spec(tmp_path / "absent.toml")
    with pytest.raises(SpecError, match=r"neither a file nor a ready spec; did you mean smoke\?"):
        read_spec("smok")
    with pytest.raises(SpecError, match="cannot be read"):
        read_spec(tmp_path)
    path = tmp_path / "latin.toml"
    path.write_bytes(b"name = '\xe9'")
    with pytest.raises(SpecError, match="expected UTF-8 text: save the file as UTF-8"):
        read_spec(path)


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "rounds = " + "9" * 10_000])
def test_values_beyond_pythons_limits_are_refused(text):
    with pytest.raises(SpecError):
        parse_spec(text + "\n" + BASE)


TRICKY = '''\
# [not.a.table]
a = "b = 1"  # b = 2
b = """
[x]
c = 1
"""
d = \'\'\'
[p]\'\'\'
e = [
  1, # ]
  [2, "p.o"],
]

[ p . "q r" ]
\'k.l\' = {m = "}", n = 2}
o.s = 1
t = """say "hi""""
"\\u0075" = "\\\\"
[[many]]
z = 1
[[many]]
z = 2
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        *[("a", 2), ("b", 3), ("d", 7), ("e", 9), ("many", 19), ("p", 14), ("p/q r", 14)],
        *[("p/q r/o", 16), ("p/q r/o/s", 16), ("p/q r/t", 17), ("p/q r/u", 18)],
        *[("p/q r/k.l", 15), ("p/q r/k.l/n", 15)],  # inside an inline table: its line
    ],
)
def test_strings_comments_and_brackets_do_not_mislead_the_line(path, line):
    tomllib.loads(TRICKY)
    assert line_of(TRICKY, *path.split("/")) == line


words = st.text(st.sampled_from("ab .#[]'\"\\\n=é"), max_size=6)
values = st.one_of(st.integers(), words, st.lists(st.integers() | words, max_size=3))


def quoted(word):
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def written(value):
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[\n" + "".join(f"  {written(item)}, # ]\n" for item in value) + "]"
    return str(value)


@settings(deadline=None)
@given(st.dictionaries(words, st.dictionaries(words, values, max_size=4), max_size=4))
def test_every_key_is_found_on_its_own_line(tables):
    text, expected = "", {}
    for table, entries in tables.items():
        expected[(table,)] = text.count("\n") + 1
        text += f"[{quoted(table)}] # [x]\n"
        for key, value in entries.items():
            expected[(table, key)] = text.count("\n") + 1
            text += f"{quoted(key)} = {written(value)}\n\n"
    assert tomllib.loads(text) == tables
    assert {path: line_of(text, *path) for path in expected} == expected
