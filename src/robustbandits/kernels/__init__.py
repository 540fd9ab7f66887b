"""Compiled arithmetic on small matrices. No bandit words here."""
