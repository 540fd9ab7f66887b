"""Where a policy can be played: with any arms, or with the same ones in every round."""

from __future__ import annotations

from robustbandits.game.problem import Problem, UnsupportedProblem

#: Policies that take arms which change, for whoever brought one that does not.
FOR_CHANGING_ARMS = "CautiousLinUCB, CWOFUL, BOBNoRestart or LinUCB"


def refuse_changing_arms(problem: Problem, who: str) -> None:
    """Refuse a problem whose arms change from round to round, and name policies that do not."""
    if problem.fixed_arms is False:
        raise UnsupportedProblem(
            f"{who} needs the same arms in every round, and this environment changes them: play it "
            f"on a catalogue (for example Simulation(contexts='fixed')), or take a policy for "
            f"changing arms, such as {FOR_CHANGING_ARMS}"
        )
