"""Base classes of recipes for policies that need the same arms in every round."""

from __future__ import annotations

from typing import ClassVar

from robustbandits.game.parameters import CheckedRecipe
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.policies._infinite_arms import refuse_infinite_arms

#: Policies to suggest when the arms change.
FOR_CHANGING_ARMS = "CautiousLinUCB, CWOFUL, BOBNoRestart or LinUCB"


class ArmsRecipe(CheckedRecipe):
    """Recipe of a policy that identifies arms by their index and ignores contexts."""

    #: Agents then expect every call to show all arms in the same order.
    fixed_arms: ClassVar[bool] = True


class CatalogueRecipe(ArmsRecipe):
    """Recipe of a policy that uses the contexts of a fixed catalogue."""

    #: Agents then also expect the contexts of the first call in every later one.
    fixed_contexts: ClassVar[bool] = True
    #: Policies that an agent suggests when the contexts are different.
    for_changing_arms: ClassVar[str] = FOR_CHANGING_ARMS


def refuse_changing_arms(problem: Problem, policy: str) -> None:
    """Raise UnsupportedProblem if the arms change from round to round."""
    refuse_infinite_arms(problem, policy)
    if problem.fixed_arms is False:
        raise UnsupportedProblem(
            f"{policy} needs the same arms in every round, and this environment changes them: play "
            f"it on a catalogue (for example Simulation(contexts='fixed')), or use a policy for "
            f"changing arms, such as {FOR_CHANGING_ARMS}"
        )
