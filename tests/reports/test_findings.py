"""Findings: what an experiment found, in plain sentences."""

import pytest

from reports.sample_experiments import experiment_with_finals
from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.page.findings import MOST_ENVIRONMENTS, findings

GAMES = {
    ("none", "fast"): [10.0, 12.0, 11.0],
    ("none", "safe"): [50.0, 52.0, 51.0],
    ("weak", "fast"): [40.0, 42.0, 41.0],
    ("weak", "safe"): [53.0, 55.0, 54.0],
    ("strong", "fast"): [900.0, 910.0, 905.0],
    ("strong", "safe"): [60.0, 62.0, 61.0],
}


def found(finals, **options):
    return findings(GroupedGames(experiment_with_finals(finals, **options), gaps={}))


def test_findings_name_the_safest_the_hardest_hit_and_the_best_without_attack():
    assert found(GAMES) == [
        "safe has the lowest regret under its worst attack, 61; next is fast with 905. "
        "fast is hit hardest: strong raises its regret from 11 to 905. "
        "fast has the lowest regret without attack, 11; next is safe with 51."
    ]


def test_single_attack_is_named():
    finals = {labels: values for labels, values in GAMES.items() if labels[0] != "weak"}
    assert found(finals)[0].startswith("safe has the lowest regret under strong, 61;")


def test_overlapping_intervals_are_not_clear():
    (text,) = found({("none", "a"): [1.0, 9.0], ("none", "b"): [2.0, 11.0]})
    expected = "a has the lowest regret without attack, 5; next is b with 6.5"
    assert text == expected + ", which is not clearly more."


def test_one_policy_and_one_seed():
    text, doubt = found({("none", "a"): [10.0], ("weak", "a"): [10.0]})
    assert text == (
        "a has a regret of 10 under weak. No attack raises the mean regret of any policy. "
        "a has a regret of 10 without attack."
    )
    assert doubt == "There is only one seed, so differences may be due to chance."


@pytest.mark.parametrize("count", [2, MOST_ENVIRONMENTS])
def test_each_environment_has_a_paragraph(count):
    names = [f"e{k}" for k in range(count)]
    paragraphs = found(GAMES, environments=names)
    assert [text.split(":")[0] for text in paragraphs] == [f"In {name}" for name in names]


def test_many_environments_are_counted():
    count = MOST_ENVIRONMENTS + 1
    assert found(GAMES, environments=[f"e{k}" for k in range(count)]) == [
        f"safe has the lowest regret under its worst attack in {count} of {count} environments. "
        f"fast has the lowest regret without attack in {count} of {count} environments."
    ]


def test_no_games_give_no_findings():
    experiment = experiment_with_finals(GAMES)._replace(ledgers=[])
    assert findings(GroupedGames(experiment, gaps={})) == []
