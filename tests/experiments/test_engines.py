"""Engines: how work is split and sent, and that every engine gives the same bits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from experiments.lab import TOY, Failing, bits, small_plan, small_spec
from robustbandits.experiments.engines import messages
from robustbandits.experiments.engines.engine import (
    EngineError,
    MatchPart,
    Stopped,
    check_engine,
    open_engine,
)
from robustbandits.experiments.engines.messages import pack_match, play_message
from robustbandits.experiments.runner import add_recipes, run
from robustbandits.experiments.scheduler import split
from robustbandits.experiments.store.store import Store


def small_match(**changes) -> MatchPart:
    plan = small_plan()
    return add_recipes(plan.spec, plan.matches)[0]._replace(**changes)


@given(st.integers(0, 30), st.integers(1, 20), st.integers(1, 40))
def test_parts_join_to_the_matches_and_no_worker_is_idle(matches, games, workers):
    whole = [
        MatchPart(TOY, [(m, g) for g in range(games)], list(range(games)), 10, m, 10)
        for m in range(matches)
    ]
    parts = split(whole, workers)
    joined = [([], []) for _ in whole]
    for index, part in parts:
        assert part.pairs
        assert part._replace(pairs=(), names=()) == whole[index]._replace(pairs=(), names=())
        joined[index][0].extend(part.pairs)
        joined[index][1].extend(part.names)
    assert joined == [(list(match.pairs), list(match.names)) for match in whole]
    assert len(parts) >= min(workers, matches)
    cut = {index for index, _ in parts if len([i for i, _ in parts if i == index]) > 1}
    assert len(cut) < workers  # drawing the same rounds again is only worth it at the end


@pytest.mark.parametrize(
    "name",
    ["thread", "", "ray", "Dask", "dask://", "dask://host:port", "dask://host:0", "dask://:9", "x"],
)
def test_an_unknown_engine_is_refused(name):
    with pytest.raises(ValueError, match=r"must be one of threads, processes, dask, dask://host"):
        open_engine(name, None)


@pytest.mark.parametrize("name", ["dask://host", "dask://10.0.0.1:8786", "dask://[::1]:9000"])
def test_the_address_of_a_cluster_is_an_engine(name):
    check_engine(name)


def test_recipes_and_labels_reach_a_match():
    plan = small_plan()
    match = add_recipes(plan.spec, plan.matches)[2]
    assert (match.environment, match.rounds, match.seed, match.points) == (TOY, 200, 2, 50)
    for (attack, policy), names in zip(match.pairs, match.names, strict=True):
        assert names == ("toy", attack.name, policy.name)


def test_a_message_is_plain_and_plays_the_same_bits():
    match = small_match(rounds=300, seed=3)
    message = pack_match(match)
    json.dumps(message)
    assert bits(play_message(message)) == bits(match.play())


def test_a_recipe_that_cannot_be_pickled_is_sent_as_it_is():
    class Local(rb.policies.LinUCB):
        """A class that Dask can send, with its code."""

    policy = Local()
    _, packed = pack_match(small_match(pairs=[(rb.attacks.NoAttack(), policy)]))
    assert packed.pairs[0][1] is policy


@pytest.mark.parametrize("what", ["robustbandits", "kernel version", "source code"])
def test_a_worker_with_different_code_raises_an_error(what):
    code, packed = pack_match(small_match())
    with pytest.raises(EngineError, match=rf"differ in {what}: .* here, other there"):
        play_message(({**code, what: "other"}, packed))


def test_a_worker_with_different_data_raises_an_error():
    code, packed = pack_match(small_match())
    section, text, fingerprint = packed.environment
    assert fingerprint is None
    packed = packed._replace(environment=(section, text, "0badc0de"))
    with pytest.raises(EngineError, match="different data for Simulation"):
        messages.play_message((code, packed))


def test_an_engine_counts_every_round():
    counts = []
    engine = open_engine("threads", 2, counts.append)
    for future in [engine.submit(small_match(rounds=1000, seed=seed)) for seed in range(3)]:
        future.result()
    engine.stop()
    assert sum(counts) == 3 * small_match(rounds=1000).size == 12_000


def test_a_stopped_engine_stops_playing():
    engine = open_engine("threads", 1)
    wide = rb.environments.Simulation(arms=50, dim=50)  # few rounds make a block
    matches = [small_match(environment=wide, rounds=10**9, seed=seed) for seed in range(2)]
    futures = [engine.submit(match) for match in matches]
    engine.stop()
    for future in futures:  # the first may not have begun either
        assert future.cancelled() or isinstance(future.exception(), Stopped)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_every_engine_gives_the_same_bits(engine, tmp_path):
    if engine == "dask":
        pytest.importorskip("distributed")
    spec = small_spec(rounds=3000, seeds=3)
    expected = run(spec, workers=1, progress=False)
    outcome = run(spec, tmp_path / engine, engine=engine, workers=2, progress=False)
    assert (outcome.played, outcome.found, outcome.elsewhere) == (3, 0, 0)
    assert bits(outcome.ledgers()) == bits(expected.ledgers())


def test_a_failing_match_is_named_and_the_finished_ones_are_stored(tmp_path):
    plan = small_plan(environments={"toy": Failing(ArithmeticError("failed"))})
    with pytest.raises(ArithmeticError, match="failed") as caught:
        run(plan, tmp_path, workers=1, progress=False)
    assert any("(toy, seed 1)" in note for note in caught.value.__notes__)
    assert Store(tmp_path).missing(plan) == list(plan.matches[1:])
