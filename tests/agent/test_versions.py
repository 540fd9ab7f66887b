"""An agent file of another version of its policy is upgraded or refused."""

import pytest

import robustbandits as rb
from agent.agents import contents, trained_agent
from agent.files import pack, unpack
from robustbandits.agent import SnapshotError

LinUCB = rb.policies.LinUCB


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.rb"


def header(path):
    return unpack(path.read_bytes())[0]


def test_the_first_version_is_not_written(path):
    trained_agent("LinUCB").save(path)
    assert set(header(path)["policy"]) == set(LinUCB().to_dict())


def test_a_file_of_the_same_version_is_read(path, monkeypatch):
    monkeypatch.setattr(LinUCB, "version", 2)
    agent = trained_agent("LinUCB")
    agent.save(path)
    assert header(path)["policy"]["class version"] == 2
    assert contents(rb.Agent.load(path)) == contents(agent)


def test_an_older_file_is_refused_with_the_remedy(path, monkeypatch):
    trained_agent("LinUCB").save(path)
    monkeypatch.setattr(LinUCB, "version", 2)
    message = "expected version 2 of LinUCB, got version 1, .*: start a new agent, or load this"
    with pytest.raises(SnapshotError, match=message):
        rb.Agent.load(path)


def test_an_older_file_is_read_by_a_policy_that_can_upgrade_it(path, monkeypatch):
    agent = trained_agent("LinUCB")
    agent.save(path)
    monkeypatch.setattr(LinUCB, "version", 2)
    upgrade = staticmethod(lambda arrays: arrays)
    monkeypatch.setattr(LinUCB, "upgrade_file", upgrade, raising=False)
    assert contents(rb.Agent.load(path)) == contents(agent)


def test_a_newer_file_is_refused_with_the_remedy(path, monkeypatch):
    monkeypatch.setattr(LinUCB, "version", 3)
    trained_agent("LinUCB").save(path)
    monkeypatch.undo()
    with pytest.raises(SnapshotError, match="expected version 1 of LinUCB, got version 3: update"):
        rb.Agent.load(path)


@pytest.mark.parametrize("version", [0, -1, 1.5, "2", None, True, [2]])
def test_an_impossible_version_is_refused(version, path):
    trained_agent("LinUCB").save(path)
    values, arrays = unpack(path.read_bytes())
    values["policy"]["class version"] = version
    path.write_bytes(pack(values, arrays))
    with pytest.raises(SnapshotError, match="version of its policy must be a whole number, got"):
        rb.Agent.load(path)
