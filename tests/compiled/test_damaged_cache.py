"""Damaged files of the compile cache are found before they are used, and replaced."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from robustbandits.compiled import fallback, jit
from robustbandits.compiled.fallback import PerformanceWarning

pytestmark = pytest.mark.skipif(not jit.jit_is_on, reason="without the JIT nothing is compiled")


def add_one(number):
    return number + 1


def flip_bit(content: bytes, position: float) -> bytes:
    index = int(position * (len(content) - 1))
    return content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :]


DAMAGE = {
    "emptied": lambda content: b"",
    "truncated by a byte": lambda content: content[:-1],
    "truncated": lambda content: content[: len(content) // 2],
    "cut within the checksum": lambda content: content[:5],
    "longer": lambda content: content + b"\0",
    **{
        f"bit flipped at {position}": lambda content, position=position: flip_bit(content, position)
        for position in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
    },
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache that holds one function."""
    monkeypatch.setattr(fallback, "_warned_subjects", set())
    assert jit.compile_into(str(tmp_path), add_one)(1) == 2
    return tmp_path


def was_cached(folder: Path) -> bool:
    """Whether a new process would find the function in the cache."""
    function = jit.compile_into(str(folder), add_one)
    assert function(1) == 2
    return bool(function.stats.cache_hits)


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_replaced_with_one_warning(folder, ending, damage):
    (file,) = folder.rglob(f"*.{ending}")
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    with pytest.warns(PerformanceWarning, match=f"compiled again, because .*{ending} is damaged"):
        assert not was_cached(folder)
    assert was_cached(folder)  # a second warning would be an error


def test_several_damaged_files_give_one_warning(folder):
    assert jit.compile_into(str(folder), add_one)(1.5) == 2.5
    for file in folder.rglob("*.nbc"):
        file.write_bytes(b"")
    function = jit.compile_into(str(folder), add_one)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert (function(1), function(1.5)) == (2, 2.5)
    assert len(caught) == 1


def test_a_missing_file_is_compiled_again_without_a_warning(folder):
    (file,) = folder.rglob("*.nbc")
    file.unlink()
    assert not was_cached(folder)
    assert was_cached(folder)


FULL_DISK = """
import resource, sys
from robustbandits.compiled import jit
from compiled.test_damaged_cache import add_one

resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
print([jit.compile_into(sys.argv[1], add_one)(number) for number in (1, 1.5)])
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
def test_functions_are_used_uncached_if_files_cannot_be_written(tmp_path):
    """A limit on the size of files stands for a full disk."""
    tests = str(Path(__file__).parents[1])
    path = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "[2, 2.5]\n", done.stderr
    assert done.stderr.count("every process compiles code") == 1
    assert "free disk space" in done.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
