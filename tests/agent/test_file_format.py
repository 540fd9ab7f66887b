"""Agent files are as docs/agent-file.md describes them."""

import re
from pathlib import Path

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import contents, file_of, make_agent, theta, train, trained_agent
from agent.files import unpack
from agent.third_party import RoundRobin
from catalogue import CORE

PAGE = (Path(__file__).parents[2] / "docs" / "agent-file.md").read_text(encoding="utf-8")


def table(title):
    """Return the rows of the table whose first heading is this, as lists of cells."""
    lines = PAGE[PAGE.index(f"| {title} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


RIDGE = [quoted(row[0])[0].removeprefix("*.ridge.") for row in table("array")[:5]]


def documented_arrays(name):
    """Return the arrays that the page lists for a policy."""
    for names in (quoted(arrays) for policy, arrays in table("policy") if policy == name):
        stars = [name.removesuffix("*") for name in names if name.endswith("*")]
        whole = [name for name in names if not name.endswith("*")]
        return {*(star + field for star in stars for field in RIDGE), *whole, "sessions", "pending"}
    raise AssertionError(f"docs/agent-file.md does not list the arrays of {name}")


@pytest.mark.parametrize("name", CORE)
def test_a_policy_has_the_arrays_that_the_page_lists(name):
    _, arrays = unpack(file_of(trained_agent(name)))
    assert set(arrays) == documented_arrays(name)


def test_the_header_has_the_entries_that_the_page_lists():
    header, _ = unpack(file_of(make_agent()))
    assert [*header, "arrays"] == [quoted(row[0])[0] for row in table("entry")]


def test_the_numbers_of_a_file_mean_what_the_page_says():
    agent = train(make_agent("RobustLinUCB"), 30)
    contexts = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.8]])
    decisions = [agent.choose(contexts) for _ in range(2)]
    header, arrays = unpack(file_of(agent))
    ridge = {field: arrays[f"state.optimist.ridge.{field}"] for field in RIDGE}
    assert ridge["theta"].tolist() == theta(agent).tolist()
    np.testing.assert_allclose(ridge["gram"] @ ridge["inverse"], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(ridge["gram"] @ ridge["theta"], ridge["moment"], atol=1e-12)
    log_det = np.linalg.slogdet(ridge["gram"] / header["policy"]["ridge"])[1]
    np.testing.assert_allclose(ridge["tally"][:2], [30, log_det], rtol=1e-12)
    assert header["policy"]["name"] == "RobustLinUCB"
    assert header["policy"]["budget"] == 5.0
    assert header["decisions"] == 32
    numbers = [int(decision.id[:13], 16) for decision in decisions]
    assert header["next"] == numbers[-1] + 1
    rows = [
        [number, d.arm, 0, 0, 0, 0, *contexts[d.arm]]
        for number, d in zip(numbers, decisions, strict=True)
    ]
    assert arrays["pending"].tolist() == rows
    _, high, low = arrays["sessions"][0]
    assert f"{int(high):09x}{int(low):010x}" == decisions[0].id[13:]


def test_the_stream_of_a_file_is_that_of_numpy():
    agent = train(
        make_agent(RoundRobin()), 5
    )  # its second sum is that of the random numbers it drew
    header, arrays = unpack(file_of(agent))
    saved = header["stream"]
    state = {"state": int(saved["state"], 16), "inc": int(saved["increment"], 16)}
    spare = {"has_uint32": saved["has_uint32"], "uinteger": saved["uinteger"]}
    stream = np.random.PCG64()
    stream.state = {"bit_generator": saved["kind"], "state": state, **spare}
    drawn = np.random.Generator(stream).random()
    _, later = unpack(file_of(train(agent, 1)))
    assert later["state.sums"][1] == arrays["state.sums"][1] + drawn


def test_the_page_names_every_limit():
    from robustbandits.agent.file_contents import MAX_LOAD
    from robustbandits.agent.file_format import MAX_HEADER, VERSION

    assert f"at most {MAX_HEADER:,}" in PAGE
    assert f"{MAX_LOAD // 1024**2} MiB" in PAGE
    assert f"format, the number {VERSION}" in PAGE


def test_a_file_of_format_1_can_be_loaded():
    agent = make_agent("Greedy", arms=2, dim=2, rounds=None)  # plays what was played for the file
    agent.learn(agent.choose([[1.0, 0.0], [0.0, 1.0]]), 1.0)
    agent.choose([[0.5, 0.5], [0.25, 0.0]])
    loaded = rb.Agent.load(Path(__file__).with_name("format-1.rb"))
    assert contents(loaded) == contents(agent)
    np.testing.assert_allclose(theta(loaded), [0, 1 / 1.1], rtol=1e-12)
    loaded.learn(1, 0.5)
