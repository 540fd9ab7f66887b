"""Defaults of games and experiments. Importing them is quick: the command line shows them."""

#: Length of a game.
ROUNDS = 100_000
#: Games with different seeds for each policy, attack and environment.
SEEDS = 10
