"""Nature: environments draw blocks of rounds with NumPy, before anybody plays."""

from robustbandits.environments.data_error import DataError
from robustbandits.environments.factorize import factorize
from robustbandits.environments.factors import Factors
from robustbandits.environments.movielens import MovieLens
from robustbandits.environments.netflix import Netflix
from robustbandits.environments.rating_bandit import Ratings
from robustbandits.environments.rating_table import RatingTable
from robustbandits.environments.read_csv import read_csv_ratings
from robustbandits.environments.read_ratings import read_ratings
from robustbandits.environments.simulation import Simulation
from robustbandits.environments.synthetic_ratings import synthetic_ratings

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
