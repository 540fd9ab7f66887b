"""The store: a folder of finished matches, and what is read back from it. Nothing here plays."""

from robustbandits.experiments.store.match_file import DamagedError as DamagedError
from robustbandits.experiments.store.match_file import NewerError as NewerError
from robustbandits.experiments.store.store import Experiment as Experiment
from robustbandits.experiments.store.store import Store as Store
from robustbandits.experiments.store.store import StoreError as StoreError
