"""Problem: what a policy may know in advance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from robustbandits.game.parameters import Count, Flag, NonNegative, Positive, Real, check_fields


class UnsupportedProblem(ValueError):
    """A problem that a policy or an attack cannot play; its message should say what can play it.

    Raise it in ``start``. A spec with ``unsupported = "skip"`` then leaves the policy or the attack
    out where it cannot play.
    """


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Sizes and bounds of a bandit problem.

    Parameters
    ----------
    arms, dim
        Number of arms in a round, and dimension of each context.
    rounds
        Number of rounds (horizon); None if it is not known.
    noise
        Standard deviation of the reward's noise; None if it is not known. Attacks imitate it.
    context_bound, theta_bound
        Largest possible length of a context and of the unknown parameter.
    intercept
        Whether the last coordinate of each context is a constant, which no attack may change.
    fixed_arms
        Whether every round has the same arms with the same contexts, as in a catalogue; None if it
        is not known. Policies for a catalogue raise UnsupportedProblem if it is False.
    infinite
        Whether the arms of every round are all vectors of length ``context_bound`` or less. Then
        ``arms`` must be 1, and the policy writes the vector that it chooses into the only column of
        the contexts. Policies that cannot do this raise UnsupportedProblem.
    offset
        A known constant that is subtracted from every reward before a policy learns it.
    clicks
        Whether every reward is a click: 0 or 1. Attacks may then show nothing else. The noise of a
        round (:class:`~robustbandits.game.rounds.Rounds`) is a number drawn uniformly from [0, 1),
        and the chosen arm is clicked if its mean reward is larger.
    """

    arms: Count
    dim: Count
    rounds: Count | None = None
    noise: NonNegative | None = None
    context_bound: Positive = 1.0
    theta_bound: Positive = 1.0
    intercept: Flag = False
    fixed_arms: Flag | None = None
    infinite: Flag = False
    offset: Real = 0.0
    clicks: Flag = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.infinite and self.arms != 1:
            raise ValueError(f"arms must be 1 if there are infinitely many, got {self.arms!r}")

    @property
    def writable(self) -> int:
        """How many coordinates of a context an attack may change: all but a constant last one."""
        return self.dim - int(self.intercept)

    def horizon(self, policy: str) -> int:
        """Return the number of rounds; raise ValueError, for a named policy, if it is not known."""
        if self.rounds is None:
            raise ValueError(
                f"{policy} needs to know the horizon: give the number of rounds that you expect "
                f"(rounds=..., for example rounds=1_000_000)"
            )
        return self.rounds

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; `clicks`, which older files do not have, only if true."""
        return {key: v for key, v in asdict(self).items() if key != "clicks" or v}
