"""The paper's Figure 1, under the readings that its text and code leave open.

Each reading is a ready spec, ``figure1-as-written``, ``figure1-as-coded`` and
``figure1-well-specified``: three environments, two attacks (and none), five policies.
"""

from __future__ import annotations

from robustbandits.experiments.spec import Spec, read_spec

READINGS = ("as-written", "as-coded", "well-specified")


def reading(name: str) -> Spec:
    """Return Figure 1 under one of the `READINGS`."""
    if name not in READINGS:
        raise ValueError(f"reading must be one of {', '.join(READINGS)}; got {name!r}")
    return read_spec(f"figure1-{name}")
