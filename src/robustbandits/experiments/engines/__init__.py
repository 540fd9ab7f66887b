"""Engines: where the games of a run are played. They return ledgers and write no files."""
