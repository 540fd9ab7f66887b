"""The versions, machine and commit that made a result; no names of people or hosts."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shutil
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from robustbandits._cores import available_cores
from robustbandits._version import __version__
from robustbandits.compiled.cache import PACKAGE, source_files
from robustbandits.compiled.jit import jit_is_on
from robustbandits.experiments.plan import KERNEL_VERSION
from robustbandits.experiments.registry import SECTIONS
from robustbandits.experiments.spec import Spec
from robustbandits.game.recipe import class_version


def provenance(spec: Spec | None = None) -> dict[str, Any]:
    """Return the provenance of a result made now, as plain values for JSON.

    With a spec, its versions name each class of a recipe whose version is above 1.
    """
    return {
        "versions": versions() | ({} if spec is None else _recipe_versions(spec)),
        "machine": machine(),
        "commit": commit(),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions of everything that a result may depend on."""
    found = {
        "robustbandits": __version__,
        "kernel": str(KERNEL_VERSION),
        "python": platform.python_version(),
    }
    for package in ("numpy", "numba", "pyarrow"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def _recipe_versions(spec: Spec) -> dict[str, str]:
    kinds = {type(recipe) for key in SECTIONS for recipe in getattr(spec, key).values()}
    changed = sorted((kind.__name__, class_version(kind)) for kind in kinds)
    names = [f"{name} {number}" for name, number in changed if number > 1]
    return {"recipes": ", ".join(names)} if names else {}


@functools.cache
def machine() -> dict[str, Any]:
    """Return a summary of this machine."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": available_cores(),
        "memory_gb": _memory_gb(),
        "compiled": jit_is_on,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _memory_gb() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None


@functools.cache
def commit() -> str | None:
    """Return the commit of a checkout ("-dirty" if edited), or None for an installed package."""
    git = shutil.which("git")
    if git is None:
        return None
    if _output(git, "ls-files", "--error-unmatch", "_version.py") is None:
        return None  # the package is installed inside another project's checkout
    return _output(git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")


def _output(*command: str) -> str | None:
    try:
        done = subprocess.run(
            command,
            cwd=PACKAGE,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},  # do not write
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


@functools.cache
def code_fingerprint() -> str:
    """Return a hash of all code that can change a result."""
    folder = PACKAGE / "environments"
    digest = hashlib.sha256()
    for path in (*source_files(), *sorted(folder.rglob("*.py"))):
        # Git may use other line ends on another system, which changes no result.
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + text + b"\0")
    return digest.hexdigest()[:20]
