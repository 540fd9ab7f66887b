"""Where a policy can be played: with any arms, or with the same ones in every round."""

from __future__ import annotations

from typing import ClassVar

from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.recipe import Recipe

#: Policies that take arms which change, for whoever brought one that does not.
FOR_CHANGING_ARMS = "CautiousLinUCB, CWOFUL, BOBNoRestart or LinUCB"


class CatalogueRecipe(Recipe):
    """Mixin for policies over a catalogue, whose contexts they use."""

    #: Tell an agent that every call must show all arms, in the same order, as they were at first.
    fixed_arms: ClassVar[bool] = True
    fixed_contexts: ClassVar[bool] = True
    #: Named to whoever brings arms that change.
    for_changing_arms: ClassVar[str] = FOR_CHANGING_ARMS


def refuse_changing_arms(problem: Problem, who: str) -> None:
    """Refuse a problem whose arms change from round to round, and name policies that do not."""
    if problem.fixed_arms is False:
        raise UnsupportedProblem(
            f"{who} needs the same arms in every round, and this environment changes them: play it "
            f"on a catalogue (for example Simulation(contexts='fixed')), or take a policy for "
            f"changing arms, such as {FOR_CHANGING_ARMS}"
        )
