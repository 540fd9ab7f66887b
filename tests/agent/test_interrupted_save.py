"""If saving fails, or the process is killed, the old file is still there, complete."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import robustbandits as rb
from agent.agents import contents, make_agent, reload, train, trained_agent
from robustbandits import _atomic


class FullDisk:
    """A file on a disk that has room for one more write."""

    def __init__(self, file):
        self.file = file
        self.writes = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def write(self, part):
        self.writes += 1
        if self.writes > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(part)


def open_on_full_disk(path, mode):
    return FullDisk(Path(path).open(mode))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def fail_at(stage, error, monkeypatch):
    """Make saving fail at a stage."""

    def fail(*arguments, **options):
        raise error

    if stage == "open":
        monkeypatch.setattr(_atomic, "open", fail, raising=False)
    elif stage == "write":
        monkeypatch.setattr(_atomic, "open", open_on_full_disk, raising=False)
    elif stage == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(os, "replace", fail)


ERRORS = [OSError(errno.EIO, "I/O error"), OSError("odd"), KeyboardInterrupt(), MemoryError()]
FAILURES = [(stage, error) for stage in ("open", "fsync", "replace") for error in ERRORS]
FAILURES += [("write", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))]


@pytest.mark.parametrize(("stage", "error"), FAILURES, ids=repr)
def test_a_failed_save_keeps_the_old_file_and_leaves_no_other(stage, error, tmp_path):
    path, agent = tmp_path / "agent.rb", trained_agent()
    agent.save(path)
    old = path.read_bytes()
    train(agent, 5)
    with pytest.MonkeyPatch.context() as patch:
        fail_at(stage, error, patch)
        with pytest.raises(type(error)):
            agent.save(path)
    assert path.read_bytes() == old
    assert names(tmp_path) == ["agent.rb"]
    assert contents(reload(agent, path)) == contents(agent)  # the next save works


@pytest.mark.parametrize("stage", ["open", "write", "fsync", "replace"])
def test_a_failed_first_save_leaves_no_file(stage, tmp_path, monkeypatch):
    fail_at(stage, OSError(errno.EIO, "I/O error"), monkeypatch)
    with pytest.raises(OSError, match=r"agent\.rb"):
        make_agent().save(tmp_path / "agent.rb")
    assert names(tmp_path) == []


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_the_error_names_the_file_and_not_the_draft(code, tmp_path, monkeypatch):
    fail_at("open", OSError(code, os.strerror(code), "draft.tmp"), monkeypatch)
    with pytest.raises(OSError, match=rf"{os.strerror(code)}: '.*agent\.rb'$"):
        make_agent().save(tmp_path / "agent.rb")


def test_a_missing_folder_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing.agent\.rb'$"):
        make_agent().save(tmp_path / "missing" / "agent.rb")


def test_saving_over_a_folder_is_an_error(tmp_path):
    (tmp_path / "agent.rb").mkdir()
    with pytest.raises(OSError, match=r"agent\.rb"):
        make_agent().save(tmp_path / "agent.rb")
    assert names(tmp_path) == ["agent.rb"]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
def test_the_permissions_of_an_existing_file_are_kept(tmp_path):
    path = tmp_path / "agent.rb"
    make_agent().save(path)
    path.chmod(0o600)
    make_agent().save(path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_saving_to_a_link_replaces_the_file_that_it_points_to(tmp_path):
    (tmp_path / "store").mkdir()
    link, target = tmp_path / "agent.rb", tmp_path / "store" / "real.rb"
    link.symlink_to(target)
    make_agent().save(link)
    agent = trained_agent()
    agent.save(link)
    assert link.is_symlink()
    assert contents(rb.Agent.load(target)) == contents(agent)
    assert names(tmp_path / "store") == ["real.rb"]


# Repeatedly start a process that saves all the time, kill it, and read the file.
KILL_OFTEN = """
import os, random, signal, sys, time
from agent.agents import contents, make_agent, train
import robustbandits as rb

path = sys.argv[1]
agents = [make_agent("LinTS", pending=2000)]
for number in range(1, 25):
    before = rb.Agent.load(path) if number > 1 else make_agent("LinTS", pending=2000)
    agents.append(train(before, 1))
    for _ in range(50):
        agents[-1].choose([[0.1, 0.2, 0.3]])
    agents[-1].save(path)
known = [contents(agent) for agent in agents]
found = set()
for _ in range(40):
    child = os.fork()
    if child == 0:
        while True:
            for agent in agents:
                agent.save(path)
    time.sleep(random.uniform(0.001, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found.add(known.index(contents(rb.Agent.load(path))))
print(len(found), len(os.listdir(os.path.dirname(path))) - 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_killed_while_saving_leaves_a_complete_file(tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILL_OFTEN, str(tmp_path / "agent.rb")]
    outcome = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr
    states, drafts = map(int, outcome.stdout.split())
    assert states > 1  # processes were killed at different moments,
    assert drafts > 0  # and some of them in the middle of a save


def test_saving_deletes_old_drafts_of_the_same_file_only(tmp_path):
    path = tmp_path / "agent.rb"
    long_ago = time.time() - 100_000
    for name in (".agent.rb.0123456789ab.tmp", ".other.rb.0123456789ab.tmp", ".agent.rb.tmp"):
        (tmp_path / name).write_bytes(b"unfinished")
        os.utime(tmp_path / name, (long_ago, long_ago))
    (tmp_path / ".agent.rb.ba9876543210.tmp").write_bytes(b"another process is writing it")
    make_agent().save(path)
    others = [".agent.rb.ba9876543210.tmp", ".agent.rb.tmp", ".other.rb.0123456789ab.tmp"]
    assert names(tmp_path) == [*others, "agent.rb"]
