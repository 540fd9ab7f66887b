"""``robustbandits cache``: machine code, factors and data on disk."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from robustbandits.cli.failures import usage_errors

app = typer.Typer(
    help="Show, fill or clear what is kept on disk: machine code, factors, data.",
    rich_markup_mode=None,
)


class Kind(StrEnum):
    """What can be cleared, because it can be computed again."""

    kernels = "kernels"
    factors = "factors"


class Kept(NamedTuple):
    """One kind of files on disk."""

    name: str
    folder: Path
    paths: list[Path]  # files and folders of this package; nothing else is touched

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(_size(path) for path in self.paths)


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

    if as_json:
        listed: list[dict[str, Any]] = [
            {
                "name": kept.name,
                "folder": str(kept.folder),
                "entries": len(kept.paths),
                "bytes": kept.size,
            }
            for kept in _find()
        ]
        typer.echo(json.dumps(listed, indent=2))
        return
    for kept in _find():
        typer.echo(f"{kept.name:8} {decimal(kept.size):>10}  {kept.folder}")


@app.command("clear")
def clear(
    kinds: Annotated[list[Kind] | None, typer.Argument(help="Both if left out.")] = None,
) -> None:
    """Delete compiled kernels and factors; they are made again when needed. Data are kept.

    Example: robustbandits cache clear kernels
    """
    from rich.filesize import decimal

    wanted = {kind.value for kind in (kinds or list(Kind))}
    for kept in _find():
        if kept.name not in wanted:
            continue
        size = kept.size
        for path in kept.paths:
            _delete(path)
        typer.echo(f"{kept.name}: {len(kept.paths)} deleted, {decimal(size)}")


@app.command("fill")
def fill(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[POLICY]...", help="All if left out.")
    ] = None,
) -> None:
    """Compile policies for games and agents now, on all cores, for example for a container image.

    Example: robustbandits cache fill LinUCB CautiousLinUCB
    """
    from robustbandits.compiled.jit import cache_root, keeps_machine_code
    from robustbandits.experiments.precompile import compile_ahead, compile_attacks
    from robustbandits.experiments.registry import find_kind, kinds

    chosen = names or list(kinds("policies"))
    with usage_errors("POLICY"):
        for name in chosen:
            find_kind("policies", name)
    if not keeps_machine_code():
        raise ValueError(
            f"machine code cannot be kept: {cache_root()} is not writable, or NUMBA_DISABLE_JIT "
            f"is set"
        )
    start = time.monotonic()
    compile_ahead(chosen, on_policy=lambda name: typer.echo(f"compiled {name}"))
    compile_attacks()
    count = "1 policy" if len(chosen) == 1 else f"{len(chosen)} policies"
    typer.echo(f"compiled {count} and all attacks in {time.monotonic() - start:.0f} s")


def _find() -> list[Kept]:
    from robustbandits.compiled.jit import GENERATIONS, cache_root
    from robustbandits.ratings.factor_cache import cache_folder
    from robustbandits.ratings.locate import data_dir

    generation = re.compile(f"(?:{'|'.join(GENERATIONS)})-[0-9a-f]{{20}}")
    factors = re.compile(r"[0-9a-f]{40}\.npz")
    return [
        Kept("kernels", cache_root(), _list(cache_root(), generation.fullmatch)),
        Kept("factors", cache_folder(), _list(cache_folder(), factors.fullmatch)),
        Kept("data", data_dir(), _list(data_dir(), bool)),
    ]


def _list(folder: Path, is_ours: Callable[[str], Any]) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if is_ours(path.name))


def _size(path: Path) -> int:
    """Return the bytes of a file or folder; 0 if another process deletes it meanwhile."""
    try:
        if path.is_dir():
            return sum(_size(inner) for inner in path.iterdir())
        return path.stat().st_size
    except OSError:
        return 0


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
