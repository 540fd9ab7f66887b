"""Facts: what a reader wants to know before choosing a policy, an attack or an environment.

Each recipe class may carry one of these as ``facts``; ``robustbandits list`` shows them.
"""

from __future__ import annotations

from typing import NamedTuple


class PolicyFacts(NamedTuple):
    """What a policy assumes, and what is known about it."""

    setting: str  # "contextual": arms and contexts may change; "fixed arms"; "MAB": contexts unused
    needs: tuple[str, ...]  # what it must be told in advance: "budget", "horizon", ...
    adversary: str  # what its guarantee covers
    regret: str  # its bound, up to logarithms
    cost: str  # of a round, in arms K and dimension d
    provenance: str  # where our specification comes from
    reference: str


#: Where a specification comes from: the paper itself; its authors' code; or pieced together from
#: summaries and from memory, as the docstring then says.
PAPER, CODE, RECONSTRUCTION, OURS = "paper", "authors' code", "reconstruction", "ours"


class AttackFacts(NamedTuple):
    """What an attack does, and what it must know to do it."""

    changes: str  # "rewards", "contexts" or "nothing"
    knows: str


class EnvironmentFacts(NamedTuple):
    """Where rounds come from."""

    contexts: str  # who they stand for, and whether they change
    data: str  # what must be on disk, or "none"
