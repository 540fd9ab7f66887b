"""The file of ``Results.save``: match files in an uncompressed ZIP archive, and their order.

Files may come from other people. Nothing is unpickled, every part is checked as a match of a store
is, and the memory that a file takes is limited.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence

from robustbandits._version import __version__
from robustbandits.experiments.labels import ROLES
from robustbandits.experiments.store import match_file
from robustbandits.experiments.store.match_file import DamagedError, NewerError, StoredMatch
from robustbandits.experiments.swept_parameters import Parameters
from robustbandits.game.ledger import Ledger

#: Increase this whenever older versions of the package can no longer read the files.
FORMAT = 1
HEADER = "results.json"


def encode_results(ledgers: Sequence[Ledger], parameters: Parameters) -> bytes:
    """Return the bytes of a file with these ledgers and swept parameters."""
    if sum(len(ledger.rounds) for ledger in ledgers) > match_file.MAX_ROWS:
        raise ValueError(
            f"results with more than {match_file.MAX_ROWS:,} recorded rounds do not fit into a "
            f"file; run the experiment with a store, and read it with Results.open"
        )
    parts: dict[tuple[object, ...], list[int]] = {}  # positions of the ledgers in each part
    for position, ledger in enumerate(ledgers):
        key = (ledger.environment, ledger.seed, ledger.rounds.tobytes())
        parts.setdefault(key, []).append(position)
    header = {
        "format": FORMAT,
        "made_by": f"robustbandits {__version__}",
        "parts": list(parts.values()),
        "parameters": parameters,
    }
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(zipfile.ZipInfo(HEADER), json.dumps(header))
        for number, positions in enumerate(parts.values()):
            part = _encode_part([ledgers[position] for position in positions])
            archive.writestr(zipfile.ZipInfo(_name(number)), part)
    return sink.getvalue()


def decode_results(data: bytes) -> tuple[list[Ledger], Parameters]:
    """Return ledgers and swept parameters, or raise :class:`DamagedError`."""
    match_file.parquet()  # without pyarrow no file can be read, and none should count as damaged
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _decode(archive)
    except (DamagedError, NewerError):
        raise
    except (
        zipfile.BadZipFile,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        NotImplementedError,  # an unknown kind of ZIP archive
        RuntimeError,  # an encrypted one
        EOFError,
        OSError,
    ) as error:
        raise DamagedError(f"it is not a file of Results.save: {error}") from None


def _decode(archive: zipfile.ZipFile) -> tuple[list[Ledger], Parameters]:
    for member in archive.infolist():
        # What is not compressed cannot be larger than the file.
        if member.compress_type != zipfile.ZIP_STORED or member.file_size > member.compress_size:
            raise DamagedError(f"its part {member.filename!r:.60} is compressed")
    header = json.loads(archive.read(HEADER))
    if header["format"] > FORMAT:
        raise NewerError(f"it was made by {header['made_by']}: install that version or newer")
    ledgers: dict[int, Ledger] = {}
    rows = 0
    for number, positions in enumerate(header["parts"]):
        found = match_file.decode(archive.read(_name(number))).ledgers
        ledgers.update(zip(positions, found, strict=True))
        rows += sum(len(ledger.rounds) for ledger in found)
        if rows > match_file.MAX_ROWS:
            raise DamagedError(f"it needs too much memory: more than {rows} rows")
    if sorted(ledgers) != list(range(sum(map(len, header["parts"])))):
        raise DamagedError("its ledgers are not in order")
    return [ledgers[position] for position in sorted(ledgers)], _check(header["parameters"])


def _check(parameters: Parameters) -> Parameters:
    if not set(parameters) <= set(ROLES.values()):
        raise DamagedError(f"its parameters are of unknown roles: {list(parameters)!r:.60}")
    for by_label in parameters.values():
        for values in by_label.values():
            for name, value in values.items():
                if not isinstance(value, bool | int | float | str):
                    raise DamagedError(
                        f"its parameter {name!r:.60} must be a number, true, false or text, got "
                        f"{value!r:.60}"
                    )
    return parameters


def _encode_part(ledgers: list[Ledger]) -> bytes:
    return match_file.encode(
        StoredMatch(
            id="",
            spec={},
            provenance={"versions": {"robustbandits": __version__}},
            games=tuple(str(number) for number in range(len(ledgers))),
            length=int(ledgers[0].rounds[-1]),
            ledgers=ledgers,
        )
    )


def _name(number: int) -> str:
    return f"{number}.parquet"
