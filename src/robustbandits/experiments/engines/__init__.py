"""Engines play the games of a run: on threads, in processes, or on a Dask cluster.

They return ledgers and write no files.
"""
