"""Specs, plans, runs and stores; `robustbandits._lazy` reads these names."""

__all__: list[str]

from .store.load import Experiment as Experiment
from .runner import Outcome as Outcome
from .plan import Plan as Plan
from .spec import Spec as Spec
from .store.store import Store as Store
from .plan import make_plan as make_plan
from .spec import parse_spec as parse_spec
from .spec import read_spec as read_spec
from .spec import ready_specs as ready_specs
from .runner import run as run
