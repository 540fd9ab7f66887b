"""Real samples that may not be passed on: they lie beside the repository, or not at all."""

from pathlib import Path

import pytest

from robustbandits.compiled.jit import jit_is_on

SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "data"

needs_compiled_code = pytest.mark.skipif(
    not jit_is_on, reason="whole samples take minutes without compiled code"
)


def sample(name: str) -> Path:
    """Return the path of a sample; skip the test where there is none."""
    path = SAMPLES / name
    if not path.exists():
        pytest.skip(f"no sample ../shared/data/{name} beside the repository")
    return path
