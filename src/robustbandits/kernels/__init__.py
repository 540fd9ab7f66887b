"""Compiled arithmetic on small matrices. Nothing here depends on what a bandit is."""
