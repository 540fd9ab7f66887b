"""Where machine code is kept: what a directory's name depends on, and which are deleted."""

import ast
import os
import stat
from pathlib import Path

import platformdirs
import pytest

import robustbandits
from property.laws import Recorder
from robustbandits.compiled import cache, checked_cache, fallback, jit
from robustbandits.compiled.fallback import PerformanceWarning
from robustbandits.game.play import play
from robustbandits.game.problem import Problem

PACKAGE = Path(robustbandits.__file__).parent

KINDS = pytest.mark.parametrize("kind", ["own", "outside"])
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")
NEEDS_JIT = pytest.mark.skipif(not jit.jit_is_on, reason="without the JIT nothing is compiled")


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path / "kernels"))
    monkeypatch.setattr(fallback, "_warned_subjects", set())
    return tmp_path / "kernels"


def source(root: Path, number: int) -> Path:
    """Return one of many source files."""
    path = root.parent / f"source{number}.py"
    path.write_text(f"x = {number}")
    return path


def open_many(root: Path, kind: str, count: int) -> list[str]:
    """Open directories, each a minute younger than the one before; return their names."""
    names = []
    for age in range(count):
        directory = cache.open_directory(kind, [source(root, age)])
        assert directory is not None
        os.utime(directory, (1e9 + 60 * age, 1e9 + 60 * age))
        names.append(Path(directory).name)
    return names


def names_in(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def test_the_environment_variable_sets_the_cache(root):
    assert cache.cache_root() == root


def test_the_default_cache_is_in_the_users_cache_directory(monkeypatch):
    monkeypatch.delenv("ROBUSTBANDITS_CACHE", raising=False)
    assert cache.cache_root() == Path(platformdirs.user_cache_dir("robustbandits")) / "kernels"


@KINDS
def test_open_directory_creates_a_directory_named_by_the_sources(root, kind):
    file = source(root, 1)
    directory = cache.open_directory(kind, [file])
    assert directory == str(root / f"{kind}-{cache.source_hash([file])}")
    assert Path(directory).is_dir()


def test_open_directory_returns_none_if_it_cannot_create_one(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROBUSTBANDITS_CACHE", str(tmp_path / "file" / "kernels"))
    monkeypatch.setattr(fallback, "_warned_subjects", set())
    with pytest.warns(PerformanceWarning, match="cannot be written to: set ROBUSTBANDITS_CACHE"):
        assert cache.open_directory("own", []) is None


@KINDS
def test_only_the_newest_directories_are_kept(root, kind):
    limit = cache.GENERATIONS[kind]
    names = open_many(root, kind, limit + 4)
    assert len(set(names)) == limit + 4
    assert names_in(root) == set(names[4:])


@KINDS
def test_opening_an_existing_directory_deletes_nothing(root, kind):
    names = open_many(root, kind, cache.GENERATIONS[kind])
    cache.open_directory(kind, [source(root, 0)])
    assert names_in(root) == set(names)


@KINDS
@pytest.mark.parametrize("name", ["thesis", "own", "own-work", "outside-" + "0" * 19, "0" * 20])
def test_other_directories_are_never_deleted(root, kind, name):
    (root / name).mkdir(parents=True)
    (root / name / "chapter1.tex").write_text("")
    os.utime(root / name, (1e8, 1e8))
    open_many(root, kind, cache.GENERATIONS[kind] + 4)
    assert (root / name / "chapter1.tex").exists()


def test_third_party_directories_do_not_displace_our_own(root):
    (own,) = open_many(root, "own", 1)
    open_many(root, "outside", cache.GENERATIONS["outside"] + 4)
    assert own in names_in(root)


def test_the_hash_depends_on_contents_names_and_order(tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("x = 1\n")
    second.write_text("y = 1\n")
    before = cache.source_hash([first, second])
    assert cache.source_hash([first, second]) == before
    assert cache.source_hash([first]) != before
    assert cache.source_hash([second, first]) != before
    second.write_text("y = 2\n")
    assert cache.source_hash([first, second]) != before


def has_kernels(path):
    functions = [
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)
    ]
    decorators = {ast.unparse(name) for node in functions for name in node.decorator_list}
    return bool(decorators & {"kernel", "program"})


def test_every_file_with_a_kernel_is_hashed():
    with_kernels = {path for path in PACKAGE.rglob("*.py") if has_kernels(path)}
    assert PACKAGE / "game" / "play.py" in with_kernels
    assert with_kernels <= set(cache.source_files()), "add them to KERNEL_SOURCES"


@NEEDS_JIT
def test_only_third_party_states_get_a_separate_loop():
    problem = Problem(arms=2, dim=2, rounds=5)
    own = robustbandits.policies.LinUCB().start(problem)
    third_party = Recorder(robustbandits.policies.LinUCB()).start(problem)
    assert jit.compiled_for(play, own) is play
    assert jit.compiled_for(play, third_party) is not play
    assert jit.compiled_for(play, third_party) is jit.compiled_for(play, third_party)


@NEEDS_JIT
def test_two_processes_never_write_the_same_file(root, monkeypatch):
    """Otherwise Numba's index might lead to the file that the other process wrote."""
    files = checked_cache.CheckedFiles(str(root), "function")
    for process, key in (("0000aaaa", "integers"), ("0000bbbb", "floats")):
        monkeypatch.setattr(checked_cache, "PROCESS", process)
        files.save(key, f"code for {key}")
        (root / "function.nbi").unlink()  # both read the index before either writes it
    assert len(list(root.glob("*.nbc"))) == 2


@POSIX
@pytest.mark.skipif(IS_ROOT, reason="root may write anywhere")
def test_a_read_only_directory_is_used_with_one_warning(root):
    (name,) = open_many(root, "own", 1)
    (root / name).chmod(0o500)
    with pytest.warns(PerformanceWarning, match="cannot be written to"):
        assert cache.open_directory("own", [source(root, 0)]) == str(root / name)
    assert cache.open_directory("own", [source(root, 0)])  # a second warning would be an error


@POSIX
def test_only_the_user_may_open_a_new_directory(root):
    (name,) = open_many(root, "own", 1)
    assert stat.S_IMODE((root / name).stat().st_mode) == 0o700


@POSIX
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_directory_that_others_may_write_to_is_not_used(root, mode):
    (name,) = open_many(root, "own", 1)
    (root / name).chmod(mode)
    with pytest.warns(PerformanceWarning, match=r"other users could .* only you can change"):
        assert cache.open_directory("own", [source(root, 0)]) is None


@pytest.mark.skipif(not IS_ROOT, reason="only root may give files away")
def test_a_directory_of_another_user_is_not_used(root):
    (name,) = open_many(root, "own", 1)
    os.chown(root / name, 12345, -1)
    with pytest.warns(PerformanceWarning, match="other users could"):
        assert cache.open_directory("own", [source(root, 0)]) is None
