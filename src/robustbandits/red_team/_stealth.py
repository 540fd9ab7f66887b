"""How well the worst attack hides: some of its games, played again round by round."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robustbandits.game.ledger import SEEN, Ledger
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.purse import SPENT
from robustbandits.game.rounds import Rounds
from robustbandits.kernels.linalg import Floats

if TYPE_CHECKING:
    from robustbandits.red_team.report import RedTeamReport

#: This many seeds are played again, and this many rounds of each; a round takes about 30 µs.
SEEDS, MOST_ROUNDS = 3, 10_000
#: The detector sees this many rounds before the first change, if there are so many.
HISTORY = 1000
#: Penalty of the detector's regression.
RIDGE = 0.1
_BLOCK = 1000


class Stealth(NamedTuple):
    """What a defender could notice of the worst attack."""

    largest_change: float  # of a round, in units of budget; NaN if nothing was changed
    # The probability that a changed reward has a larger residual than a reward of the same rounds
    # without attack: 0.5 if changes cannot be seen, 1 if all of them stand out. The residual is the
    # distance to a ridge regression on the rewards seen before. NaN if contexts or
    # nothing were changed, or with infinitely many arms.
    detection: float


class _Record(NamedTuple):
    """What happened in some rounds of a game."""

    prices: Floats  # (rounds,) what the attack spent
    residuals: Floats  # (rounds,) of the rewards that the policy saw, in absolute value


def measure_stealth(report: RedTeamReport) -> Stealth:
    """Play the worst attack against the target again, and look at every round."""
    largest, changed, clean = 0.0, [np.empty(0)], [np.empty(0)]
    is_known = not report.problem.infinite  # whether the contexts that the policy chose are known
    for ledger in list(report.worst_games)[:SEEDS]:
        if ledger.last_attack == 0:
            continue
        first = _first_round(ledger)
        last = min(ledger.last_attack, first + MOST_ROUNDS)
        attacked = _replay(report, report.worst_recipe, ledger.seed, first, last)
        largest = max(largest, float(attacked.prices.max()))
        is_known = is_known and ledger.spent_on_contexts == 0.0
        if is_known:
            changed.append(attacked.residuals[attacked.prices > 0.0])
            clean.append(_replay(report, NoAttack(), ledger.seed, first, last).residuals)
    detection = _larger(np.concatenate(changed), np.concatenate(clean)) if is_known else math.nan
    return Stealth(largest or math.nan, detection)


def _first_round(ledger: Ledger) -> int:
    """Return where to begin: some rounds before the first change."""
    before = np.flatnonzero(ledger.attacked_so_far == 0.0)
    return max(0, int(ledger.rounds[before[-1]]) - HISTORY) if len(before) else 0


def _replay(report: RedTeamReport, attack: Any, seed: int, first: int, last: int) -> _Record:
    """Play a game again up to round ``last``, and record its rounds after ``first``."""
    environment = report.experiment.spec.environments[report.environment]
    nature = environment.start(report.rounds, stream(seed, NATURE))
    game = Game(report.policy, attack, nature.problem, seed, points=1)
    for start in range(0, first, _BLOCK):
        game.advance(nature.draw(min(_BLOCK, first - start)))
    prices, seen = np.empty(last - first), np.empty(last - first)
    contexts = np.empty((last - first, nature.problem.dim))
    for i in range(last - first):
        if i % _BLOCK == 0:
            block = nature.draw(min(_BLOCK, last - first - i))
        t = i % _BLOCK
        before = game.purse.account[SPENT], game.book.sums[SEEN], game.book.pulls.copy()
        contexts_of_round, means, best, noise = (array[t : t + 1] for array in block[:4])
        game.advance(Rounds(contexts_of_round, means, best, noise, block.model))
        prices[i] = game.purse.account[SPENT] - before[0]
        seen[i] = game.book.sums[SEEN] - before[1]
        contexts[i] = block.contexts[t, :, (game.book.pulls - before[2]).argmax()]
    return _Record(prices, residuals(contexts, seen))


def residuals(contexts: Floats, rewards: Floats) -> Floats:
    """Return how far each reward is from a ridge regression on the rewards before it.

    The distance is divided by the standard deviation of the prediction's error for noise of 1, so
    that rewards of contexts that are not known yet do not stand out.
    """
    inverse, theta = np.eye(contexts.shape[1]) / RIDGE, np.zeros(contexts.shape[1])
    found = np.empty(len(rewards))
    for i, (context, reward) in enumerate(zip(contexts, rewards, strict=True)):
        step = inverse @ context
        variance = 1.0 + context @ step
        error = reward - context @ theta
        found[i] = abs(error) / math.sqrt(variance)
        theta += step * (error / variance)
        inverse -= np.outer(step, step) / variance
    return found


def _larger(changed: Floats, clean: Floats) -> float:
    """Return the probability that a changed value exceeds a clean one; ties count half."""
    if not (changed.size and clean.size):
        return math.nan
    ordered = np.sort(clean)
    below = np.searchsorted(ordered, changed, "left") + np.searchsorted(ordered, changed, "right")
    return float(below.mean()) / (2.0 * clean.size)
