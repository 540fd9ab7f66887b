"""Labels of arms: the decision has the label of the chosen arm."""

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import contents, make_agent

SHOWN = np.eye(4, 3)
NAMES = ["news", "sports", "weather", "music"]


@pytest.mark.parametrize("kind", [list, tuple, np.array, iter, dict.fromkeys])
def test_the_decision_has_the_label_of_its_arm(kind):
    decision = make_agent().choose(SHOWN, labels=kind(NAMES))
    assert decision.label == NAMES[decision.arm]
    assert f"label={decision.label!r}" in repr(decision)


def test_labels_of_a_pandas_series_go_by_position():
    series = pytest.importorskip("pandas").Series(NAMES, index=[3, 2, 1, 0])
    decision = make_agent().choose(SHOWN, series)
    assert decision.label == NAMES[decision.arm]


def test_without_labels_the_label_is_none():
    decision = make_agent().choose(SHOWN)
    assert decision.label is None
    assert "label" not in repr(decision)


@pytest.mark.parametrize(
    ("labels", "kind", "message"),
    [
        (NAMES[:3], ValueError, "labels must have one label for each arm: expected 4, got 3"),
        ("abcd", TypeError, "labels must be a list with one label for each arm, got 'abcd'"),
        (7, TypeError, "labels must be a list"),
    ],
)
def test_bad_labels_are_refused_and_change_nothing(labels, kind, message):
    agent = make_agent("LinTS")
    before = contents(agent)
    with pytest.raises(kind, match=message):
        agent.choose(SHOWN, labels)
    assert contents(agent) == before


def test_a_ball_has_no_labels():
    agent = rb.Agent(rb.policies.LinUCB(), arms="ball", dim=2)
    with pytest.raises(ValueError, match="expected 0, got 1"):
        agent.choose(labels=["x"])
