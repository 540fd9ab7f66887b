"""The file of one match: Parquet, tidy rows for anybody's tools, and all else as JSON beside them.

Files may come from others. So nothing is unpickled, sizes are checked before memory is taken, and
a digest over everything that is believed finds a single flipped bit.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from robustbandits.experiments.store._parquet import parquet
from robustbandits.game.ledger import Ledger

#: Raised whenever older programs could not read the files any more.
FORMAT = 1
#: No file may be larger, nor ask for more memory.
MAX_BYTES = 1 << 30
MAX_ROWS = 20_000_000

_HEADER, _DIGEST = b"robustbandits", b"robustbandits.digest"
#: The numbers of each recorded round: the column's name, the ledger's, and its type.
_COLUMNS = (
    ("round", "rounds", np.dtype(np.int64)),
    ("regret", "regret", np.dtype(np.float64)),
    ("reward", "reward", np.dtype(np.float64)),
    ("spent", "spent_so_far", np.dtype(np.float64)),
    ("attacked_rounds", "attacked_so_far", np.dtype(np.float64)),
)
_WHOLE = ("attacked_rounds", "last_attack", "bad_proposals", "clipped_proposals")
_REAL = ("spent", "spent_on_contexts", "seen_reward")


class DamagedError(ValueError):
    """A file that cannot be believed."""


class NewerError(ValueError):
    """A file or a store made by a newer version of this package."""


class MatchRecord(NamedTuple):
    """A match as it is stored."""

    id: str
    spec: dict[str, Any]
    provenance: dict[str, Any]
    games: tuple[str, ...]  # ids, in the order of the ledgers
    length: int  # rounds of each game
    ledgers: list[Ledger]


def encode(record: MatchRecord) -> bytes:
    """Return the bytes of a match's file."""
    pa, pq = parquet()
    columns = {
        name: np.concatenate([getattr(one, field) for one in record.ledgers]).astype(kind)
        for name, field, kind in _COLUMNS
    }
    header = {
        "format": FORMAT,
        "id": record.id,
        "length": record.length,
        "points": len(record.ledgers[0].rounds),
        "environment": record.ledgers[0].environment,
        "seed": record.ledgers[0].seed,
        "games": [_entry(*game) for game in zip(record.games, record.ledgers, strict=True)],
        "spec": record.spec,
        "provenance": record.provenance,
    }
    _check(header, columns)  # what could not be read back is not written
    text = json.dumps(header).encode()  # in the spec's own order, which is the plan's
    table = pa.table({**_labels(pa, record.ledgers), **columns})
    digests = _digest(text) + b" " + _digest(text, columns)
    table = table.replace_schema_metadata({_HEADER: text, _DIGEST: digests})
    sink = io.BytesIO()
    names = ["environment", "attack", "policy", "seed"]
    pq.write_table(table, sink, compression="zstd", use_dictionary=names)
    return sink.getvalue()


def _labels(pa: Any, ledgers: Sequence[Ledger]) -> dict[str, Any]:
    """Return the columns that other tools want; :func:`decode` has them from the header."""
    size = len(ledgers[0].rounds)
    index = pa.array(np.repeat(np.arange(len(ledgers), dtype=np.int32), size))
    labels = {
        name: pa.DictionaryArray.from_arrays(index, [getattr(one, name) for one in ledgers])
        for name in ("environment", "attack", "policy")
    }
    seed = ledgers[0].seed if ledgers[0].seed < 1 << 63 else None  # the header has every seed
    return {**labels, "seed": pa.repeat(pa.scalar(seed, pa.int64()), size * len(ledgers))}


def _entry(game: str, ledger: Ledger) -> dict[str, Any]:
    numbers = {name: getattr(ledger, name) for name in (*_WHOLE, *_REAL)}
    labels = {"id": game, "attack": ledger.attack, "policy": ledger.policy}
    return {**labels, **numbers, "pulls": ledger.pulls.tolist()}


def _digest(text: bytes, columns: dict[str, Any] | None = None) -> bytes:
    """Return the digest of the header, or of the header and the numbers."""
    digest = hashlib.sha256(text)
    for column in () if columns is None else (columns[name] for name, _, _ in _COLUMNS):
        digest.update(np.ascontiguousarray(column).data)
    return digest.hexdigest().encode()


def decode(data: bytes) -> MatchRecord:
    """Return the match in a file's bytes, or raise :class:`DamagedError`."""
    parquet()  # without it no file can be read, and none is damaged
    try:
        return _decode(data)
    except (DamagedError, NewerError):
        raise
    except MemoryError:
        raise DamagedError("it asks for more memory than there is") from None
    except Exception as error:  # a damaged file may trip Parquet's reader in any way
        raise DamagedError(f"{type(error).__name__}: {str(error)[:300]}") from error


