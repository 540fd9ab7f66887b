"""The readings of the paper's Figure 1, whose text and code differ and leave some choices open.

Each reading is a ready spec, ``figure1-as-written``, ``figure1-as-coded`` and
``figure1-well-specified``, with three environments, two attacks and five policies.
"""

from __future__ import annotations

from typing import Any

from robustbandits.experiments.spec import Spec, read_spec

READINGS = ("as-written", "as-coded", "well-specified")
_PREFIX = "figure1-"


def reading(name: str, *, rounds: int | None = None, seeds: int | None = None) -> Spec:
    """Return Figure 1 under one of the `READINGS`, with other rounds or seeds if given."""
    if name not in READINGS:
        raise ValueError(f"reading must be one of {', '.join(READINGS)}; got {name!r}")
    spec = read_spec(_PREFIX + name)
    values: dict[str, Any] = {key: getattr(spec, key) for key in spec.__dataclass_fields__}
    changes = {"rounds": rounds, "seeds": seeds}
    return Spec(**values | {key: value for key, value in changes.items() if value is not None})


def is_reading(spec: Spec) -> bool:
    """Whether a spec is a reading of Figure 1, of any size."""
    return reading_of(spec) in READINGS


def reading_of(spec: Spec) -> str:
    """Return the name of the reading that a spec is, or else the spec's own name."""
    return spec.name.removeprefix(_PREFIX)
