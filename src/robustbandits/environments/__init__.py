"""Nature: environments draw blocks of rounds with NumPy, before anybody plays."""

from robustbandits.environments.simulation import Simulation

__all__ = ["Simulation"]
