"""Agent files taken apart and put together by docs/agent-file.md alone, without the package."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import Any

import numpy as np

MAGIC = b"RBAGENT\x01"


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the arrays of a file."""
    assert data[:8] == MAGIC
    (length,) = struct.unpack("<Q", data[8:16])
    header = json.loads(data[16 : 16 + length])
    place, arrays = 16 + length, {}
    for name, shape in header.pop("arrays"):
        count = math.prod(shape)
        numbers = struct.unpack_from(f"<{count}d", data, place)
        arrays[name] = np.array(numbers).reshape(shape)
        place += 8 * count
    assert data[place:] == hashlib.sha256(data[:place]).digest()
    return header, arrays


def pack(header: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """Return a file with a correct checksum, whatever is in it."""
    listing = [[name, list(array.shape)] for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": header.get("arrays", listing)}).encode()
    numbers = b"".join(np.asarray(array).astype("<f8").tobytes() for array in arrays.values())
    return seal(text, numbers)


def seal(text: bytes, numbers: bytes = b"", magic: bytes = MAGIC) -> bytes:
    """Return a file with this text for a header and a correct checksum."""
    body = magic + struct.pack("<Q", len(text)) + text + numbers
    return body + hashlib.sha256(body).digest()
