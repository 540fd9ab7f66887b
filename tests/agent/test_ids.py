"""Ids of decisions are unique over processes, copies and restarts, and sortable by time."""

import copy
import os
import pickle
import time

import numpy as np
import pytest

import robustbandits as rb
from agent.agents import contents, file_of, make_agent, reload
from agent.files import MAGIC, pack, unpack
from robustbandits.agent import SnapshotError, ids

SHOWN = np.eye(4, 3)


def test_ids_are_strings_of_128_bits():
    decision_id = make_agent().choose(SHOWN).id
    assert type(decision_id) is str
    assert len(decision_id) == 32
    assert f"{int(decision_id, 16):032x}" == decision_id


def test_the_ids_of_all_agents_are_sorted_by_time():
    agents = [make_agent(), make_agent()]
    issued = []
    for round_number in range(200):
        issued.append(agents[round_number % 2].choose(SHOWN).id)
        time.sleep(1e-5)  # ids of different agents in the same microsecond have no order
    assert issued == sorted(issued)
    assert len(set(issued)) == len(issued)


def test_ids_increase_even_if_the_clock_goes_back(monkeypatch):
    agent = make_agent()
    first = agent.choose(SHOWN).id
    monkeypatch.setattr("robustbandits.agent.pending.time_ns", lambda: 0)
    issued = [first, *(agent.choose(SHOWN).id for _ in range(100))]
    assert issued == sorted(set(issued))


def test_a_reward_of_a_decision_lost_in_a_crash_trains_no_other_decision(tmp_path):
    agent = make_agent()
    agent.save(tmp_path / "agent.rb")
    lost = agent.choose(SHOWN)
    loaded = rb.Agent.load(tmp_path / "agent.rb")  # after a crash
    new = loaded.choose(SHOWN)
    before = contents(loaded)
    for decision in (lost, lost.id):
        with pytest.raises(KeyError, match=r"decision [0-9a-f]{32}: probably another agent"):
            loaded.learn(decision, 0.5)
    assert contents(loaded) == before
    loaded.learn(new, 0.5)


def test_an_id_issued_after_the_save_is_recognized(tmp_path):
    agent = make_agent()
    agent.choose(SHOWN)
    loaded = reload(agent, tmp_path / "agent.rb")
    lost = agent.choose(SHOWN)
    loaded.choose(SHOWN)
    with pytest.raises(KeyError, match="probably it was issued after the save from which this"):
        loaded.learn(lost.id, 0.5)


def test_two_agents_loaded_from_one_file_refuse_the_ids_of_each_other(tmp_path):
    agent = make_agent()
    waiting = agent.choose(SHOWN)
    first, second = (reload(agent, tmp_path / "agent.rb") for _ in range(2))
    decision = first.choose(SHOWN)
    second.choose(SHOWN)
    with pytest.raises(KeyError, match="probably another agent issued it"):
        second.learn(decision, 0.5)
    first.learn(waiting.id, 0.5)  # both have the decisions that were saved
    second.learn(waiting.id, 0.5)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
def test_copies_issue_ids_of_their_own(duplicate):
    agent = make_agent()
    waiting = agent.choose(SHOWN)
    twin = duplicate(agent)
    decision = agent.choose(SHOWN)
    twin.choose(SHOWN)
    with pytest.raises(KeyError, match="does not know"):
        twin.learn(decision, 0.5)
    twin.learn(waiting, 0.5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_issues_ids_of_its_own():
    agent = make_agent()
    before = agent.choose(SHOWN).id
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, agent.choose(SHOWN).id.encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reader, 100).decode()
    ours = agent.choose(SHOWN).id
    assert before[13:] == ours[13:] != theirs[13:]
    assert len(theirs) == 32


