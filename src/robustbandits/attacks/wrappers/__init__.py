"""Attacks around another attack: they decide when it attacks, or what it knows."""
