"""The palette: fixed colors, no two policies alike, enough contrast."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from robustbandits.reports.styles import FIRST, PALETTE, style, style_numbers, styles_of


def test_recommended_policies_and_those_of_the_paper_have_a_color_each():
    styles = styles_of(FIRST)
    assert len({style.color for style in styles.values()}) == len(FIRST)
    assert {style.dash for style in styles.values()} == {()}
    assert set(FIRST) <= set(rb.policies.__all__)


@pytest.mark.parametrize("name", rb.policies.__all__)
def test_policy_of_the_package_looks_the_same_in_every_figure(name):
    others = ["mine", "another", *rb.policies.__all__, f"{name}(ridge=1)"]
    assert styles_of([name])[name] == styles_of(others)[name]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("BOB-No-Restart", "BOBNoRestart"),
        ("CautiousLinUCB(tolerance=300)", "CautiousLinUCB"),
        ("LinUCB (sigma=0.5)", "LinUCB"),
    ],
)
def test_label_with_parameters_has_the_color_of_its_policy(label, name):
    assert styles_of([label])[label] == styles_of([name])[name]
    both = styles_of([label, name])
    assert both[label].color == both[name].color
    assert both[label].dash != both[name].dash


def test_style_does_not_depend_on_the_order():
    names = ["LinUCB", "mine", "yours", "Greedy", "mine(a=1)"]
    assert styles_of(names) == styles_of(reversed(names))


@given(st.lists(st.text(), unique=True, max_size=40))
def test_no_two_policies_of_a_figure_share_color_and_dash(names):
    styles = styles_of(names)
    assert set(styles) == set(names)
    assert len(set(styles.values())) == len(names)


def test_there_are_styles_for_any_number_of_policies():
    names = [f"LinUCB(sigma={k})" for k in range(300)]
    assert len(set(styles_of(names).values())) == 300
    assert len({style(number) for number in range(1000)}) == 1000


def test_five_variants_of_a_policy_have_its_color():
    styles = styles_of([f"mine(k={k})" for k in range(5)])
    assert len({style.color for style in styles.values()}) == 1
    assert len(style_numbers(["a", "b", "c"])) == 3


def luminance(color):
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(("theme", "background"), [(0, "#ffffff"), (1, "#1a1f24")])
def test_every_color_has_enough_contrast(theme, background):
    for colors in PALETTE:
        low, high = sorted([luminance(colors[theme]), luminance(background)])
        assert (high + 0.05) / (low + 0.05) >= 3.0  # WCAG 2.2, for graphics
    shades = sorted(colors[theme] for colors in PALETTE)
    assert all(a != b for a, b in pairwise(shades))
