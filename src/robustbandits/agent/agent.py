"""Agent: a live policy, which chooses arms and learns their rewards, at once or much later."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from robustbandits.agent.batch import batch_of, labels_of, raise_batch_error
from robustbandits.agent.compiled_steps import (
    BY_SCORES,
    PROBABILITIES,
    SCORED,
    TOGETHER,
    decide,
    decide_many,
    learn_reward,
    learn_rewards,
    score_arms,
    score_rows,
)
from robustbandits.agent.decision import Decision, Decisions, Scores
from robustbandits.agent.inputs import check_labels
from robustbandits.agent.large import LARGE, score_on_all_cores
from robustbandits.agent.saved_agent import SavedAgent, dim_of
from robustbandits.compiled.jit import compiled_for, entry_point
from robustbandits.compiled.rng_pointer import rng_pointer
from robustbandits.compiled.state_pointer import state_behind
from robustbandits.features import Scaler
from robustbandits.game import require
from robustbandits.game.dispatch import AGENT_KERNELS, by_address
from robustbandits.game.match import POLICY, stream
from robustbandits.game.problem import Problem
from robustbandits.game.verbs import MEMO, Policy


class Agent(SavedAgent):
    """A live policy: recipe, state and random stream.

    Parameters
    ----------
    policy
        Recipe of the policy.
    arms, dim
        Usual number of arms, and length of each context. Policies with one shared theta accept any
        number of arms in each call; then ``arms`` only sets constants that depend on it.
        ``arms="ball"``: the arms are all vectors of length ``context_bound`` or less, and
        :meth:`choose` takes no contexts.
    rounds
        How many rounds you expect to play; some policies need it. A ridge that is accepted only
        because the rounds are few gives wrong widths in later rounds.
    seed
        Seed of the policy's random stream. An agent that is shown the rounds of a simulated game
        with the same seed makes the same choices. None gives a different stream each time.
    context_bound, theta_bound
        Largest possible length of a context and of the unknown parameter. Longer contexts are
        refused.
    offset
        For ``arms="ball"``: a known constant that is subtracted from every reward before it is
        learned, so that the rest is linear in the arm.
    reward_range
        Smallest and largest possible reward; others are refused. The default is [0, 1], widened by
        six times the policy's sigma on both sides.
    scaler
        A fitted :class:`~robustbandits.features.Scaler`. The agent then takes your own features
        instead of contexts, and saves the scaler. ``dim`` is that of the scaler.
    pending
        How many decisions without a reward are remembered. If there are more, the oldest are
        forgotten (the first time with a warning), and their rewards are refused. Choose at least
        twice the number of decisions that you make while you wait for a reward: 1,000 decisions
        per second and rewards within ten minutes need ``pending=1_200_000``. If rewards of zero are
        never reported (no click), learn them when the wait is over. A pending decision takes about
        300 bytes plus 8 per feature.

    Notes
    -----
    An agent is not thread-safe: use a lock, or one agent for each thread. A deep copy, or a pickled
    agent in another process, continues independently from the same state and random stream.

    Examples
    --------
    >>> import robustbandits as rb
    >>> agent = rb.Agent(rb.policies.BOBNoRestart(), arms=3, dim=2, rounds=1000, seed=0)
    >>> decision = agent.choose([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]])
    >>> agent.learn(decision.id, 0.5)
    """

    def __init__(
        self,
        policy: Policy,
        *,
        arms: int | Literal["ball"],
        dim: int | None = None,
        rounds: int | None = None,
        seed: int | None = 0,
        context_bound: float = 1.0,
        theta_bound: float = 1.0,
        offset: float = 0.0,
        reward_range: tuple[float, float] | None = None,
        scaler: Scaler | None = None,
        pending: int = 100_000,
    ):
        require.recipe("policy", policy, "policy")
        if scaler is not None:
            dim = dim_of(scaler, dim, arms)
        if dim is None:
            raise TypeError("dim must be given, because there is no scaler")
        infinite = isinstance(arms, str)
        if infinite and arms != "ball":
            raise ValueError(f"arms must be a whole number or 'ball', got {arms!r}")
        if offset != 0.0 and not infinite:
            raise ValueError(f"offset must be 0 unless arms='ball', got {offset!r}")
        problem = Problem(
            arms=1 if isinstance(arms, str) else arms,
            dim=dim,
            rounds=rounds,
            context_bound=context_bound,
            theta_bound=theta_bound,
            fixed_arms=False if infinite else None,
            infinite=infinite,
            offset=offset,
        )
        if seed is None:
            entropy = np.random.SeedSequence()
        else:
            entropy = stream(require.count("seed", seed, low=0), POLICY)
        self._set_up(policy, problem, reward_range, pending)
        self._inputs.scaler = copy.deepcopy(scaler)
        self._connect(np.random.Generator(np.random.PCG64(entropy)))
        if hasattr(self._state, "overhear"):
            warnings.warn(
                f"{policy.name} is a reference for games: it needs to know what the attack spends; "
                f"in an agent it plays as if nothing were spent",
                stacklevel=2,
            )

    def _connect(self, rng: np.random.Generator) -> None:
        """Find the machine code for the policy, and the addresses to pass to it."""
        vector, matrix = np.empty(1), np.empty((1, 1))  # examples of types
        self._rng = rng
        self._rng_argument = rng_pointer(rng)
        self._mode = BY_SCORES if hasattr(self._state, "choose_by_scores") else TOGETHER
        kernels: tuple[str, ...] = AGENT_KERNELS
        if self._mode == BY_SCORES and not self.problem.infinite:
            kernels = tuple(name for name in kernels if name != "choose")  # it would not be called
        self._policy_argument = by_address(self._state, kernels)
        self._decide = self._prepare(
            decide, 0, matrix, self._inputs.bound, self._rng_argument, vector, matrix
        )
        self._learn = self._prepare(learn_reward, 0, 0.0, self._rng_argument, vector)
        self._score = self._prepare(score_arms, matrix, matrix)

    def _prepare(self, step: Any, *examples: Any) -> Any:
        policy = self._policy_argument
        return entry_point(compiled_for(step, state_behind(policy)), policy, *examples)

    @cached_property
    def _decide_many(self) -> Any:
        indices, vector, matrix = np.arange(1), np.empty(1), np.empty((1, 1))
        bound, rng = self._inputs.bound, self._rng_argument
        return self._prepare(decide_many, 0, matrix, indices, bound, rng, matrix, vector, indices)

    @cached_property
    def _score_rows(self) -> Any:
        matrix = np.empty((1, 1))
        return self._prepare(score_rows, matrix, 0, 1, self._inputs.bound, matrix)

    @cached_property
    def _learn_many(self) -> Any:
        return self._prepare(
            learn_rewards, np.arange(1), np.empty(1), self._rng_argument, np.empty((1, 1))
        )

    def __getstate__(self) -> dict[str, Any]:
        # Addresses are left out: a copy has a state and a stream of its own.
        programs = ("_decide", "_learn", "_score", "_decide_many", "_learn_many", "_score_rows")
        not_copied = ("_rng_argument", "_policy_argument", *programs)
        return {name: value for name, value in vars(self).items() if name not in not_copied}

    def __setstate__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)
        self._pending.begin_session()
        self._connect(self._rng)

    # ------------------------------------------------------------------------------- playing

    def choose(
        self, contexts: npt.ArrayLike | None = None, labels: Sequence[Any] | None = None
    ) -> Decision:
        """Choose an arm.

        Parameters
        ----------
        contexts
            One row for each arm, shape (arms, dim); none if ``arms="ball"``: then the decision's
            ``context`` is the vector to play.
        labels
            A name or an object for each arm; the decision's ``label`` is that of the chosen arm. It
            is not saved.
        """
        if self.problem.infinite:
            array = self._inputs.no_contexts(contexts)
        else:
            array = self._inputs.contexts(contexts)
        arms, dim = array.shape
        if labels is not None:
            labels = check_labels(labels, arms)
        table = np.empty((3, arms or 1))
        memo_and_context = np.empty(MEMO + dim)
        mode = self._mode
        if mode == BY_SCORES and arms * dim * dim >= LARGE:
            code = score_on_all_cores(
                self._score_rows, self._policy_argument, array, self._inputs.bound, table
            )
            if code < 0:
                self._inputs.raise_error(array, code)
            mode = SCORED
        arm = self._decide(
            self._policy_argument,
            mode,
            array,
            self._inputs.bound,
            self._rng_argument,
            memo_and_context,
            table,
        )
        if arm < 0:
            self._inputs.raise_error(array, arm)
        if self._inputs.catalogue_is_missing:
            self._inputs.remember_catalogue(array)
        number = self._pending.add((arm, memo_and_context))
        label = None if labels is None else labels[arm]
        context = memo_and_context[MEMO:]
        return Decision(number, self._pending.id_suffix, arm, table, context, label)

    def choose_many(
        self, contexts: npt.ArrayLike, labels: Sequence[Sequence[Any]] | None = None
    ) -> Decisions:
        """Choose arms for many decisions at once, as :meth:`choose` would one after the other.

        This is much faster, but no reward can be learned in between. If anything is wrong with the
        input, nothing is chosen.

        Parameters
        ----------
        contexts
            Shape (decisions, arms, dim), or a list of arrays (arms, dim), which may have different
            numbers of arms.
        labels
            For each decision, a list with a label for each arm.
        """
        rows, starts = batch_of(self._inputs, contexts)
        label_lists = None if labels is None else labels_of(labels, starts)
        count = len(starts) - 1
        memos_and_contexts = np.empty((count, MEMO + self.problem.dim))
        tables, arms = np.empty(3 * len(rows)), np.empty(count, dtype=np.int64)
        stream_before = self._rng.bit_generator.state
        code = self._decide_many(
            self._policy_argument,
            self._mode,
            rows,
            starts,
            self._inputs.bound,
            self._rng_argument,
            memos_and_contexts,
            tables,
            arms,
        )
        if code < 0:
            self._rng.bit_generator.state = stream_before
            raise_batch_error(self._inputs, rows, starts, code)
        if self._inputs.catalogue_is_missing and count > 0:
            self._inputs.remember_catalogue(rows[: starts[1]])
        chosen = arms.tolist()
        first = self._pending.add_many(chosen, memos_and_contexts)
        chosen_labels = None
        if label_lists is not None:
            chosen_labels = [names[arm] for names, arm in zip(label_lists, chosen, strict=True)]
        contexts = memos_and_contexts[:, MEMO:]
        id_suffix = self._pending.id_suffix
        return Decisions(first, id_suffix, arms, contexts, starts, tables, chosen_labels)

    def learn(self, decision: Decision | str | int, reward: float) -> None:
        """Learn the reward of a decision, which may be given by its id.

        A decision has one reward. Rewards may arrive late and in any order; a click may be given as
        True. Decisions from an agent file of format 1 have whole numbers as ids.
        """
        value = self._inputs.reward(reward)
        number = self._pending.find(decision)
        arm, memo_and_context = self._pending.entry(number)
        value -= self.problem.offset
        self._learn(self._policy_argument, arm, value, self._rng_argument, memo_and_context)
        del self._pending[number]

    def learn_many(self, decisions: Iterable[Decision | str | int], rewards: npt.ArrayLike) -> None:
        """Learn the rewards of many decisions at once, in this order, as :meth:`learn` would.

        Decisions may be given by their ids. If one of them or of the rewards is refused, nothing is
        learned.
        """
        numbers = self._pending.find_many(decisions)
        values = self._inputs.rewards(rewards, len(numbers)) - self.problem.offset
        entries = [self._pending.entry(number) for number in numbers]
        arms = np.array([arm for arm, _ in entries], dtype=np.int64)
        rows = np.empty((len(numbers), MEMO + self.problem.dim))
        if numbers:
            np.concatenate([row for _, row in entries], out=rows.reshape(-1))
        self._learn_many(self._policy_argument, arms, values, self._rng_argument, rows)
        for number in numbers:
            del self._pending[number]

    def observe(self, contexts: npt.ArrayLike, arm: int, reward: float) -> None:
        """Learn the reward of an arm that something else chose, for example one in a log.

        The policy decides about these contexts, and then learns as if it had chosen this arm. For
        a policy that weighs rewards by the probability of its own choices, this is approximate.
        """
        self._inputs.reward(reward)
        array = self._inputs.contexts(contexts)
        if require.count("arm", arm, low=0) >= len(array):
            raise ValueError(f"arm must be < {len(array)}, the number of contexts; got {arm!r}")
        decision = self.choose(contexts)
        _, memo_and_context = self._pending.entry(decision.number)
        memo_and_context[MEMO:] = array[arm]
        self._pending[decision.number] = (int(arm), memo_and_context)
        self.learn(decision, reward)

    def scores(self, contexts: npt.ArrayLike) -> Scores:
        """Return the scores of contexts (arms, dim), without choosing or changing anything.

        A policy that guesses the attack budget scores with its current guess, or with 0 if it has
        none yet; its probabilities are over all guesses.
        """
        array = self._inputs.contexts(contexts)
        self._inputs.check_values(array)
        table = np.empty((3, len(array)))
        self._score(self._policy_argument, array, table)
        if self.problem.infinite:
            table[PROBABILITIES] = np.nan
        return Scores(table)

    def score(self, context: npt.ArrayLike) -> float:
        """Return mean plus bonus of one context, (dim,): see :meth:`scores`."""
        return float(self.scores(np.asarray(context)[np.newaxis]).scores[0])

    def __repr__(self) -> str:
        arms = "'ball'" if self.problem.infinite else self.problem.arms
        sizes = f"arms={arms}, dim={self.problem.dim}, rounds={self.problem.rounds}"
        counts = f"decisions={self._pending.decisions}, pending={self.pending}"
        return f"Agent({self.policy.name}, {sizes}, {counts})"

    @property
    def pending(self) -> int:
        """Number of decisions without a reward."""
        return len(self._pending)

    @property
    def forgotten(self) -> int:
        """Number of decisions that were forgotten without a reward: see the parameter pending."""
        return self._pending.forgotten

    @property
    def reward_range(self) -> tuple[float, float] | None:
        """Smallest and largest possible reward; None for the policy's default."""
        return self._inputs.reward_range

    @property
    def scaler(self) -> Scaler | None:
        """The scaler of contexts; None if contexts are not scaled."""
        return self._inputs.scaler
