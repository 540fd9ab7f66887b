"""Estimate the time, memory and disk space that a plan takes, before anything is played.

The speed is assumed, not measured: measuring would compile kernels first, and a dry run should
answer at once. ``robustbandits bench`` measures this machine.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rich.filesize import decimal

from robustbandits.experiments.plan import Plan
from robustbandits.experiments.registry import SECTIONS
from robustbandits.game.object_policy import ObjectPolicy

#: Seconds of one core to play a round of one game, and to draw a round for all games of a match,
#: at 20 arms x 10 features: measured on two small cloud cores (docs/speed.md), rounded up.
GAME_ROUND = 0.8e-6
DRAWN_ROUND = 2.0e-6
REFERENCE_SIZE = 20 * 10
#: Columns of a ledger, at 8 bytes a number.
COLUMNS = 6
#: Bytes of the interpreter with its libraries, and of a block of rounds in each worker.
RESIDENT = 250_000_000
BLOCK = 8_000_000


class CostEstimate(NamedTuple):
    """The time, memory and disk space that a plan takes."""

    seconds: float
    memory: int  # bytes
    disk: int  # bytes
    basis: str  # where the numbers come from


def estimate(plan: Plan, workers: int = 1) -> CostEstimate:
    """Return an estimate, accurate to within a factor of two or three."""
    seconds = 0.0
    for match in plan.matches:
        size = _size(plan.spec.environments[match.environment])
        seconds += size * match.rounds * (DRAWN_ROUND + GAME_ROUND * len(match.games))
    busy = max(1, min(workers, plan.games))
    points = max((min(match.points, match.rounds) for match in plan.matches), default=0)
    games = max((len(match.games) for match in plan.matches), default=0)
    record = points * COLUMNS * 8
    return CostEstimate(
        seconds=seconds / busy,
        memory=RESIDENT + busy * (BLOCK + games * record),
        disk=plan.games * record,
        basis=(
            f"assumed: {1e-6 / GAME_ROUND:.2g} M rounds a second for each of {busy} workers, at "
            f"20 arms x 10 features, kernels compiled; `robustbandits bench` measures this machine"
        ),
    )


def _size(environment: Any) -> float:
    """Return the size of a round (arms x features), relative to ``REFERENCE_SIZE``."""
    arms, dim = getattr(environment, "arms", None), getattr(environment, "dim", None)
    if not isinstance(arms, int) or not isinstance(dim, int):
        return 1.0
    # Very small rounds are not much faster, because of the constant overhead of each round.
    return max(0.25, arms * dim / REFERENCE_SIZE)


def describe(plan: Plan, estimated: CostEstimate) -> str:
    """Return the plan, and what playing its missing games takes, in a few lines."""
    spec = plan.spec
    hours = estimated.seconds / 3600
    duration = f"{hours:,.1f} h" if hours >= 1 else f"{math.ceil(estimated.seconds)} s"
    lines = [f"{spec.name}: {spec.about}" if spec.about else spec.name]
    for section in SECTIONS:
        labels = list(getattr(spec, section))
        shown = ", ".join(labels[:8]) + (", ..." if len(labels) > 8 else "")
        lines.append(f"  {len(labels)} {section}: {shown}")
    for environment, skipped in plan.skipped.items():
        lines.append(f"  skipped in {environment}: {', '.join(skipped)}")
    objects = [label for label, policy in spec.policies.items() if isinstance(policy, ObjectPolicy)]
    slow = f"; {', '.join(objects)} may take far longer: Python objects" if objects else ""
    lines += [
        f"  {len(spec.seeds)} seeds, {spec.rounds:,} rounds each: {plan.games:,} games in "
        f"{len(plan.matches):,} matches, {plan.rounds:,} rounds in all",
        f"  takes about {duration}, {decimal(estimated.memory)} of memory, "
        f"at most {decimal(estimated.disk)} on disk",
        f"  ({estimated.basis}{slow})",
    ]
    return "\n".join(lines)
