"""Where machine code is kept: what the name of a directory depends on, and which are deleted."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

import robustbandits
from property.laws import Recorder
from robustbandits import _jit
from robustbandits.game.play import play
from robustbandits.game.problem import Problem

PACKAGE = Path(robustbandits.__file__).parent


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    """A cache of our own."""
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


def generation(number: int) -> str:
    return f"{number:020x}"


def open_in_turn(root: Path, names: list[str]) -> None:
    """Open directories, each a minute younger than the one before."""
    for age, name in enumerate(names):
        _jit._open_directory(name)
        os.utime(root / name, (1e9 + 60 * age, 1e9 + 60 * age))


def test_the_cache_is_where_the_user_wants_it(root):
    assert _jit.cache_root() == root


def test_the_cache_is_the_users_own_by_default(monkeypatch):
    monkeypatch.delenv("ROBUSTBANDITS_CACHE", raising=False)
    assert _jit.cache_root() == Path(platformdirs.user_cache_dir("robustbandits")) / "kernels"


def test_opening_makes_the_directory_and_returns_it(root):
    assert _jit._open_directory(generation(1)) == str(root / generation(1))
    assert (root / generation(1)).is_dir()


def test_a_directory_that_cannot_be_made_is_none(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path / "file" / "kernels"))
    assert _jit._open_directory(generation(1)) is None


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_directory_that_cannot_be_written_is_none(root):
    (root / generation(1)).mkdir(parents=True)
    (root / generation(1)).chmod(0o500)
    assert _jit._open_directory(generation(1)) is None


def test_old_generations_are_deleted_and_the_newest_kept(root):
    names = [generation(number) for number in range(9)]
    open_in_turn(root, names)
    left = {path.name for path in root.iterdir()}
    assert left == set(names[-_jit.GENERATIONS :])


def test_opening_a_known_generation_deletes_nothing(root):
    names = [generation(number) for number in range(_jit.GENERATIONS)]
    open_in_turn(root, names)
    (root / "late").mkdir()
    _jit._open_directory(names[0])
    assert {path.name for path in root.iterdir()} == {*names, "late"}


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="every directory in the cache's root is taken for an old generation",
)
def test_directories_of_other_people_are_never_deleted(root):
    precious = root / "thesis"
    precious.mkdir(parents=True)
    (precious / "chapter1.tex").write_text("years of work")
    os.utime(precious, (1e8, 1e8))
    open_in_turn(root, [generation(number) for number in range(9)])
    assert (precious / "chapter1.tex").exists()


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="policies from outside count as generations and push out the package's own",
)
def test_the_packages_own_code_outlives_many_policies_from_outside(root):
    open_in_turn(root, ["own", *(generation(number) for number in range(_jit.GENERATIONS))])
    assert (root / "own").is_dir()


def test_the_hash_depends_on_every_byte_and_name(tmp_path):
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("x = 1\n")
    other.write_text("y = 1\n")
    before = _jit.source_hash([one, other])
    assert _jit.source_hash([one, other]) == before
    assert _jit.source_hash([one]) != before
    assert _jit.source_hash([other, one]) != before
    other.write_text("y = 2\n")
    assert _jit.source_hash([one, other]) != before


def test_every_file_with_a_kernel_is_hashed():
    hashed = set(_jit.source_files())
    for path in PACKAGE.rglob("*.py"):
        lines = {line.strip() for line in path.read_text().splitlines()}
        if lines & {"@kernel", "@program"}:
            assert path in hashed, f"{path} holds kernels but is not in KERNEL_SOURCES"


@pytest.mark.skipif(not _jit.jit_is_on, reason="without the JIT nothing is compiled")
def test_states_of_the_package_share_one_loop_and_others_get_their_own():
    problem = Problem(arms=2, dim=2, rounds=5)
    own = robustbandits.policies.LinUCB().start(problem)
    outside = Recorder(robustbandits.policies.LinUCB()).start(problem)
    assert _jit.compiled_for(play, own) is play
    assert _jit.compiled_for(play, outside) is not play
    assert _jit.compiled_for(play, outside) is _jit.compiled_for(play, outside)
