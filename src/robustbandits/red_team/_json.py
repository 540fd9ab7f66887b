"""Plain values for JSON, which has no infinite and no unknown numbers."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> Any:
    """Return a value with None in place of every number that is infinite or NaN."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
