"""Policies for a catalogue: the same arms in every round, with the same contexts."""
