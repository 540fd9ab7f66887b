"""Real samples that may not be passed on: they lie beside the repository, or not at all."""

from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "data"


def sample(name: str) -> Path:
    """Return the path of a sample; skip the test where there is none."""
    path = SAMPLES / name
    if not path.exists():
        pytest.skip(f"no sample ../shared/data/{name} beside the repository")
    return path
