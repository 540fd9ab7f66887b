"""Engines: how work is cut and sent, and that every engine gives the same bits."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import robustbandits as rb
from experiments.lab import bits, small_spec
from robustbandits.experiments.engines import messages
from robustbandits.experiments.engines.engine import (
    EngineError,
    Match,
    Stopped,
    ThreadEngine,
    check_engine,
    open_engine,
    split,
)
from robustbandits.experiments.engines.messages import play_order, write_order
from robustbandits.experiments.plan import make_plan
from robustbandits.experiments.runner import run
from robustbandits.experiments.scheduler import as_match
from robustbandits.experiments.store.store import Store
from robustbandits.game.match import play_match

TOY = rb.environments.Simulation(arms=4, dim=2)
PAIRS = [
    (attack, policy)
    for attack in (rb.attacks.NoAttack(), rb.attacks.Garcelon(5.0))
    for policy in (rb.policies.LinUCB(), rb.policies.Greedy())
]


@given(st.integers(0, 30), st.integers(1, 20), st.integers(1, 40))
def test_parts_join_to_the_matches_and_no_worker_is_idle(matches, games, workers):
    whole = [Match(TOY, list(range(100 * m, 100 * m + games)), 10, m) for m in range(matches)]
    parts = split(whole, workers)
    joined = [[] for _ in whole]
    for index, part in parts:
        assert part.pairs
        assert part._replace(pairs=()) == whole[index]._replace(pairs=())
        joined[index].extend(part.pairs)
    assert joined == [list(match.pairs) for match in whole]
    assert len(parts) >= min(workers, matches)
    cut = {index for index, _ in parts if len([i for i, _ in parts if i == index]) > 1}
    assert len(cut) < workers  # drawing the same rounds again is only worth it at the end


@pytest.mark.parametrize("name", ["thread", "", "dask://", "ray", "Dask"])
def test_an_engine_that_does_not_exist_is_refused(name):
    with pytest.raises(ValueError, match=r"engine must be one of threads, processes, dask"):
        check_engine(name)


@pytest.mark.parametrize("name", ["dask://host:port", "dask://host:0", "dask://:99999", "dask://:"])
def test_a_cluster_address_must_make_sense(name):
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match=r"dask://host:port"):
        open_engine(name, None)


def test_an_order_is_plain_and_plays_the_same_bits():
    order = write_order(Match(TOY, PAIRS, 300, 3, points=20))
    order = {**order, "pairs": [tuple(pair) for pair in order["pairs"]]}
    json.dumps(order)
    due = play_match(TOY, PAIRS, 300, 3, points=20)
    assert bits(play_order(order)) == bits(due)


@dataclasses.dataclass(frozen=True)
class Outsider(rb.policies.LinUCB):
    """A class that only this process knows."""


def test_an_outsiders_recipe_travels_as_it_is():
    outsider = Outsider()
    order = write_order(Match(TOY, [(rb.attacks.NoAttack(), outsider)], 10, 0))
    assert order["pairs"][0][1] is outsider


@pytest.mark.parametrize("what", ["robustbandits", "kernel version", "source code"])
def test_a_worker_with_other_code_refuses(what):
    order = write_order(Match(TOY, PAIRS, 10, 0))
    order["code"] = {**order["code"], what: "other"}
    with pytest.raises(EngineError, match=rf"differ in {what}: .* here, other there"):
        play_order(order)


def test_a_worker_with_other_data_refuses():
    packed = messages._pack(TOY)
    assert packed[2] is None
    with pytest.raises(EngineError, match="other data for Simulation"):
        messages._unpack((*packed[:2], "0badc0de"))


def test_a_stopped_engine_plays_no_further():
    engine = ThreadEngine(1)
    wide = rb.environments.Simulation(arms=50, dim=50)  # few rounds make a block
    first = engine.submit(Match(wide, PAIRS[:1], 10**9, 0))
    second = engine.submit(Match(wide, PAIRS[:1], 10**9, 1))
    engine.stop()
    for future in (first, second):  # the first may not have begun either
        assert future.cancelled() or isinstance(future.exception(), Stopped)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_every_engine_gives_the_same_bits(engine, tmp_path):
    if engine == "dask":
        pytest.importorskip("distributed")
    spec = small_spec(rounds=3000, seeds=3)
    due = run(spec, tmp_path / "threads", workers=1, progress=False)
    got = run(spec, tmp_path / engine, engine=engine, workers=2, progress=False)
    assert (got.played, got.found, got.elsewhere) == (3, 0, 0)
    assert bits(got.experiment().ledgers) == bits(due.experiment().ledgers)


class Broken:
    """An environment that fails in the second match."""

    name = "Broken"

    def to_dict(self):
        return {}

    def start(self, rounds, seed):
        if seed.entropy > 0:
            raise ArithmeticError("no luck")
        return TOY.start(rounds, seed)


def test_a_failing_match_is_named_and_the_finished_ones_are_stored(tmp_path):
    plan = make_plan(small_spec(environments={"toy": Broken()}, seeds=3))
    with pytest.raises(ArithmeticError, match="no luck") as caught:
        run(plan, tmp_path, workers=1, progress=False)
    assert any("(toy, seed 1)" in note for note in caught.value.__notes__)
    assert Store(tmp_path).missing(plan) == list(plan.matches[1:])


def test_planned_matches_get_their_recipes():
    plan = make_plan(small_spec())
    match = as_match(plan, plan.matches[2])
    assert (match.environment, match.rounds, match.seed, match.points) == (TOY, 200, 2, 50)
    assert [pair[0].name for pair in match.pairs] == [
        "NoAttack",
        "NoAttack",
        "Garcelon",
        "Garcelon",
    ]
