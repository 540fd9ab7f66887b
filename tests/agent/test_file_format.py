"""The file is what docs/agent-file.md says it is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import robustbandits as rb
from agent.files import unpack
from agent.players import bits, hire, theta, train, veteran
from catalogue import CORE

PAGE = (Path(__file__).parents[2] / "docs" / "agent-file.md").read_text(encoding="utf-8")


def table(title):
    """Return the rows of the table of this title, as lists of cells."""
    lines = PAGE[PAGE.index(f"| {title} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def listed(text):
    return re.findall(r"`([^`]+)`", text)


RIDGE = [listed(row[0])[0].removeprefix("*.ridge.") for row in table("array")[:5]]


def promised(name):
    """Return the arrays that the page lists for a policy."""
    for names in (listed(arrays) for policy, arrays in table("policy") if policy == name):
        stars = [name.removesuffix("*") for name in names if name.endswith("*")]
        whole = [name for name in names if not name.endswith("*")]
        return {*(star + field for star in stars for field in RIDGE), *whole, "pending"}
    raise AssertionError(f"docs/agent-file.md does not list the arrays of {name}")


@pytest.mark.parametrize("name", CORE)
def test_a_policy_has_the_arrays_that_the_page_lists(name, tmp_path):
    veteran(name).save(tmp_path / "agent.rb")
    _, arrays = unpack((tmp_path / "agent.rb").read_bytes())
    assert set(arrays) == promised(name)


def test_the_header_has_the_entries_that_the_page_lists(tmp_path):
    hire().save(tmp_path / "agent.rb")
    header, _ = unpack((tmp_path / "agent.rb").read_bytes())
    assert [*header, "arrays"] == [listed(row[0])[0] for row in table("entry")]


def test_numbers_of_the_file_mean_what_the_page_says(tmp_path):
    agent = train(hire("RobustLinUCB"), 30)
    contexts = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.8]])
    decisions = [agent.choose(contexts) for _ in range(2)]
    agent.save(tmp_path / "agent.rb")
    header, arrays = unpack((tmp_path / "agent.rb").read_bytes())
    ridge = {field: arrays[f"state.optimist.ridge.{field}"] for field in RIDGE}
    assert ridge["theta"].tolist() == theta(agent).tolist()
    np.testing.assert_allclose(ridge["gram"] @ ridge["inverse"], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(ridge["gram"] @ ridge["theta"], ridge["moment"], atol=1e-12)
    log_det = np.linalg.slogdet(ridge["gram"] / header["policy"]["ridge"])[1]
    np.testing.assert_allclose(ridge["tally"][:2], [30, log_det], rtol=1e-12)
    assert header["policy"]["name"] == "RobustLinUCB"
    assert header["policy"]["budget"] == 5.0
    assert header["next"] == 32
    rows = [[d.id, d.arm, 0, 0, 0, 0, *contexts[d.arm]] for d in decisions]
    assert arrays["pending"].tolist() == rows


def test_the_stream_of_the_file_is_numpys(tmp_path):
    agent = train(hire("LinTS"), 5)
    agent.save(tmp_path / "agent.rb")
    header, _ = unpack((tmp_path / "agent.rb").read_bytes())
    stream = np.random.PCG64()
    stream.state = {
        "bit_generator": header["stream"]["kind"],
        "state": {
            "state": int(header["stream"]["state"], 16),
            "inc": int(header["stream"]["increment"], 16),
        },
        "has_uint32": header["stream"]["has_uint32"],
        "uinteger": header["stream"]["uinteger"],
    }
    loaded = rb.Agent.load(tmp_path / "agent.rb")
    expected = np.random.Generator(stream).random(8).tolist()
    assert loaded._rng.random(8).tolist() == expected


def test_the_page_names_every_limit():
    from robustbandits.agent.file import MAX_HEADER, VERSION
    from robustbandits.agent.file_checks import MAX_LOAD

    assert f"at most {MAX_HEADER:,}" in PAGE
    assert f"{MAX_LOAD // 1024**2} MiB" in PAGE
    assert f"format, the number {VERSION}" in PAGE


def test_a_file_of_format_1_is_read_for_ever():
    agent = hire("Greedy", arms=2, dim=2, rounds=None)  # what was saved there, played anew
    agent.learn(agent.choose([[1.0, 0.0], [0.0, 1.0]]), 1.0)
    agent.choose([[0.5, 0.5], [0.25, 0.0]])
    loaded = rb.Agent.load(Path(__file__).with_name("format-1.rb"))
    assert bits(loaded) == bits(agent)
    np.testing.assert_allclose(theta(loaded), [0, 1 / 1.1], rtol=1e-12)
    loaded.learn(1, 0.5)
