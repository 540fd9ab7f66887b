"""Fixtures of the tests in this folder."""

import pytest


@pytest.fixture(autouse=True)
def own_factor_cache(tmp_path, monkeypatch):
    """Keep the factors of these tests out of the user's cache."""
    monkeypatch.setattr(
        "robustbandits.ratings.factor_cache.cache_folder", lambda: tmp_path / "cache"
    )
