"""When a policy counts as hijacked, and the search for the smallest budget that does it.

A game is hijacked if, over its last tenth, the attack costs at least half of what playing arms at
random would: the regret per round, minus that of the same game without attack, is at least half of
the regret per round of uniform play. A budget hijacks a policy if at least 80 % of its games are
hijacked.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from robustbandits.game.ledger import Ledger
from robustbandits.metrics.groups import common_seeds
from robustbandits.metrics.regret import late_rate

#: A game is hijacked if the attack costs this share of the regret per round of uniform play.
LOST_SHARE = 0.5
#: A budget hijacks a policy if this share of the games is hijacked.
HIJACKED_SHARE = 0.8
#: The search ends if the budget is known up to this factor.
PRECISION = 1.1
#: If the smallest budget of the grid hijacks, the search begins at that budget divided by this.
BELOW = 100.0


def hijacked(
    attacked: Sequence[Ledger], clean: Sequence[Ledger], gaps: Mapping[int, float]
) -> npt.NDArray[np.bool_]:
    """Return whether each game is hijacked.

    Parameters
    ----------
    attacked, clean
        Games with and without the attack; paired by seed.
    gaps
        Regret per round of uniform play, by seed.
    """
    attacked, clean = common_seeds(attacked, clean)
    excess = np.subtract(late_rate.by_seed(attacked), late_rate.by_seed(clean))
    limits = np.array([LOST_SHARE * gaps[ledger.seed] for ledger in attacked])
    return (excess >= limits) & (limits > 0.0)


def is_hijack(games: npt.NDArray[np.bool_]) -> bool:
    """Whether enough of the games are hijacked."""
    return bool(games.size and games.mean() >= HIJACKED_SHARE - 1e-9)


def smallest_budget(low: float, high: float, hijacks: Callable[[float], bool]) -> float:
    """Bisect on a log scale: ``high`` hijacks and ``low`` does not; return the least that does."""
    while high / low > PRECISION:
        middle = float(f"{math.sqrt(low * high):.3g}")
        if not low < middle < high:
            break
        if hijacks(middle):
            high = middle
        else:
            low = middle
    return high


def search_budget(
    on_grid: Mapping[str, Mapping[float, bool]], hijacks: Callable[[str, float], bool]
) -> tuple[float, str | None]:
    """Return the smallest budget that hijacks, and the attack that needs it; (inf, None) if none.

    Parameters
    ----------
    on_grid
        Whether each attack hijacks, by attack and budget.
    hijacks
        Plays an attack with a budget, and returns whether it hijacks.
    """
    best, found = math.inf, None
    first = {
        attack: min(budget for budget, result in results.items() if result)
        for attack, results in on_grid.items()
        if any(results.values())
    }
    for attack, high in sorted(first.items(), key=lambda item: item[1]):
        lower = [budget for budget in on_grid[attack] if budget < high]
        low = max(lower, default=high / BELOW)
        if low >= best:
            continue
        if high >= best:  # worth a search only if it hijacks with less than the best so far
            if not hijacks(attack, best / PRECISION):
                continue
            high = best / PRECISION
        best, found = smallest_budget(low, high, functools.partial(hijacks, attack)), attack
    return best, found
