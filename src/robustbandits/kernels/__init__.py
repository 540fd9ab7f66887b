"""Compiled arithmetic on small matrices. Nothing here imports a policy or an environment."""
