"""The store: a folder of finished matches. This package reads and writes it, and plays no games."""

from robustbandits.experiments.store.load import Experiment as Experiment
from robustbandits.experiments.store.match_file import DamagedError as DamagedError
from robustbandits.experiments.store.match_file import NewerError as NewerError
from robustbandits.experiments.store.store import Store as Store
from robustbandits.experiments.store.store import StoreError as StoreError
