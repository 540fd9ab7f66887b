"""Making an agent: its arguments, its seed, and copies of it."""

from __future__ import annotations

import copy
import gc
import math
import pickle

import numpy as np
import pytest

import robustbandits as rb
from agent.players import RECIPES, bits, contexts_of, hire, train, veteran

BAD_ARGUMENTS = {
    "arms 0": ({"arms": 0}, ValueError, "arms must be >= 1, got 0"),
    "arms 2.5": ({"arms": 2.5}, TypeError, "arms must be a whole number, got 2.5"),
    "dim -1": ({"dim": -1}, ValueError, "dim must be >= 1, got -1"),
    "dim True": ({"dim": True}, TypeError, "dim must be a whole number, got True"),
    "rounds 0": ({"rounds": 0}, ValueError, "rounds must be >= 1, got 0"),
    "rounds word": ({"rounds": "9"}, TypeError, "rounds must be a whole number, got '9'"),
    "seed -1": ({"seed": -1}, ValueError, "seed must be >= 0, got -1"),
    "seed 1.5": ({"seed": 1.5}, TypeError, "seed must be a whole number, got 1.5"),
    "context_bound 0": ({"context_bound": 0}, ValueError, "context_bound must be > 0, got 0"),
    "theta_bound nan": ({"theta_bound": math.nan}, ValueError, "theta_bound must be finite"),
    "pending 0": ({"pending": 0}, ValueError, "pending must be >= 1, got 0"),
    "pending None": ({"pending": None}, TypeError, "pending must be a whole number, got None"),
    "range number": ({"reward_range": 5}, ValueError, r"reward_range must be .*got 5"),
    "range of one": ({"reward_range": (1,)}, ValueError, r"reward_range must be .*got \(1,\)"),
    "range of three": ({"reward_range": (0, 1, 2)}, ValueError, "reward_range must be .*got"),
    "range upside down": ({"reward_range": (1, 0)}, ValueError, r"\(smallest, largest\).*\(1, 0\)"),
    "range empty": ({"reward_range": (1, 1)}, ValueError, r"\(smallest, largest\), got \(1, 1\)"),
    "range endless": ({"reward_range": (0, math.inf)}, ValueError, "reward_range must be finite"),
    "range words": ({"reward_range": ("0", "1")}, TypeError, "reward_range must be a number"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments_are_named_with_their_value(case):
    changes, kind, message = BAD_ARGUMENTS[case]
    with pytest.raises(kind, match=message):
        hire(**changes)


@pytest.mark.parametrize("policy", ["LinUCB", None, rb.policies.LinUCB, 7], ids=repr)
def test_a_policy_that_is_no_recipe_is_refused(policy):
    with pytest.raises(TypeError, match=r"policy must be a recipe, .*LinUCB\(\); got"):
        rb.Agent(policy, arms=4, dim=3)


@pytest.mark.parametrize("name", ["RobustBandit", "BOBNoRestart"])
def test_a_missing_horizon_is_asked_for(name):
    with pytest.raises(ValueError, match=r"needs to know the horizon: .*rounds=\.\.\."):
        hire(name, rounds=None)


def test_arguments_after_the_policy_need_their_names():
    with pytest.raises(TypeError, match="positional"):
        rb.Agent(RECIPES["LinUCB"], 4, 3)


# ------------------------------------------------------------------------------------------ seeds


def choices(agent, count=60):
    contexts = np.tile(contexts_of(np.random.default_rng(0), 1), (4, 1))  # ties, for LinUCB
    return [agent.choose(contexts).arm for _ in range(count)]


@pytest.mark.parametrize("name", RECIPES)
def test_seeds_matter_and_equal_seeds_repeat(name):
    by_seed = [choices(hire(name, seed=seed)) for seed in (1, 2, 3)]
    assert len({tuple(row) for row in by_seed}) == 3
    assert choices(hire(name, seed=np.int64(1))) == by_seed[0]


@pytest.mark.parametrize("name", ["LinTS", "BOBNoRestart"])
def test_no_seed_is_another_stream_each_time(name):
    assert choices(hire(name, seed=None)) != choices(hire(name, seed=None))


def test_no_seed_is_needed():
    first, second = (rb.Agent(RECIPES["LinTS"], arms=4, dim=3) for _ in range(2))
    assert choices(first) == choices(second) == choices(hire("LinTS", seed=0))


def test_agents_of_one_recipe_share_nothing():
    recipe = RECIPES["LinUCB"]
    one, other = hire(recipe), hire(recipe)
    before = bits(other)
    train(one, 20)
    assert bits(other) == before


# ----------------------------------------------------------------------------------------- copies

COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda agent: pickle.loads(pickle.dumps(agent))}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", RECIPES)
def test_a_copy_goes_on_by_itself(name, way):
    agent = veteran(name)
    agent.scores(np.eye(3))  # fills what is made on first use
    twin = COPIES[way](agent)
    before = bits(agent)
    assert bits(twin) == before
    train(twin, 20)
    twin.learn(21, 0.5)
    assert bits(agent) == before
    train(agent, 20)
    agent.learn(21, 0.5)
    assert bits(twin) == bits(agent)


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_draws_from_its_own_stream_after_the_original_is_gone(way):
    agent = hire("LinTS")
    expected = choices(hire("LinTS"))
    twin = COPIES[way](agent)
    del agent
    gc.collect()
    hoard = [np.full(64, 255, dtype=np.uint8) for _ in range(2000)]  # reuse what was freed
    assert choices(twin) == expected
    del hoard
