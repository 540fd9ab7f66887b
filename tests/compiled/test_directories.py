"""Where machine code is kept: what the name of a directory depends on, and which are deleted."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

import robustbandits
from property.laws import Recorder
from robustbandits.compiled import jit
from robustbandits.game.play import play
from robustbandits.game.problem import Problem

PACKAGE = Path(robustbandits.__file__).parent


KINDS = pytest.mark.parametrize("kind", ["own", "outside"])


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    """A cache of our own."""
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


def source(root: Path, number: int) -> Path:
    """A source file, one of many."""
    path = root.parent / f"source{number}.py"
    path.write_text(f"x = {number}")
    return path


def open_many(root: Path, kind: str, count: int) -> list[str]:
    """Open directories, each a minute younger than the one before; return their names."""
    names = []
    for age in range(count):
        directory = jit._open_directory(kind, [source(root, age)])
        assert directory is not None
        os.utime(directory, (1e9 + 60 * age, 1e9 + 60 * age))
        names.append(Path(directory).name)
    return names


def left_in(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def test_the_cache_is_where_the_user_wants_it(root):
    assert jit.cache_root() == root


def test_the_cache_is_the_users_own_by_default(monkeypatch):
    monkeypatch.delenv("ROBUSTBANDITS_CACHE", raising=False)
    assert jit.cache_root() == Path(platformdirs.user_cache_dir("robustbandits")) / "kernels"


@KINDS
def test_opening_makes_a_directory_named_by_the_sources(root, kind):
    file = source(root, 1)
    directory = jit._open_directory(kind, [file])
    assert directory == str(root / f"{kind}-{jit.source_hash([file])}")
    assert Path(directory).is_dir()


def test_a_directory_that_cannot_be_made_is_none(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path / "file" / "kernels"))
    assert jit._open_directory("own", []) is None


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_directory_that_cannot_be_written_is_none(root):
    (name,) = open_many(root, "own", 1)
    (root / name).chmod(0o500)
    assert jit._open_directory("own", [source(root, 0)]) is None


@KINDS
def test_old_generations_are_deleted_and_the_newest_kept(root, kind):
    kept = jit.GENERATIONS[kind]
    names = open_many(root, kind, kept + 4)
    assert len(set(names)) == kept + 4
    assert left_in(root) == set(names[4:])


@KINDS
def test_opening_a_known_generation_deletes_nothing(root, kind):
    names = open_many(root, kind, jit.GENERATIONS[kind])
    jit._open_directory(kind, [source(root, 0)])
    assert left_in(root) == set(names)


@KINDS
@pytest.mark.parametrize("name", ["thesis", "own", "own-work", "outside-" + "0" * 19, "0" * 20])
def test_directories_of_other_people_are_never_deleted(root, kind, name):
    (root / name).mkdir(parents=True)
    (root / name / "chapter1.tex").write_text("years of work")
    os.utime(root / name, (1e8, 1e8))
    open_many(root, kind, jit.GENERATIONS[kind] + 4)
    assert (root / name / "chapter1.tex").exists()


def test_the_packages_own_code_outlives_many_policies_from_outside(root):
    (own,) = open_many(root, "own", 1)
    open_many(root, "outside", jit.GENERATIONS["outside"] + 4)
    assert own in left_in(root)


def test_the_hash_depends_on_every_byte_and_name(tmp_path):
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("x = 1\n")
    other.write_text("y = 1\n")
    before = jit.source_hash([one, other])
    assert jit.source_hash([one, other]) == before
    assert jit.source_hash([one]) != before
    assert jit.source_hash([other, one]) != before
    other.write_text("y = 2\n")
    assert jit.source_hash([one, other]) != before


def test_every_file_with_a_kernel_is_hashed():
    hashed = set(jit.source_files())
    for path in PACKAGE.rglob("*.py"):
        lines = {line.strip() for line in path.read_text().splitlines()}
        if lines & {"@kernel", "@program"}:
            assert path in hashed, f"{path} holds kernels but is not in KERNEL_SOURCES"


@pytest.mark.skipif(not jit.jit_is_on, reason="without the JIT nothing is compiled")
def test_states_of_the_package_share_one_loop_and_others_get_their_own():
    problem = Problem(arms=2, dim=2, rounds=5)
    own = robustbandits.policies.LinUCB().start(problem)
    outside = Recorder(robustbandits.policies.LinUCB()).start(problem)
    assert jit.compiled_for(play, own) is play
    assert jit.compiled_for(play, outside) is not play
    assert jit.compiled_for(play, outside) is jit.compiled_for(play, outside)


@pytest.mark.skipif(not jit.jit_is_on, reason="without the JIT nothing is compiled")
def test_two_processes_at_once_never_mix_up_their_machine_code(root, monkeypatch):
    """Numba's index would lead to the file of whoever wrote last."""
    directory = jit._open_directory("own", [source(root, 1)])
    files = []
    for name in ("0000aaaa", "0000bbbb"):
        monkeypatch.setattr(jit, "OURS", name)
        files.append(jit._compile(add_one, directory)._cache._cache_file)
    for other in files:  # both look before either writes
        monkeypatch.setattr(other, "_load_index", dict)
    files[0].save("integers", "code for integers")
    files[1].save("floats", "code for floats")
    files[0]._save_data(files[0]._data_name(1), "code for integers")
    monkeypatch.undo()
    assert files[1].load("floats") == "code for floats"


def add_one(number):
    return number + 1
