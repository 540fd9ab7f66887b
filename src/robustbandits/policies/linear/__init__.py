"""Policies for contexts that may change: linear models of the reward. Helpers start with ``_``."""
