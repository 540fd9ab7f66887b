"""Compiled arithmetic on small matrices. Nothing here may know about bandits."""