def _decode(data: bytes) -> MatchRecord:
    pa, pq = parquet()
    if len(data) > MAX_BYTES:
        raise DamagedError(f"it is larger than {MAX_BYTES} bytes")
    with pq.ParquetFile(pa.BufferReader(data)) as file:
        notes = file.metadata.metadata or {}
        text, digests = notes.get(_HEADER), notes.get(_DIGEST, b"").split(b" ")
        if text is None:
            raise DamagedError("it is not the file of a match")
        if _digest(text) != digests[0]:  # in every format, so that only a true one says "newer"
            raise DamagedError("its header does not match its digest")
        header = json.loads(text)
        if header["format"] > FORMAT:
            by = header["provenance"]["versions"]["robustbandits"]
            raise NewerError(f"it was made by robustbandits {by}: install that version or a newer")
        _check_size(file, header)
        # No threads: Arrow's pool may abort a process that ends soon after (apache/arrow#34314).
        table = file.read(columns=[name for name, _, _ in _COLUMNS], use_threads=False)
    columns = {name: _numbers(table, name, kind) for name, _, kind in _COLUMNS}
    if _digest(text, columns) != digests[1]:
        raise DamagedError("its numbers do not match its digest")
    _check(header, columns)
    return MatchRecord(
        id=header["id"],
        spec=header["spec"],
        provenance=header["provenance"],
        games=tuple(game["id"] for game in header["games"]),
        length=header["length"],
        ledgers=_ledgers(header, columns),
    )


def _check_size(file: Any, header: dict[str, Any]) -> None:
    """Refuse, before anything is read, rows that would take more memory than is fair."""
    meta = file.metadata
    groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
    if meta.num_rows > MAX_ROWS or sum(group.total_byte_size for group in groups) > MAX_BYTES:
        raise DamagedError(f"it asks for too much memory: {meta.num_rows} rows")
    if meta.num_rows != len(header["games"]) * header["points"]:
        raise DamagedError(f"it has {meta.num_rows} rows, not those of its games")
    if any(group.num_rows > meta.num_rows for group in groups):
        raise DamagedError("its parts do not fit together")


def _numbers(table: Any, name: str, kind: Any) -> Any:
    column = table.column(name)
    if column.null_count or column.type.to_pandas_dtype() is not kind.type:
        raise DamagedError(f"its column {name!r} is {column.type}, {kind} is due")
    return column.to_numpy()


def _check(header: dict[str, Any], columns: dict[str, Any]) -> None:
    """Refuse numbers that no game can have left behind."""
    games, points, length = len(header["games"]), header["points"], header["length"]
    if games < 1 or points < 1 or games * points > MAX_ROWS:
        raise DamagedError(f"{games} games of {points} recorded rounds do not fit a file")
    shaped = {name: column.reshape(games, points) for name, column in columns.items()}
    rounds = shaped["round"]
    if rounds[0, 0] < 1 or (rounds != rounds[0]).any() or (np.diff(rounds[0]) <= 0).any():
        raise DamagedError("its recorded rounds do not go up")
    if rounds[0, -1] != length:
        raise DamagedError(f"its games end after {rounds[0, -1]} rounds, not {length}")
    for name, column in shaped.items():
        if not np.isfinite(column).all():
            raise DamagedError(f"its column {name!r} holds numbers that are not finite")
    for game in header["games"]:
        pulls = game["pulls"]
        if any(type(n) is not int or n < 0 for n in pulls) or sum(pulls) != length:
            raise DamagedError(f"the pulls of game {game['id']!r} do not add up to its rounds")
        if any(type(game[name]) is not int or game[name] < 0 for name in _WHOLE):
            raise DamagedError(f"the counts of game {game['id']!r} are not whole numbers")
        if any(type(game[name]) is not float or not np.isfinite(game[name]) for name in _REAL):
            raise DamagedError(f"the sums of game {game['id']!r} are not finite numbers")


def _ledgers(header: dict[str, Any], columns: dict[str, Any]) -> list[Ledger]:
    points = header["points"]
    ledgers = []
    for index, game in enumerate(header["games"]):
        rows = slice(index * points, (index + 1) * points)
        arrays = {field: columns[name][rows].copy() for name, field, _ in _COLUMNS}
        ledgers.append(
            Ledger(
                environment=header["environment"],
                attack=game["attack"],
                policy=game["policy"],
                seed=header["seed"],
                pulls=np.array(game["pulls"], dtype=np.int64),
                **arrays,
                **{name: game[name] for name in (*_WHOLE, *_REAL)},
            )
        )
    return ledgers
