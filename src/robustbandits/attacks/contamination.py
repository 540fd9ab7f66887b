"""Contamination: change the rewards of a random part of the rounds."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from robustbandits.attacks._base import AttackRecipe, check_arm, require_arms
from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.facts import AttackFacts
from robustbandits.game.knowledge import BLACK_BOX, knows
from robustbandits.game.parameters import Share
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import Scene
from robustbandits.kernels.linalg import Floats

Payload = Literal["zero", "one", "exaggerate", "reverse", "flip"]
PAYLOADS = get_args(Payload)
ZERO, ONE, EXAGGERATE, REVERSE, FLIP = range(5)


@knows(BLACK_BOX)
class ContaminationState(NamedTuple):
    """Parameters of Contamination in a game."""

    probability: float
    payload: int
    attacked: Floats  # (arms,) 1 for arms whose rewards are changed, 0 for the others

    @kernel
    def propose_reward(
        self, policy: Any, scene: Scene, arm: int, reward: float, rng: np.random.Generator
    ) -> float:
        draw = rng.random()
        if draw >= self.probability or self.attacked[arm] == 0.0:
            return reward
        if self.payload == ZERO:
            return min(reward, 0.0)
        if self.payload == ONE:
            return max(reward, 1.0)
        if self.payload == FLIP:
            return 1.0 - reward
        high = reward >= 0.5
        if self.payload == REVERSE:
            high = not high
        return 1.0 if high else 0.0


@dataclass(frozen=True)
class Contamination(AttackRecipe):
    """Change each reward with a fixed probability, as if a part of the users were fake.

    One random number decides in every round whether it is attacked. With ``payload="zero"`` this is
    the adversary of the lower bound of Kapoor et al. (2019); ``"exaggerate"`` and ``"reverse"`` are
    from Qi et al. (2024). The restriction to some arms is ours.

    Parameters
    ----------
    budget, purse
        See :class:`~robustbandits.attacks._base.AttackRecipe`. ``math.inf`` gives the model of the
        papers, in which only the probability limits the attack.
    probability
        Probability that a round is attacked.
    payload
        What is shown: ``"zero"``; ``"one"``; ``"exaggerate"``, 1 if the reward is at least 1/2 and
        0 otherwise; ``"reverse"``, the opposite; ``"flip"``, one minus the reward.
    arms
        Indices of the arms whose rewards are changed; empty for all arms.

    References
    ----------
    Kapoor, Patel, Kar (2019); Qi et al. (2024).
    """

    facts: ClassVar[AttackFacts] = AttackFacts(
        "rewards",
        "the chosen arm and its reward",
        timing="after the choice",
        knowledge=BLACK_BOX,
        goal="falsify the rewards of all arms; promote or demote the given arms",
        cost="1",
    )

    _: KW_ONLY
    probability: Share = 0.1
    payload: Payload = "zero"
    arms: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        arms = self.arms
        if not isinstance(arms, tuple | list):
            raise TypeError(f"arms must be a list of indices, got {arms!r}")
        self._set(arms=tuple(require.count("arms", arm, low=0) for arm in arms))

    def start(self, problem: Problem) -> ContaminationState:
        attacked = np.zeros(problem.arms)
        if self.arms:
            require_arms(problem, self.name)
            for arm in self.arms:
                attacked[check_arm("arms", arm, problem)] = 1.0
        else:
            attacked[:] = 1.0
        return ContaminationState(self.probability, PAYLOADS.index(self.payload), attacked)
