"""The registry: a metric is one function, and has a name, a column and a row in the documents."""

import numpy as np
import pytest

from metrics.sample_ledgers import with_finals
from reports.sample_experiments import linear_experiment
from robustbandits import metrics
from robustbandits.metrics.registry import AUDIT, DAMAGE, METRICS, PRICE, REGRET, metric
from robustbandits.reports.experiment_tables import make_tables
from robustbandits.reports.grouped_games import GroupedGames
from tools.derived_tables import metrics_table


def test_every_metric_has_a_public_name_and_says_what_it_is():
    assert "final_regret" in METRICS
    for name, found in METRICS.items():
        assert getattr(metrics, name) is found
        assert name in metrics.__all__
        assert found.meaning in found.__doc__
        assert len(found.meaning) > 10
        assert found.table in (REGRET, DAMAGE, PRICE, AUDIT)
        assert found.better in ("lower", "higher", "neither")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = metrics.nonsense


@pytest.fixture
def spread():
    """Register a metric, and remove it again."""

    @metric(REGRET, "spread", unit="regret", statistic=np.ptp, interval=False)
    def spread(ledgers):
        """Return the range of the final regret over seeds."""
        return np.array([ledger.final_regret for ledger in ledgers])

    yield spread
    del METRICS["spread"]


def test_a_metric_does_not_replace_another_one(spread):
    def final_regret(ledgers):
        """Return something else."""

    def other(ledgers):
        """Return something else."""

    with pytest.raises(ValueError, match="already a metric 'final_regret'; choose another name"):
        metric(REGRET, "mine")(final_regret)
    with pytest.raises(ValueError, match="'final-regret' already has a column 'spread'; choose"):
        metric(REGRET, "spread")(other)
    with pytest.raises(ValueError, match=r"table must be one of 'final-regret', .* got 'mine'"):
        metric("mine", "other")
    assert "other" not in METRICS
    assert METRICS["final_regret"].head == "regret"


def test_new_metric_appears_in_its_table_and_in_the_documents(spread):
    assert spread(with_finals(1.0, 4.0)).value == 3.0
    assert metrics.spread is spread
    table, *others = make_tables(GroupedGames(linear_experiment()))
    assert table.name == REGRET
    assert table.columns[-1].head == "spread"
    # 2000 rounds; 0.01, 0.011 and 0.012 regret per round.
    assert table.rows[0][-1] == pytest.approx(4.0)
    assert "Spread: the range of the final regret over seeds." in table.notes[-1]
    assert not any(column.head == "spread" for other in others for column in other.columns)
    assert "| spread | the range of the final regret over seeds |" in metrics_table().to_markdown()
