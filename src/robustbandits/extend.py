"""Everything needed to write a policy, an attack, an environment or a metric of your own.

Import from here and from :mod:`robustbandits`; other modules may change without notice. The code
blocks below form one module that works as it stands. Type annotations are optional. ::

    import math
    from dataclasses import dataclass
    from typing import NamedTuple

    import numpy as np
    from robustbandits import extend
    from robustbandits.extend import kernel

A policy, an attack or an environment is a *recipe*: a frozen dataclass of parameters that derives
from :class:`Recipe`, or from :class:`CheckedRecipe`, which checks parameters by their types. Its
method ``start`` returns what takes part in one game.

**A policy** starts a *state*: a named tuple of arrays, numbers and further named tuples. Its
methods are kernels, which Numba compiles (see :func:`kernel`):

- ``choose`` returns the index of an arm. Column ``a`` of ``contexts`` (dim, arms) belongs to arm
  ``a``. It must change nothing but ``memo``: `MEMO` numbers that are 0 at first, and that ``learn``
  gets back with the reward of this decision.
- ``learn`` gets the arm, its context (dim,) and the reward, and writes into the arrays of the
  state. With a live agent, rewards may come late and in any order.
- ``score`` writes each arm's estimated mean and bonus, which an agent shows. A game does not call
  it. :class:`PolicyState` describes these three, and :class:`OptionalPolicyKernels` the others.

A policy that only works if all rounds have the same arms has the class attribute
``fixed_arms = True``. One that must know the number of rounds calls ``problem.horizon(self.name)``,
and one that cannot play a problem raises :class:`UnsupportedProblem`. ::

    class OptimistState(NamedTuple):
        ridge: extend.Ridge
        width: float

        @kernel
        def choose(self, contexts, rng, memo):
            means = np.empty(contexts.shape[1])
            bonuses = np.empty(contexts.shape[1])
            write_scores(self, contexts, means, bonuses)
            for arm in range(means.shape[0]):
                means[arm] += bonuses[arm]
            return extend.largest(means, rng, False)  # False: break ties at random

        @kernel
        def learn(self, arm, context, reward, memo, rng):
            extend.observe(self.ridge, context, reward, 1.0)

        @kernel
        def score(self, contexts, memo, means, bonuses):
            write_scores(self, contexts, means, bonuses)

    @kernel
    def write_scores(state, contexts, means, bonuses):
        ridge = state.ridge
        extend.score_columns(ridge.inverse, ridge.theta, contexts, means, bonuses)
        for arm in range(bonuses.shape[0]):
            bonuses[arm] = state.width * math.sqrt(bonuses[arm])

    @dataclass(frozen=True, kw_only=True)
    class Optimist(extend.CheckedRecipe):
        \"\"\"Play the arm with the largest estimated mean plus a multiple of its error.\"\"\"

        width: extend.NonNegative = 0.5

        def start(self, problem):
            return OptimistState(extend.start_ridge(problem.dim, 0.1), self.width)

**An attack** derives from :class:`AttackRecipe`, which gives it a budget. Its state has
``propose_reward``, which returns the reward that the policy should see, or ``propose_contexts``,
which overwrites the contexts, or both (:class:`AttackState`). ``scene`` has the clean contexts and
mean rewards (:class:`Scene`). The attack need not count what it spends: the game clips every
proposal to the legal range and pays for as much of it as the budget allows. An attack may call
``extend.choose(policy, ...)`` to see what the policy would do; one that reads the policy's state
has the class attribute ``reads_policy = True``. An attack that decides before the choice has the
kernels of :class:`CommittedAttackState` instead. One that plays another arm than the policy chose
has `propose_arm` (:class:`SwappingAttackState`), and one that teaches the policy fake records has
`propose_record` (:class:`InjectingAttackState`). The decorator ``@extend.knows("black-box")`` of
the state hides from it what its level may not know. ::

    class PromoteState(NamedTuple):
        target: int

        @kernel
        def propose_reward(self, policy, scene, arm, reward, rng):
            return 1.0 if arm == self.target else min(reward, 0.0)

    @dataclass(frozen=True)
    class Promote(extend.AttackRecipe):
        \"\"\"Make one arm look perfect and every other arm worthless.\"\"\"

        target: int = 0

        def start(self, problem):
            return PromoteState(self.target)

**An environment** starts an object with a ``problem`` (:class:`Problem`) and a method ``draw``,
which returns the next rounds as :class:`Rounds`. It is plain Python with NumPy, and draws before
anything is played, so it cannot depend on what a policy chooses. All of its randomness comes from
``seed``. Contexts must not be longer than ``context_bound`` of the problem (1 by default), and mean
rewards should be in [0, 1]. ::

    @dataclass(frozen=True, kw_only=True)
    class Auction(extend.CheckedRecipe):
        \"\"\"New ads in every round; each feature of an ad adds to its click rate.\"\"\"

        arms: extend.Count = 10
        dim: extend.Count = 4
        noise: extend.NonNegative = 0.1

        def start(self, rounds, seed):
            return AuctionNature(self, rounds, seed)

    class AuctionNature:
        def __init__(self, recipe, rounds, seed):
            sizes = {"arms": recipe.arms, "dim": recipe.dim, "rounds": rounds}
            self.problem = extend.Problem(**sizes, noise=recipe.noise, fixed_arms=False)
            # A stream for each kind of draw: see child_seeds.
            streams = [np.random.default_rng(child) for child in extend.child_seeds(seed, 3)]
            self.ads, self.clicks = streams[:2]
            self.theta = streams[2].random(recipe.dim) / math.sqrt(recipe.dim)

        def draw(self, count):
            size = (count, self.problem.dim, self.problem.arms)
            contexts = self.ads.random(size) / math.sqrt(self.problem.dim)
            means = self.theta @ contexts  # (count, arms)
            noise = self.problem.noise * self.clicks.standard_normal(count)
            return extend.make_rounds(contexts, means, noise)

**A metric** is a function that gets the ledgers of a policy, one for each seed, and returns one
value for each (:func:`metric`). Every report that the same process writes has a column for it. ::

    @extend.metric(extend.REGRET, "first half")
    def regret_of_first_half(ledgers):
        \"\"\"Return the cumulative regret in the middle of the game.\"\"\"
        middle = [np.interp(game.rounds[-1] / 2, game.rounds, game.regret) for game in ledgers]
        return np.array(middle)

**Check them.** Each check raises :class:`BrokenContract` with a sentence that says what is wrong.
Compiled code does not check indices of arrays, so run the checks before you play. ::

    extend.check_policy(Optimist())
    extend.check_attack(Promote(10.0))
    extend.check_environment(Auction())

Then use them like those of the package: in ``rb.simulate``, ``rb.compare`` and ``rb.Agent``, and in
the spec of an experiment, by ``kind = "mymodule:Optimist"`` (docs/experiments.md). Facts are
optional: a class attribute ``facts = PolicyFacts(...)`` is shown by ``robustbandits list``.
"""

