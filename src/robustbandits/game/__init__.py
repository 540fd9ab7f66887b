"""Rounds, the loop that plays them, and what takes part in a game. No policies, no files."""
