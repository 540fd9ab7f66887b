"""Train a policy on a log, with or without an attack on what it sees, and ask what it learned."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustbandits.agent.agent import Agent
from robustbandits.agent.attacker import Attacker
from robustbandits.game.match import POLICY, stream
from robustbandits.game.problem import Problem
from robustbandits.kernels.linalg import Floats
from robustbandits.red_team._target import is_object
from robustbandits.red_team.log_file import Log

#: Estimates are compared in at most this many rows, evenly spread.
COMPARED_ROWS = 2000
#: Penalty of the regression that stands for the truth.
RIDGE = 0.1


class Truth(NamedTuple):
    """What is taken for the truth about a log: a ridge regression of its rewards."""

    means: Floats  # (rows, arms), in [0, 1]
    noise: float  # standard deviation of the residuals


class Trained(NamedTuple):
    """What a policy would do after it was trained on a log."""

    choices: Any  # (rows,) the arm that it prefers
    chances: Floats  # (rows,) probability with which it would choose the logged arm
    estimates: Floats | None  # (some rows, arms) mean rewards; None if not known
    spent: float
    changed_rows: int


def fit_means(log: Log) -> Truth:
    """Fit a ridge regression to the logged arms."""
    rows, _, dim = log.contexts.shape
    chosen = log.contexts[np.arange(rows), log.arms]
    gram = chosen.T @ chosen + RIDGE * np.eye(dim)
    theta = np.linalg.solve(gram, chosen.T @ log.rewards)
    means = np.clip(log.contexts @ theta, 0.0, 1.0)
    residuals = log.rewards - means[np.arange(rows), log.arms]
    return Truth(means, float(residuals.std()))


def problem_of(log: Log, truth: Truth) -> Problem:
    """Return what a policy and an attack are told about a log."""
    rows, arms, dim = log.contexts.shape
    return Problem(
        arms=arms,
        dim=dim,
        rounds=rows,
        noise=truth.noise,
        context_bound=log.context_bound,
        fixed_arms=log.fixed_arms,
        intercept=log.intercept,
        clicks=log.clicks,
    )


def can_change_logs(attack: Any, problem: Problem) -> bool:
    """Whether an attack can be played outside of a game."""
    try:
        _attacker(attack, problem, None)
    except TypeError:  # for example, it reads the state of a policy
        return False
    return True


def train(policy: Any, log: Log, truth: Truth, attack: Any = None) -> Trained:
    """Train a new policy on a log, row by row; an attack changes what it sees."""
    problem = problem_of(log, truth)
    learner = _ObjectLearner(policy, problem) if is_object(policy) else _Learner(policy, problem)
    attacker = None if attack is None else _attacker(attack, problem, learner)
    changed_rows = 0
    for k in range(len(log)):
        contexts, arm, reward = log.contexts[k], int(log.arms[k]), float(log.rewards[k])
        if attacker is not None and attacker.spent < attack.budget:
            contexts = attacker.contexts(contexts, truth.means[k])
            reward = attacker.reward(arm, reward)
            changed_rows += bool(attacker.log)
            attacker.log.clear()
        learner.observe(contexts, arm, reward)
    spent = 0.0 if attacker is None else attacker.spent
    choices = np.empty(len(log), np.int64)
    chances = np.empty(len(log))
    for k in range(len(log)):
        choices[k], chances[k] = learner.preference(log.contexts[k], int(log.arms[k]))
    return Trained(
        choices, chances, learner.estimates(_compared_contexts(log)), spent, changed_rows
    )


def _compared_contexts(log: Log) -> Floats:
    step = -(-len(log) // COMPARED_ROWS)
    return log.contexts[::step]


def _attacker(attack: Any, problem: Problem, learner: Any) -> Attacker:
    return Attacker(
        attack,
        arms=problem.arms,
        dim=problem.dim,
        rounds=problem.rounds,
        noise=problem.noise,
        context_bound=problem.context_bound,
        intercept=problem.intercept,
        clicks=problem.clicks,
        reward_range=(0.0, 1.0),
        policy=learner,
    )


class _Learner:
    """A policy with a recipe."""

    name = "the policy"

    def __init__(self, policy: Any, problem: Problem):
        self._agent = Agent(
            policy,
            arms=problem.arms,
            dim=problem.dim,
            rounds=problem.rounds,
            context_bound=problem.context_bound,
            reward_range=(0.0, 1.0),
        )

    def observe(self, contexts: Floats, arm: int, reward: float) -> None:
        """Learn a row."""
        self._agent.observe(contexts, arm, reward)

    def preference(self, contexts: Floats, logged: int) -> tuple[int, float]:
        """Return the arm that the policy prefers, and the probability of the logged arm."""
        scores = self._agent.scores(contexts)
        if scores.probabilities is not None:
            chances = scores.probabilities
            return int(chances.argmax()), float(chances[logged])
        arm = int(scores.scores.argmax())
        return arm, float(arm == logged)

    def estimates(self, contexts: Floats) -> Floats | None:
        """Return the estimated mean rewards (rows, arms)."""
        return np.array([self._agent.scores(row).means for row in contexts])

    def peek(self, contexts: Floats) -> int:
        """Return what the policy would choose; attacks may ask for it."""
        return self.preference(contexts, 0)[0]


class _ObjectLearner:
    """Any object that chooses and learns; what it estimates is not known."""

    def __init__(self, policy: Any, problem: Problem):
        self._state = policy.start(problem)
        self._player = self._state.handle.player
        self._rng = np.random.default_rng(stream(0, POLICY))
        self._player.begin(self._rng, 0)

    def observe(self, contexts: Floats, arm: int, reward: float) -> None:
        """Let the object choose, and learn a row as if it had chosen the logged arm."""
        self._player.choose(contexts.T, self._rng)
        self._player.learn(arm, reward)

    def preference(self, contexts: Floats, logged: int) -> tuple[int, float]:
        """Return what the object chooses, and whether it is the logged arm."""
        arm = self._player.choose(contexts.T, self._rng)
        return arm, float(arm == logged)

    def estimates(self, contexts: Floats) -> Floats | None:
        """Return None, because what an object estimates is not known."""
        return None

    def peek(self, contexts: Floats) -> int:
        """Return what the object would choose; attacks may ask for it."""
        return int(self._player.choose(contexts.T, np.random.default_rng()))
