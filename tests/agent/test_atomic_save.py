"""A crash while saving keeps the old file, whole."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

import robustbandits as rb
from agent.players import bits, hire, train, veteran


class Full:
    """A file on a disk that has room for one more part."""

    def __init__(self, file):
        self.file = file
        self.parts = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def write(self, part):
        self.parts += 1
        if self.parts > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(part)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def break_at(stage, trouble, monkeypatch):
    """Let saving fail at a stage, as if the machine had."""

    def fail(*arguments, **options):
        raise trouble

    if stage == "open":
        monkeypatch.setattr(Path, "open", fail)
    elif stage == "write":
        really_open = Path.open
        monkeypatch.setattr(Path, "open", lambda *given: Full(really_open(*given)))
    elif stage == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)


TROUBLES = [OSError(errno.EIO, "I/O error"), OSError("odd"), KeyboardInterrupt(), MemoryError()]
CRASHES = [(stage, trouble) for stage in ("open", "fsync", "replace") for trouble in TROUBLES]
CRASHES += [("write", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))]


@pytest.mark.parametrize(("stage", "trouble"), CRASHES, ids=repr)
def test_an_error_at_any_stage_keeps_the_old_file_and_leaves_no_other(stage, trouble, tmp_path):
    path, agent = tmp_path / "agent.rb", veteran()
    agent.save(path)
    old = path.read_bytes()
    train(agent, 5)
    with pytest.MonkeyPatch.context() as patch:
        break_at(stage, trouble, patch)
        with pytest.raises(type(trouble)):
            agent.save(path)
    assert path.read_bytes() == old
    assert names(tmp_path) == ["agent.rb"]
    agent.save(path)  # and the agent itself is none the worse
    assert bits(rb.Agent.load(path)) == bits(agent)


@pytest.mark.parametrize("stage", ["open", "write", "fsync", "replace"])
def test_an_error_at_the_first_save_leaves_nothing(stage, tmp_path, monkeypatch):
    break_at(stage, OSError(errno.EIO, "I/O error"), monkeypatch)
    with pytest.raises(OSError, match=r"agent\.rb"):
        hire().save(tmp_path / "agent.rb")
    assert names(tmp_path) == []


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_an_error_names_the_file_that_was_asked_for(code, tmp_path, monkeypatch):
    break_at("open", OSError(code, os.strerror(code), "draft.tmp"), monkeypatch)
    with pytest.raises(OSError, match=rf"{os.strerror(code)}: '.*agent\.rb'$"):
        hire().save(tmp_path / "agent.rb")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do anything")
def test_a_folder_without_permission_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match=r"agent\.rb"):
        hire().save(tmp_path / "agent.rb")


def test_a_missing_folder_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing.agent\.rb'$"):
        hire().save(tmp_path / "missing" / "agent.rb")


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path):
    (tmp_path / "agent.rb").mkdir()
    with pytest.raises(OSError, match=r"agent\.rb"):
        hire().save(tmp_path / "agent.rb")
    assert names(tmp_path) == ["agent.rb"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
def test_a_private_file_stays_private(tmp_path):
    path = tmp_path / "agent.rb"
    hire().save(path)
    path.chmod(0o600)
    hire().save(path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    (tmp_path / "store").mkdir()
    link, target = tmp_path / "agent.rb", tmp_path / "store" / "real.rb"
    link.symlink_to(target)
    hire().save(link)
    agent = veteran()
    agent.save(link)
    assert link.is_symlink()
    assert bits(rb.Agent.load(target)) == bits(agent)
    assert names(tmp_path / "store") == ["real.rb"]


# Starts a process that saves without pause, kills it, and looks at the file; many times.
KILLS = """
import os, random, signal, sys, time
from agent.players import bits, hire, train
import robustbandits as rb

path, limit = sys.argv[1], 25
expected = [hire("LinTS", pending=2000)]
for number in range(1, limit):
    expected.append(train(rb.Agent.load(path) if number > 1 else hire("LinTS", pending=2000), 1))
    for _ in range(50):
        expected[-1].choose([[0.1, 0.2, 0.3]])
    expected[-1].save(path)
known = [bits(agent) for agent in expected]
found = set()
for _ in range(40):
    child = os.fork()
    if child == 0:
        while True:
            for agent in expected:
                agent.save(path)
    time.sleep(random.uniform(0.001, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found.add(known.index(bits(rb.Agent.load(path))))
print(len(found), len(os.listdir(os.path.dirname(path))) - 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_killed_while_saving_leaves_a_whole_file(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", KILLS, str(tmp_path / "agent.rb")]
    outcome = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr
    states, drafts = map(int, outcome.stdout.split())
    assert states > 1  # the kills came at different moments,
    assert drafts > 0  # some of them in the middle of a save
