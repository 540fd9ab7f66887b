"""Real ratings for tests: from ../shared/data, or fetched into the user's cache."""

import functools
import os
from pathlib import Path

import platformdirs
import pytest

from robustbandits.ratings.datasets import DATASETS
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.fetch import fetch
from robustbandits.ratings.locate import locate

SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "data"
#: Folders of samples that can be fetched, and the names of their data sets.
FETCHABLE = {"ml-100k": "movielens-100k", "ml-latest-small": "movielens-latest-small"}


def sample(name: str) -> Path:
    """Return the path of a sample; skip the test if there is none, and it cannot be fetched."""
    if (SAMPLES / name).exists():
        return SAMPLES / name
    folder, _, file = name.partition("/")
    if folder not in FETCHABLE:
        pytest.skip(f"needs ../shared/data/{name}, which may not be redistributed")
    fetched = _fetch_once(FETCHABLE[folder])
    if isinstance(fetched, Path):
        return fetched / file
    if os.environ.get("ROBUSTBANDITS_DATA_REQUIRED") == "1":
        pytest.fail(f"{fetched} (and ROBUSTBANDITS_DATA_REQUIRED=1)")
    pytest.skip(fetched)


@functools.cache
def _fetch_once(name: str) -> Path | str:
    """Return the folder of a data set in the user's cache, or the reason why there is none."""
    with pytest.MonkeyPatch.context() as patch:
        cache = Path(platformdirs.user_cache_dir("robustbandits")) / "test-data"
        patch.setenv("ROBUSTBANDITS_DATA", str(cache))
        patch.delenv(DATASETS[name].variable, raising=False)
        try:
            return locate(name) or fetch(name)
        except (DataError, OSError) as error:
            return str(error)
