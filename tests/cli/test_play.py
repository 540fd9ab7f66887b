"""robustbandits play: one game, the same as in Python."""

import pytest

import robustbandits as rb
from cli.commands import invoke, invoke_json


def test_a_game_from_the_command_line_is_the_game_from_python():
    facts = invoke_json(
        "play",
        *("--policy", "LinUCB(sigma=0.2)", "--attack", "Garcelon", "--budget", "5"),
        *("--environment", "Simulation(arms=4)", "--rounds", "60", "--seed", "7"),
    )
    ledger = rb.simulate(
        environment=rb.environments.Simulation(arms=4),
        attack=rb.attacks.Garcelon(5.0),
        policy=rb.policies.LinUCB(sigma=0.2),
        rounds=60,
        seed=7,
    )
    assert facts["regret"] == ledger.final_regret
    assert facts["spent"] == ledger.spent
    assert facts["attacked_rounds"] == ledger.attacked_rounds
    assert facts["costs"] == ledger.costs
    assert facts["enforced_cost"] == "change"
    assert facts["policy"] == "LinUCB(sigma=0.2)"
    assert facts["attack"] == "Garcelon(budget=5.0)"
    assert facts["budget"] == 5.0


def test_an_unlimited_budget_is_null_in_json():
    facts = invoke_json("play", "--attack", "Garcelon(inf)", "--rounds", "20")
    assert facts["budget"] is None


def test_the_text_names_the_regret():
    result = invoke("play", "--rounds", "20")
    assert "regret per round" in result.stdout
    assert "played in" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "LinUCB(sigma=-1)"], "sigma must be >= 0, got -1"),
        (["--attack", "Garcelon(3)", "--budget", "3"], "budget is given twice"),
        (["--environment", "Simulation(arms=0)"], "arms must be >= 1, got 0"),
    ],
)
def test_a_bad_recipe_fails_with_one_line(arguments, message):
    result = invoke("play", "--rounds", "10", *arguments, code=1)
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not result.stdout
