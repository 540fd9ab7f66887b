"""Checks of the contracts of policies, attacks and environments, for everyone who writes one.

Each check raises :class:`BrokenContract` with a sentence that says what is wrong. Our own tests run
them on everything that the package exports; run them on yours::

    from robustbandits.extend import check_policy

    def test_my_policy():
        check_policy(MyPolicy())
"""

from robustbandits.checks._attacks import check_attack
from robustbandits.checks._environments import check_environment
from robustbandits.checks._policies import check_policy
from robustbandits.checks._states import BrokenContract, check_recipe

__all__ = ["BrokenContract", "check_attack", "check_environment", "check_policy", "check_recipe"]


def __dir__() -> list[str]:
    return sorted(__all__)
