"""Creating an agent: its arguments, its seed, and copies of it."""

import copy
import gc
import math
import pickle

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import RECIPES, contents, draw_contexts, make_agent, train, trained_agent

BAD_ARGUMENTS = {
    "arms": ({"arms": 0}, ValueError, "arms must be >= 1, got 0"),
    "seed": ({"seed": -1}, ValueError, "seed must be >= 0, got -1"),
    "pending": ({"pending": 0}, ValueError, "pending must be >= 1, got 0"),
    "range a number": ({"reward_range": 5}, ValueError, "reward_range must be .*got 5"),
    "range reversed": ({"reward_range": (1, 0)}, ValueError, r"\(smallest, largest\).*\(1, 0\)"),
    "range empty": ({"reward_range": (1, 1)}, ValueError, r"\(smallest, largest\), got \(1, 1\)"),
    "range infinite": ({"reward_range": (0, math.inf)}, ValueError, "reward_range must be finite"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_a_bad_argument_is_an_error_with_its_name_and_value(case):
    changes, kind, message = BAD_ARGUMENTS[case]
    with pytest.raises(kind, match=message):
        make_agent(**changes)


@pytest.mark.parametrize("policy", ["LinUCB", None, rb.policies.LinUCB, 7], ids=repr)
def test_a_policy_that_is_no_recipe_is_refused(policy):
    with pytest.raises(TypeError, match=r"policy must be a recipe, .*LinUCB\(\); got"):
        rb.Agent(policy, arms=4, dim=3)


def choices(agent, count=60):
    contexts = np.tile(draw_contexts(np.random.default_rng(0), 1), (4, 1))  # all arms are equal
    return [agent.choose(contexts).arm for _ in range(count)]


@pytest.mark.parametrize("name", RECIPES)
def test_equal_seeds_give_equal_choices_and_others_do_not(name):
    by_seed = [choices(make_agent(name, seed=seed)) for seed in (1, 2, 3)]
    assert len({tuple(row) for row in by_seed}) == 3
    assert choices(make_agent(name, seed=np.int64(1))) == by_seed[0]


def test_seed_none_gives_other_choices_each_time():
    assert choices(make_agent("LinTS", seed=None)) != choices(make_agent("LinTS", seed=None))


COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda agent: pickle.loads(pickle.dumps(agent))}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", RECIPES)
def test_a_copy_continues_independently(name, way):
    agent = trained_agent(name)
    waiting = agent.choose(np.eye(4, 3))
    twin = COPIES[way](agent)
    before = contents(agent)
    assert contents(twin) == before
    train(twin, 20).learn(waiting, 0.5)
    assert contents(agent) == before
    train(agent, 20).learn(waiting, 0.5)
    assert contents(twin) == contents(agent)


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_draws_from_its_own_stream_after_the_original_is_gone(way):
    agent = make_agent("LinTS")
    expected = choices(make_agent("LinTS"))
    twin = COPIES[way](agent)
    del agent
    gc.collect()
    blocks = [np.full(64, 255, dtype=np.uint8) for _ in range(2000)]  # overwrite freed memory
    assert choices(twin) == expected
    del blocks
