"""Fixtures of the tests in this folder."""

from ratings.fake_sources import sources as sources
