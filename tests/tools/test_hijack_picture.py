"""The picture of the README shows what the games show, and can be read on a phone."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from tools.hijack_picture import BUDGET, CATALOGUE, POLICIES, attacked_games, draw, shares_by_rank

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "hijack.svg"


def texts(path):
    """Return the texts of a picture, and its font sizes as a share of its width."""
    root = ElementTree.parse(path).getroot()
    width = float(root.get("viewBox").split()[2])
    found, sizes = [], []
    for element in root.iter("{http://www.w3.org/2000/svg}text"):
        found.append("".join(element.itertext()))
        size = re.search(r"font(?:-size)?:[^;]*?([\d.]+)px", element.get("style"))[1]
        sizes.append(float(size) / width)
    return found, sizes


def test_picture_names_every_policy_in_letters_that_are_legible_at_phone_width():
    found, sizes = texts(PICTURE)
    for policy in POLICIES:
        assert policy in found
    assert 360 * min(sizes) >= 11.0


def test_shares_add_up_to_one_and_the_picture_shows_final_regrets(tmp_path):
    games = attacked_games(rounds=200, seeds=2)
    for played in games.values():
        assert shares_by_rank(played).sum() == pytest.approx(1.0)
    draw(games, tmp_path / "picture.svg")
    found, _ = texts(tmp_path / "picture.svg")
    finals = [ledger.final_regret for ledger in games["LinUCB"]]
    assert f"LinUCB {np.mean(finals):,.0f}" in found


@pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")
@pytest.mark.slow
def test_picture_and_its_caption_show_the_numbers_of_the_games():
    games = attacked_games()
    found, _ = texts(PICTURE)
    for name, played in games.items():
        assert f"{name} {np.mean([ledger.final_regret for ledger in played]):,.0f}" in found
    hijacked = shares_by_rank(games["LinUCB"])
    assert hijacked[:10].sum() < 0.01
    for name in ("CautiousLinUCB", "BOBNoRestart"):
        assert shares_by_rank(games[name])[0] > 0.5
    clean = rb.compare(environments=[CATALOGUE], policies=[POLICIES["LinUCB"]], seeds=10)
    regret = np.mean([ledger.final_regret for ledger in clean.ledgers])
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Without the attack LinUCB's regret is {regret:,.0f}." in readme
    assert f"change rewards by {BUDGET:g} in all" in readme