from robustbandits.attacks._base import AttackRecipe
from robustbandits.checks import BrokenContract, check_attack, check_environment, check_policy
from robustbandits.compiled.jit import kernel
from robustbandits.game import require
from robustbandits.game.committed import CommittedAttackState
from robustbandits.game.facts import AttackFacts, EnvironmentFacts, PolicyFacts
from robustbandits.game.knowledge import knows
from robustbandits.game.parameters import (
    Budget,
    CheckedRecipe,
    Count,
    Flag,
    NonNegative,
    Positive,
    Probability,
    Share,
)
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.recipe import Recipe
from robustbandits.game.records import NO_RECORD, InjectingAttackState
from robustbandits.game.rounds import Environment, Nature, Rounds, child_seeds, make_rounds
from robustbandits.game.swaps import SwappingAttackState
from robustbandits.game.verbs import (
    MEMO,
    Attack,
    AttackState,
    OptionalPolicyKernels,
    Policy,
    PolicyState,
    Scene,
    choose,
)
from robustbandits.kernels.linalg import Floats, dot, products
from robustbandits.kernels.ridge import Ridge, observe, reset_ridge, start_ridge
from robustbandits.kernels.sampling import draw, largest, share_of_largest
from robustbandits.kernels.scoring import score_columns
from robustbandits.metrics.groups import common_seeds
from robustbandits.metrics.registry import AUDIT, DAMAGE, PRICE, REGRET, metric

__all__ = [
    # Recipes and their parameters
    "Recipe",
    "CheckedRecipe",
    "AttackRecipe",
    "Positive",
    "NonNegative",
    "Probability",
    "Share",
    "Count",
    "Budget",
    "Flag",
    "require",
    # Facts, all optional
    "PolicyFacts",
    "AttackFacts",
    "EnvironmentFacts",
    # What takes part in a game, described by protocols
    "Policy",
    "PolicyState",
    "OptionalPolicyKernels",
    "MEMO",
    "Attack",
    "AttackState",
    "CommittedAttackState",
    "SwappingAttackState",
    "InjectingAttackState",
    "NO_RECORD",
    "knows",
    "Scene",
    "choose",
    "Environment",
    "Nature",
    "Problem",
    "UnsupportedProblem",
    "Rounds",
    "make_rounds",
    "child_seeds",
    # Kernels
    "kernel",
    "Floats",
    "Ridge",
    "start_ridge",
    "reset_ridge",
    "observe",
    "dot",
    "products",
    "score_columns",
    "largest",
    "share_of_largest",
    "draw",
    # Metrics
    "metric",
    "REGRET",
    "DAMAGE",
    "PRICE",
    "AUDIT",
    "common_seeds",
    # Checks
    "check_policy",
    "check_attack",
    "check_environment",
    "BrokenContract",
]
