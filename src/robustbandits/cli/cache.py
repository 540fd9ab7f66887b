"""``robustbandits cache``: machine code, factors and data on disk."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import time
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from robustbandits.cli.failures import usage_errors

app = typer.Typer(
    help="Show, fill or clear what is kept on disk.\n\n"
    "That is compiled kernels, factors and data. Without a command, shows their folders and sizes.",
    rich_markup_mode=None,
)


class Kind(StrEnum):
    """What can be cleared, because it can be computed again."""

    kernels = "kernels"
    factors = "factors"


@app.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the folders of compiled kernels, factors and data, and their sizes.

    Example: robustbandits cache
    """
    if context.invoked_subcommand is not None:
        return
    from rich.filesize import decimal

    rows: list[dict[str, Any]] = [
        {"name": name, "folder": str(folder), "entries": len(paths), "bytes": _size(paths)}
        for name, (folder, paths) in _find().items()
    ]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        typer.echo(f"{row['name']:8} {decimal(row['bytes']):>10}  {row['folder']}")


@app.command("clear")
def clear(
    kinds: Annotated[
        list[Kind] | None, typer.Argument(help="What to delete; default: both.")
    ] = None,
) -> None:
    """Delete compiled kernels and factors.

    Example: robustbandits cache clear kernels

    They are computed again when they are needed. Downloaded data are not deleted.
    """
    from rich.filesize import decimal

    found = _find()
    for kind in kinds or list(Kind):
        _, paths = found[kind.value]
        size = _size(paths)
        for path in paths:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        typer.echo(f"{kind.value}: {len(paths)} deleted, {decimal(size)}")


@app.command("fill")
def fill(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="POLICY", help="Names of policies; default: all.")
    ] = None,
) -> None:
    """Compile policies ahead of time, on all cores.

    Example: robustbandits cache fill LinUCB CautiousLinUCB

    Games and agents then start without a delay, for example in a container image.
    """
    from robustbandits.compiled.cache import cache_root
    from robustbandits.compiled.jit import keeps_machine_code
    from robustbandits.experiments.precompile import compile_ahead
    from robustbandits.experiments.registry import find_kind, kinds

    chosen = names or list(kinds("policies"))
    with usage_errors("POLICY"):
        for name in chosen:
            find_kind("policies", name)
    if not keeps_machine_code():
        raise ValueError(
            f"machine code cannot be kept on disk: {cache_root()} is not writable, or "
            f"NUMBA_DISABLE_JIT is set. Set ROBUSTBANDITS_CACHE to a folder that is writable, and "
            f"unset NUMBA_DISABLE_JIT"
        )
    start = time.monotonic()
    compile_ahead(
        chosen, list(kinds("attacks")), on_done=lambda name: typer.echo(f"compiled {name}")
    )
    count = "1 policy" if len(chosen) == 1 else f"{len(chosen)} policies"
    typer.echo(f"compiled {count} and all attacks in {time.monotonic() - start:.0f} s")


def _find() -> dict[str, tuple[Path, list[Path]]]:
    """Return folders, each with its files and folders that belong to this package."""
    from robustbandits.compiled.cache import GENERATIONS, cache_root
    from robustbandits.ratings.factor_cache import cache_folder
    from robustbandits.ratings.locate import data_dir

    patterns = {
        "kernels": (cache_root(), f"(?:{'|'.join(GENERATIONS)})-[0-9a-f]{{20}}"),
        "factors": (cache_folder(), r"[0-9a-f]{40}\.npz"),
        "data": (data_dir(), ".*"),
    }
    found = {}
    for name, (folder, pattern) in patterns.items():
        inside = sorted(folder.iterdir()) if folder.is_dir() else []
        found[name] = folder, [path for path in inside if re.fullmatch(pattern, path.name)]
    return found


def _size(paths: Iterable[Path]) -> int:
    """Return the bytes of files and folders; those that another process deletes count as 0."""
    total = 0
    for path in paths:
        with contextlib.suppress(OSError):
            total += _size(path.iterdir()) if path.is_dir() else path.stat().st_size
    return total
