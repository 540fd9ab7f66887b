"""Policies for the same arms in every round, each with one unknown mean: contexts are ignored."""
