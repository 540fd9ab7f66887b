"""The scanner of lines agrees with Python's parser about what is in a file."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustbandits.experiments.toml_lines import line_of, toml_lines

TRICKY = '''\
# [not.a.table]
a = "one # two"  # three
b = """
[x]
c = 1
"""
d = \'\'\'
[y]\'\'\'
e = [
  1, # ]
  [2, "]"],
]

[ p . "q r" ]
\'k.l\' = {m = "}", n = 2}
o.s = 1
t = """say "hi""""
u = "\\\\"
[[many]]
z = 1
[[many]]
z = 2
'''


def test_strings_comments_and_brackets_do_not_fool_it():
    tomllib.loads(TRICKY)
    assert toml_lines(TRICKY) == {
        ("a",): 2,
        ("b",): 3,
        ("d",): 7,
        ("e",): 9,
        ("p",): 14,
        ("p", "q r"): 14,
        ("p", "q r", "k.l"): 15,
        ("p", "q r", "o"): 16,
        ("p", "q r", "o", "s"): 16,
        ("p", "q r", "t"): 17,
        ("p", "q r", "u"): 18,
        ("many",): 19,
        ("many", "z"): 20,
    }


def test_inside_an_inline_table_the_line_is_the_tables():
    lines = toml_lines(TRICKY)
    assert line_of(lines, "p", "q r", "k.l", "n") == 15
    assert line_of(lines, "nowhere") == 1


@pytest.mark.parametrize("text", ["", "\n", "# only this", "a = 1", "a = 1 # end", "[t]"])
def test_short_texts(text):
    assert set(toml_lines(text).values()) <= {1}


words = st.text(st.sampled_from("ab .#[]'\"\\\n=é"), max_size=6)
values = st.one_of(
    st.integers(),
    words,
    st.lists(st.integers() | words, max_size=3),
)


def quoted(word):
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def written(value):
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[\n" + "".join(f"  {written(one)}, # ]\n" for one in value) + "]"
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
    assert toml_lines(text) == expected
