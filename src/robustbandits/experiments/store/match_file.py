"""The file of one match: Parquet with tidy rows for any tool, and everything else as JSON.

Files may come from other people. So nothing is unpickled, sizes are checked before memory is
allocated, and a digest of everything that is read finds a single flipped bit.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robustbandits._extras import missing_package
from robustbandits.experiments.plan import PlannedMatch
from robustbandits.game.ledger import Ledger

#: Increase this whenever older versions of the package can no longer read the files.
FORMAT = 1
#: Limits on the size of a file and on the memory that it takes.
MAX_BYTES = 1 << 30
MAX_ROWS = 20_000_000

_LABELS = ("environment", "attack", "policy")
_HEADER, _DIGEST = b"robustbandits", b"robustbandits.digest"
#: The numbers of each recorded round: the column's name, the ledger's field, and its type.
_COLUMNS = (
    ("round", "rounds", np.dtype(np.int64)),
    ("regret", "regret", np.dtype(np.float64)),
    ("reward", "reward", np.dtype(np.float64)),
    ("spent", "spent_so_far", np.dtype(np.float64)),
    ("attacked_rounds", "attacked_so_far", np.dtype(np.float64)),
)
_INTEGERS = ("attacked_rounds", "last_attack", "bad_proposals", "clipped_proposals")
_FLOATS = ("spent", "spent_on_contexts", "seen_reward")


class DamagedError(ValueError):
    """A damaged file."""


class NewerError(ValueError):
    """A file or a store made by a newer version of this package."""


class StoredMatch(NamedTuple):
    """A finished match, as it is stored in its file."""

    id: str
    spec: dict[str, Any]
    provenance: dict[str, Any]
    games: tuple[str, ...]  # ids, in the order of the ledgers
    length: int  # rounds of each game
    ledgers: list[Ledger]


def parquet() -> tuple[Any, Any]:
    """Return ``pyarrow`` and ``pyarrow.parquet``; they are optional, and imported when needed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_package("a store needs", "pyarrow", "lab") from None
    return pyarrow, pyarrow.parquet


def encode(match: StoredMatch) -> bytes:
    """Return the bytes of a match's file."""
    pa, pq = parquet()
    columns = {
        name: np.concatenate([getattr(ledger, field) for ledger in match.ledgers], dtype=kind)
        for name, field, kind in _COLUMNS
    }
    header = {
        "format": FORMAT,
        "id": match.id,
        "length": match.length,
        "points": len(match.ledgers[0].rounds),
        "environment": match.ledgers[0].environment,
        "seed": match.ledgers[0].seed,
        "games": [_entry(*game) for game in zip(match.games, match.ledgers, strict=True)],
        "spec": match.spec,
        "provenance": match.provenance,
    }
    _check(header, columns)  # never write what cannot be read back
    text = json.dumps(header).encode()  # keys stay in the order of the spec, as in the plan
    labels = tuple((ledger.environment, ledger.attack, ledger.policy) for ledger in match.ledgers)
    seeds = np.full(len(columns["round"]), header["seed"], dtype=np.int64)
    table = pa.table({**_label_columns(labels, header["points"]), "seed": seeds, **columns})
    digests = _digest(text) + b" " + _digest(text, columns)
    table = table.replace_schema_metadata({_HEADER: text, _DIGEST: digests})
    sink = pa.BufferOutputStream()
    names = [*_LABELS, "seed"]
    # LZ4 and no statistics: the file takes half as long to write and is 3 % larger.
    pq.write_table(table, sink, compression="lz4", use_dictionary=names, write_statistics=False)
    return sink.getvalue().to_pybytes()


@functools.lru_cache(maxsize=2)  # most matches of a plan have the same labels
def _label_columns(labels: tuple[tuple[str, str, str], ...], points: int) -> dict[str, Any]:
    """Return the labels as columns for other tools; :func:`decode` uses the header's."""
    pa, _ = parquet()
    game_of_row = pa.array(np.repeat(np.arange(len(labels), dtype=np.int32), points))
    return {
        # A dictionary holds each label once; otherwise Parquet writes the text of each row.
        name: pa.array(column).dictionary_encode().take(game_of_row)
        for name, column in zip(_LABELS, zip(*labels, strict=True), strict=True)
    }


def _entry(game: str, ledger: Ledger) -> dict[str, Any]:
    numbers = {name: getattr(ledger, name) for name in (*_INTEGERS, *_FLOATS)}
    labels = {"id": game, "attack": ledger.attack, "policy": ledger.policy}
    return {**labels, **numbers, "costs": dict(ledger.costs), "pulls": ledger.pulls.tolist()}


def _digest(text: bytes, columns: dict[str, Any] | None = None) -> bytes:
    """Return the digest of the header, or of the header and the numbers."""
    digest = hashlib.sha256(text)
    for column in () if columns is None else (columns[name] for name, _, _ in _COLUMNS):
        digest.update(np.ascontiguousarray(column).data)
    return digest.hexdigest().encode()


def decode(data: bytes, planned: PlannedMatch | None = None) -> StoredMatch:
    """Return the match in a file's bytes, or raise :class:`DamagedError`.

    Ledgers get the labels of the planned match; without one, those that the file was written with.
    """
    parquet()  # without pyarrow no file can be read, and none should count as damaged
    try:
        return _decode(data, planned)
    except (DamagedError, NewerError):
        raise
    except MemoryError:
        raise DamagedError("it needs more memory than there is") from None
    except Exception as error:  # the Parquet reader may raise anything on a damaged file
        raise DamagedError(f"{type(error).__name__}: {str(error)[:300]}") from error


