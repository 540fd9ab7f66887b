"""What a plan will take: time, memory and disk, roughly, before anything is played.

The speed is assumed, not measured: measuring would compile kernels first, and a dry run should
answer at once. ``robustbandits bench`` measures the machine at hand.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from robustbandits.experiments.plan import Plan

#: Seconds of one core for a round of a game, and for drawing a round that all games of a match
#: share, at 20 arms x 10 features: what two small cloud cores showed (docs/speed.md), rounded up.
GAME_ROUND = 0.8e-6
DRAWN_ROUND = 2.0e-6
REFERENCE_SIZE = 20 * 10
#: Columns of a ledger, at 8 bytes a number.
COLUMNS = 6
#: Bytes of an interpreter with the libraries loaded, and of a block of rounds in each worker.
RESIDENT = 250e6
BLOCK = 8e6


class Guess(NamedTuple):
    """What a plan will take."""

    seconds: float
    memory: float  # bytes
    disk: float  # bytes
    basis: str  # where the numbers come from


def estimate(plan: Plan, workers: int = 1) -> Guess:
    """Return a guess, good to a factor of two or three, for so many workers."""
    seconds = 0.0
    for match in plan.matches:
        size = _size(plan.spec.environments[match.environment])
        seconds += size * match.rounds * (DRAWN_ROUND + GAME_ROUND * len(match.games))
    busy = max(1, min(workers, plan.games))
    points = max((min(match.points, match.rounds) for match in plan.matches), default=0)
    games = max((len(match.games) for match in plan.matches), default=0)
    record = points * COLUMNS * 8
    return Guess(
        seconds=seconds / busy,
        memory=RESIDENT + busy * (BLOCK + games * record),
        disk=float(plan.games * record),
        basis=(
            f"assumed: {1e-6 / GAME_ROUND:.2g} M rounds a second for each of {busy} workers, at "
            f"20 arms x 10 features, kernels compiled; `robustbandits bench` measures this machine"
        ),
    )


def _size(environment: Any) -> float:
    """How much larger a round is than the one the speed was measured with."""
    arms, dim = getattr(environment, "arms", None), getattr(environment, "dim", None)
    if not isinstance(arms, int) or not isinstance(dim, int):
        return 1.0
    # Small rounds cost their overhead all the same.
    return max(0.25, arms * dim / REFERENCE_SIZE)


def describe(plan: Plan, guess: Guess) -> str:
    """Return the plan in a few lines, with what it will take."""
    spec = plan.spec
    head = f"{spec.name}: {spec.about}" if spec.about else spec.name
    lines = [head]
    for title in ("environments", "attacks", "policies"):
        labels = list(getattr(spec, title))
        shown = ", ".join(labels[:8]) + (", ..." if len(labels) > 8 else "")
        lines.append(f"  {len(labels)} {title}: {shown}")
    lines += [f"  in {place} without {', '.join(left)}" for place, left in plan.left_out.items()]
    lines += [
        f"  {len(spec.seeds)} seeds, {spec.rounds:,} rounds each: {plan.games:,} games in "
        f"{len(plan.matches):,} matches, {plan.rounds:,} rounds in all",
        f"  about {readable_time(guess.seconds)}, {readable_bytes(guess.memory)} of memory, "
        f"at most {readable_bytes(guess.disk)} on disk",
        f"  ({guess.basis})",
    ]
    return "\n".join(lines)


def readable_time(seconds: float) -> str:
    """Return a length of time for people."""
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{max(1.0, seconds):.0f} seconds"


def readable_bytes(count: float) -> str:
    """Return a size for people."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:.0f} bytes"
