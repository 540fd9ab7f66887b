"""The exported environments and what they are made of; `robustbandits._lazy` reads them."""

__all__: list[str]

from robustbandits.ratings.errors import DataError as DataError
from robustbandits.ratings.table import RatingTable as RatingTable
from .simulation import Simulation as Simulation
from .unit_ball import UnitBall as UnitBall
from .movielens import MovieLens as MovieLens
from .netflix import Netflix as Netflix
from .rating_bandit import Ratings as Ratings
from robustbandits.ratings.read import read_csv_ratings as read_csv_ratings
from robustbandits.ratings.read import read_ratings as read_ratings
from robustbandits.ratings.frame import read_frame_ratings as read_frame_ratings
from robustbandits.ratings.factors import Factors as Factors
from robustbandits.ratings.factorize import factorize as factorize
from robustbandits.ratings.synthetic import synthetic_ratings as synthetic_ratings
