"""Read and write agent files as docs/agent-file.md describes them, without the package."""

import hashlib
import json
import math
import struct
from typing import Any

import numpy as np

MAGIC = b"RBAGENT\x02"


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the arrays of a file."""
    assert data[:8] in (MAGIC, b"RBAGENT\x01")
    (length,) = struct.unpack("<Q", data[8:16])
    header = json.loads(data[16 : 16 + length])
    position, arrays = 16 + length, {}
    for name, shape in header.pop("arrays"):
        count = math.prod(shape)
        numbers = struct.unpack_from(f"<{count}d", data, position)
        arrays[name] = np.array(numbers).reshape(shape)
        position += 8 * count
    assert data[position:] == hashlib.sha256(data[:position]).digest()
    return header, arrays


def pack(header: dict[str, Any], arrays: dict[str, Any], magic: bytes = MAGIC) -> bytes:
    """Return a file with a correct checksum, whatever it contains."""
    listing = [[name, list(array.shape)] for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": header.get("arrays", listing)}).encode()
    numbers = b"".join(np.asarray(array).astype("<f8").tobytes() for array in arrays.values())
    return seal(text, numbers, magic)


def seal(text: bytes, numbers: bytes = b"", magic: bytes = MAGIC) -> bytes:
    """Return a file with this header and a correct checksum."""
    body = magic + struct.pack("<Q", len(text)) + text + numbers
    return body + hashlib.sha256(body).digest()
