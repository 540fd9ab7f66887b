"""The table of docs/limits.md."""

import pytest

import robustbandits as rb
from robustbandits.compiled.jit import jit_is_on
from tools.limits_table import CATALOGUE, limits_table, prices


@pytest.mark.slow
@pytest.mark.skipif(not jit_is_on, reason="too slow without compiled code")
def test_each_row_divides_a_measured_price_by_the_price_of_a_unit():
    table = limits_table(rounds=200, seeds=2)
    games = [
        rb.simulate(environment=CATALOGUE, policy=rb.policies.LinUCB(), rounds=200, seed=seed)
        for seed in range(2)
    ]
    mean = sum(game.final_regret for game in games) / 2
    name, price, bought = table.rows[0]
    assert name == "LinUCB"
    assert price.value == pytest.approx(mean)
    assert bought == pytest.approx(mean / prices(2).mean(), abs=0.05)
    assert len(table.rows) == 9
