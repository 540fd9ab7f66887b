"""``robustbandits cache``: what is kept on disk, and how to be rid of it."""

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

app = typer.Typer(
    help="Show, fill or clear what is kept on disk: machine code, factors, data.",
    rich_markup_mode=None,
)


class Kind(StrEnum):
    """What may be cleared: all of it can be made again."""

    kernels = "kernels"
    factors = "factors"


class Shelf(NamedTuple):
    """One kind of thing that is kept."""

    name: str
    folder: Path
    files: list[Path]  # files and folders that are ours; nothing else is ever touched


@app.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show where compiled kernels, factors and data are kept, and how much room they take.

    Example: robustbandits cache
    """
    if context.invoked_subcommand is not None:
        return
    from robustbandits.experiments.estimate import readable_bytes

    rows = [(shelf, sum(_size(path) for path in shelf.files)) for shelf in _shelves()]
    if as_json:
        listed: list[dict[str, Any]] = [
            {"name": s.name, "folder": str(s.folder), "entries": len(s.files), "bytes": size}
            for s, size in rows
        ]
        typer.echo(json.dumps(listed, indent=2))
        return
    for shelf, size in rows:
        typer.echo(f"{shelf.name:8} {readable_bytes(size):>10}  {shelf.folder}")


@app.command("clear")
def clear(
    kinds: Annotated[list[Kind] | None, typer.Argument(help="Both when left out.")] = None,
) -> None:
    """Delete compiled kernels and factors; they are made again when needed. Data stay.

    Example: robustbandits cache clear kernels
    """
    from robustbandits.experiments.estimate import readable_bytes

    wanted = {kind.value for kind in (kinds or list(Kind))}
    for shelf in _shelves():
        if shelf.name not in wanted:
            continue
        size = sum(_size(path) for path in shelf.files)
        for path in shelf.files:
            _delete(path)
        typer.echo(f"{shelf.name}: {len(shelf.files)} deleted, {readable_bytes(size)}")


@app.command("fill")
def fill(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[POLICY]...", help="All when left out.")
    ] = None,
) -> None:
    """Compile policies now, on all cores, for games and for agents: when building an image, say.

    Example: robustbandits cache fill LinUCB CautiousLinUCB
    """
    from robustbandits.compiled.cache import cache_root
    from robustbandits.compiled.jit import keeps_machine_code
    from robustbandits.experiments.precompile import compile_ahead, compile_attacks
    from robustbandits.experiments.registry import kinds
    from robustbandits.experiments.samples import sample_policy

    chosen = names or list(kinds("policies"))
    try:
        for name in chosen:
            sample_policy(name)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="POLICY") from None
    if not keeps_machine_code():
        raise ValueError(
            f"nothing would be kept: {cache_root()} cannot be written, or NUMBA_DISABLE_JIT is set"
        )
    start = time.monotonic()
    compile_ahead(chosen, on_policy=lambda name: typer.echo(f"compiled {name}"))
    compile_attacks()
    count = "1 policy" if len(chosen) == 1 else f"{len(chosen)} policies"
    typer.echo(f"{count} and every attack are ready, after {time.monotonic() - start:.0f} s")


def _shelves() -> list[Shelf]:
    from robustbandits.compiled.cache import GENERATIONS, cache_root
    from robustbandits.ratings.factor_cache import cache_folder
    from robustbandits.ratings.locate import data_dir

    generation = re.compile(f"(?:{'|'.join(GENERATIONS)})-[0-9a-f]{{20}}")
    factors = re.compile(r"[0-9a-f]{40}\.npz")
    return [
        Shelf("kernels", cache_root(), _ours(cache_root(), generation.fullmatch)),
        Shelf("factors", cache_folder(), _ours(cache_folder(), factors.fullmatch)),
        Shelf("data", data_dir(), _ours(data_dir(), bool)),
    ]


def _ours(folder: Path, known: Callable[[str], Any]) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if known(path.name))


def _size(path: Path) -> int:
    """Bytes of a file or a folder; what vanishes meanwhile, as another process tidies up, is 0."""
    try:
        if path.is_dir():
            return sum(_size(one) for one in path.iterdir())
        return path.stat().st_size
    except OSError:
        return 0


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