def test_a_decision_of_an_earlier_session_is_learned_once(tmp_path):
    agent = make_agent()
    decisions = []
    for _ in range(ids.MAX_SESSIONS + 20):  # more than are remembered without pending decisions
        decisions.append(agent.choose(SHOWN))
        agent = reload(agent, tmp_path / "agent.rb")
    for decision in decisions:
        agent.learn(decision.id, 0.5)
    with pytest.raises(KeyError, match="already has its reward"):
        agent.learn(decisions[0].id, 0.5)


def test_only_some_old_sessions_are_remembered(tmp_path):
    agent = make_agent()
    for _ in range(ids.MAX_SESSIONS + 20):
        agent.learn(agent.choose(SHOWN), 0.5)
        agent = reload(agent, tmp_path / "agent.rb")
    _, arrays = unpack(file_of(agent))
    assert len(arrays["sessions"]) < ids.MAX_SESSIONS


def test_saving_and_loading_without_a_decision_adds_no_session(tmp_path):
    agent = make_agent()
    agent.choose(SHOWN)
    again = reload(reload(agent, tmp_path / "agent.rb"), tmp_path / "agent.rb")
    assert file_of(again) == file_of(agent)


# -------------------------------------------------------------------------- files of format 1


@pytest.fixture
def format_1(tmp_path):
    """An agent whose pending decisions 3, 5 and 6 are in a file of format 1."""
    agent = make_agent()
    decisions = [agent.choose(SHOWN) for _ in range(7)]
    for index in (0, 1, 2, 4):
        agent.learn(decisions[index], 0.5)
    header, arrays = unpack(file_of(agent))
    del arrays["sessions"], header["last_forgotten"], header["decisions"]
    header |= {"next": 7, "forgotten": 0}
    arrays["pending"][:, 0] = 3, 5, 6
    path = tmp_path / "old.rb"
    path.write_bytes(pack(header, arrays, magic=MAGIC[:7] + b"\x01"))
    return path


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("kind", [int, np.int64, np.uint8])
def test_whole_numbers_of_a_file_of_format_1_are_accepted(again, kind, format_1, tmp_path):
    agent = rb.Agent.load(format_1)
    if again:
        agent.choose(SHOWN)
        agent = reload(agent, tmp_path / "agent.rb")
    assert "decisions=8" in repr(agent) if again else "decisions=7" in repr(agent)
    for number in (6, 3, 5):
        agent.learn(kind(number), 0.5)
    reasons = {0: "was forgotten", 4: "already has its reward", 7: "never issued"}
    for number, reason in reasons.items():
        with pytest.raises(KeyError, match=reason):
            agent.learn(number, 0.5)
    new = agent.choose(SHOWN)
    assert type(new.id) is str
    with pytest.raises(KeyError, match=r"does not know|already"):
        agent.learn(int(new.id[:13], 16), 0.5)
    agent.learn(new.id, 0.5)


SESSIONS = {
    "shape": np.zeros((1, 2)),
    "nan": [[np.nan, 1, 1]],
    "not whole": [[1 << 48, 0.5, 1]],
    "number small": [[5, 1, 1]],
    "number huge": [[1 << 52, 1, 1]],
    "random part negative": [[1 << 48, -1, 1]],
    "random part huge": [[1 << 48, 1, 16**10]],
    "twice": [[1 << 48, 1, 1], [1 << 48, 1, 2]],
    "after the pending": [[(1 << 52) - 2, 1, 1]],
    "format 1 later": [[1 << 48, -1, -1]],
    "none": np.zeros((0, 3)),
}


@pytest.mark.parametrize("case", SESSIONS)
def test_hostile_sessions_are_refused(case, tmp_path):
    agent = make_agent()
    agent.choose(SHOWN)
    header, arrays = unpack(file_of(agent))
    arrays["sessions"] = np.array(SESSIONS[case], dtype=float)
    (tmp_path / "bad.rb").write_bytes(pack(header, arrays))
    with pytest.raises(SnapshotError, match="session"):
        rb.Agent.load(tmp_path / "bad.rb")
