"""Tests of adapters are skipped without the library that they need."""

import importlib
import os

import pytest


@pytest.fixture
def library():
    """Return a function that imports a library; a missing one skips the test."""

    def load(module):
        try:
            return importlib.import_module(module)
        except ImportError as error:
            if os.environ.get("ROBUSTBANDITS_ADAPTERS_REQUIRED") == "1":
                raise
            pytest.skip(f"{error}: pip install 'robustbandits[adapters]'")

    return load
