"""Environments: they draw blocks of rounds with NumPy. Files are read in `ratings`, not here."""

from robustbandits.environments.movielens import MovieLens
from robustbandits.environments.netflix import Netflix
from robustbandits.environments.rating_bandit import Ratings
from robustbandits.environments.simulation import Simulation
from robustbandits.ratings.errors import DataError
from robustbandits.ratings.factorize import factorize
from robustbandits.ratings.factors import Factors
from robustbandits.ratings.read import read_csv_ratings, read_ratings
from robustbandits.ratings.synthetic import synthetic_ratings
from robustbandits.ratings.table import RatingTable

__all__ = [
    "DataError",
    "RatingTable",
    "Simulation",
    "MovieLens",
    "Netflix",
    "Ratings",
    "read_csv_ratings",
    "read_ratings",
    "Factors",
    "factorize",
    "synthetic_ratings",
]
