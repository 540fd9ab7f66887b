"""Description: the arms of an environment, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from robustbandits.kernels.linalg import Floats

#: A description prints this many arms at each end of the list.
SHOWN = 20


class DescribedArm(NamedTuple):
    """One arm of an environment."""

    id: Any  # the item's own id, or the number of the arm
    title: str
    ratings: int | None  # how many ratings the item has
    mean: float  # mean reward
    gap: float  # how far the mean is below that of the best arm


class Description(NamedTuple):
    """The arms of an environment, best first; prints as a table."""

    environment: str
    noise: float  # standard deviation of a reward
    scale: float | None  # what a reward of 1 is worth in ratings; None if there are no ratings
    arms: tuple[DescribedArm, ...]

    def __str__(self) -> str:
        width = max(5, *(len(arm.title) for arm in self.arms))
        width = min(width, 50)
        lines = [f"{self.environment}: {len(self.arms):,} arms, noise {self.noise:g}"]
        if self.scale is not None:
            lines.append(f"a reward of 1, or a regret of 1, is worth {self.scale:.3g} in ratings")
        lines.append(f"{'id':>10}  {'title':{width}}  {'ratings':>8}  {'mean':>7}  {'gap':>7}")
        hidden = len(self.arms) - 2 * SHOWN
        for place, arm in enumerate(self.arms):
            if hidden > 0 and place == SHOWN:
                lines.append(f"{'...':>10}  {hidden:,} more")
            if hidden <= 0 or not SHOWN <= place < SHOWN + hidden:
                ratings = "-" if arm.ratings is None else f"{arm.ratings:,}"
                lines.append(
                    f"{arm.id!s:>10}  {arm.title[:width]:{width}}  {ratings:>8}  {arm.mean:7.4f}  "
                    f"{arm.gap:7.4f}"
                )
        return "\n".join(lines)


def describe_arms(
    environment: str,
    means: Floats,
    noise: float,
    *,
    ids: Sequence[Any],
    titles: Sequence[str],
    counts: Sequence[int] | None = None,
    scale: float | None = None,
) -> Description:
    """Return the description of arms with these mean rewards."""
    order = (-means).argsort(kind="stable").tolist()
    best = float(means.max())
    arms = tuple(
        DescribedArm(ids[k], titles[k], counts[k] if counts else None, mean, best - mean)
        for k, mean in zip(order, means[order].tolist(), strict=True)
    )
    return Description(environment, noise, scale, arms)
