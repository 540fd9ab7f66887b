"""Attacks around another attack: they limit when and how much it changes, or what it knows."""