def read_game_ids(path: Path) -> tuple[str, ...]:
    """Return the ids of the games in a file, without its numbers; none if it cannot be read."""
    _, pq = parquet()
    try:
        metadata = pq.read_metadata(path).metadata
        header = json.loads(metadata[_HEADER])
        return tuple(str(game["id"]) for game in header["games"])
    except Exception:  # the Parquet reader may raise anything on a damaged file
        return ()


def _decode(data: bytes, planned: PlannedMatch | None) -> StoredMatch:
    pa, pq = parquet()
    if len(data) > MAX_BYTES:
        raise DamagedError(f"it is larger than {MAX_BYTES} bytes")
    with pq.ParquetFile(pa.BufferReader(data)) as file:
        metadata = file.metadata.metadata or {}
        text, digests = metadata.get(_HEADER), metadata.get(_DIGEST, b"").split(b" ")
        if text is None:
            raise DamagedError("it is not the file of a match")
        if _digest(text) != digests[0]:  # checked first: a damaged file must not look "newer"
            raise DamagedError("its header does not match its digest")
        header = json.loads(text)
        if header["format"] > FORMAT:
            version = header["provenance"]["versions"]["robustbandits"]
            raise NewerError(f"it was made by robustbandits {version}: install that or newer")
        _check_size(file, header)
        # No threads: Arrow's pool may abort a process that ends soon after (apache/arrow#34314).
        table = file.read(columns=[name for name, _, _ in _COLUMNS], use_threads=False)
    columns = {name: _numbers(table, name, kind) for name, _, kind in _COLUMNS}
    if _digest(text, columns) != digests[1]:
        raise DamagedError("its numbers do not match its digest")
    _check(header, columns)
    return StoredMatch(
        id=header["id"],
        spec=header["spec"],
        provenance=header["provenance"],
        games=tuple(game["id"] for game in header["games"]),
        length=header["length"],
        ledgers=_ledgers(header, columns, planned),
    )


def _check_size(file: Any, header: dict[str, Any]) -> None:
    """Raise if the file would take too much memory; called before its rows are read."""
    meta = file.metadata
    groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
    if meta.num_rows > MAX_ROWS or sum(group.total_byte_size for group in groups) > MAX_BYTES:
        raise DamagedError(f"it needs too much memory: {meta.num_rows} rows")
    expected = len(header["games"]) * header["points"]
    if meta.num_rows != expected:
        raise DamagedError(f"expected {expected} rows, got {meta.num_rows}")
    if any(group.num_rows > meta.num_rows for group in groups):
        raise DamagedError("its row groups are larger than the file")


def _numbers(table: Any, name: str, kind: Any) -> Any:
    column = table.column(name)
    if column.null_count or column.type.to_pandas_dtype() is not kind.type:
        raise DamagedError(f"its column {name!r} must be {kind}, got {column.type}")
    return column.to_numpy()


def _check(header: dict[str, Any], columns: dict[str, Any]) -> None:
    """Raise if there are numbers that no game can produce."""
    games, points, length = len(header["games"]), header["points"], header["length"]
    if games < 1 or points < 1 or games * points > MAX_ROWS:
        raise DamagedError(f"{games} games of {points} recorded rounds do not fit into a file")
    shaped = {name: column.reshape(games, points) for name, column in columns.items()}
    rounds = shaped["round"]
    increase = rounds[0, 0] >= 1 and (rounds[0, 1:] > rounds[0, :-1]).all()
    if not increase or (rounds != rounds[0]).any():
        raise DamagedError("its recorded rounds do not increase")
    if rounds[0, -1] != length:
        raise DamagedError(f"its games end after {rounds[0, -1]} rounds, not {length}")
    for name, column in shaped.items():
        if not np.isfinite(column).all():
            raise DamagedError(f"its column {name!r} holds numbers that are not finite")
    for game in header["games"]:
        pulls = game["pulls"]
        if any(type(n) is not int or n < 0 for n in pulls) or sum(pulls) != length:
            raise DamagedError(f"the pulls of game {game['id']!r} do not add up to its rounds")
        if any(type(game[name]) is not int or game[name] < 0 for name in _INTEGERS):
            raise DamagedError(f"the counts of game {game['id']!r} are not whole numbers")
        sums = [*(game[name] for name in _FLOATS), *game.get("costs", {}).values()]
        if any(type(number) is not float or not math.isfinite(number) for number in sums):
            raise DamagedError(f"the sums of game {game['id']!r} are not finite numbers")


def _ledgers(
    header: dict[str, Any], columns: dict[str, Any], planned: PlannedMatch | None
) -> list[Ledger]:
    points, games = header["points"], header["games"]
    environment = header["environment"] if planned is None else planned.environment
    labels = [(game["attack"], game["policy"]) for game in games]
    if planned is not None:
        if len(planned.games) != len(games):
            raise DamagedError(f"expected {len(planned.games)} games, got {len(games)}")
        labels = [(game.attack, game.policy) for game in planned.games]
    ledgers = []
    for index, (game, (attack, policy)) in enumerate(zip(games, labels, strict=True)):
        rows = slice(index * points, (index + 1) * points)
        arrays = {field: columns[name][rows].copy() for name, field, _ in _COLUMNS}
        ledgers.append(
            Ledger(
                environment=environment,
                attack=attack,
                policy=policy,
                seed=header["seed"],
                pulls=np.array(game["pulls"], dtype=np.int64),
                **arrays,
                costs=game.get("costs", {}),  # files of older versions have none
                **{name: game[name] for name in (*_INTEGERS, *_FLOATS)},
            )
        )
    return ledgers
