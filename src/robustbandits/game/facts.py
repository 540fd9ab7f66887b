"""Facts: what a reader wants to know before choosing a policy, an attack or an environment.

Each recipe class may carry one of these as ``facts``; ``robustbandits list`` shows them.
"""

from __future__ import annotations

from typing import NamedTuple


class PolicyFacts(NamedTuple):
    """What a policy assumes."""

    setting: str  # "contextual": arms and contexts may change each round; or "fixed arms"
    needs: tuple[str, ...]  # what it must be told in advance: "budget", "horizon"
    adversary: str  # what its guarantee covers


class AttackFacts(NamedTuple):
    """What an attack does, and what it must know to do it."""

    changes: str  # "rewards", "contexts" or "nothing"
    knows: str


class EnvironmentFacts(NamedTuple):
    """Where rounds come from."""

    contexts: str  # who they stand for, and whether they change
    data: str  # what must be on disk, or "none"
