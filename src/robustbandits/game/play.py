"""The loop that plays a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustbandits.compiled.jit import program
from robustbandits.game.committed import commit_shifts, wanted_reward, watch
from robustbandits.game.knowledge import NoPolicy, known_contexts, known_means, known_policy
from robustbandits.game.ledger import PLAYED, Book, record_round
from robustbandits.game.purse import SPENT, Purse, has_money, settle_reward
from robustbandits.game.records import inject_records
from robustbandits.game.rounds import CHOSEN, Rounds, draw_reward
from robustbandits.game.swaps import attack_arm
from robustbandits.game.verbs import Scene, attack_contexts, choose, learn, overhear
from robustbandits.kernels.linalg import Floats, copy, copy_column, dot


@program
def play(
    rounds: Rounds,
    policy: Any,
    attack: Any,
    purse: Purse,
    book: Book,
    policy_rng: np.random.Generator,
    attack_rng: np.random.Generator,
    memo: Floats,
) -> None:
    """Play a block of rounds, and change the states, the purse and the book in place."""
    stored, dim, arms = rounds.contexts.shape
    infinite = rounds.model.shape[0] > 0
    offset = rounds.model[dim] if infinite else 0.0
    ball_means = np.empty(3)  # means if there are infinitely many arms
    shown = np.empty((dim, arms))
    context = np.empty(dim)
    shifts = np.empty(arms)  # of rewards, by an attack that commits to them before the choice
    # Shown to an attack that may not see the real ones; loops compile faster than np.full.
    no_contexts = np.empty((dim, arms))
    for i in range(dim):
        for a in range(arms):
            no_contexts[i, a] = np.nan
    no_means = np.empty(rounds.means.shape[1])
    for a in range(no_means.shape[0]):
        no_means[a] = np.nan
    policy_to_ask = known_policy(attack, policy, NoPolicy(0))
    for t in range(rounds.noise.shape[0]):
        for i in range(memo.shape[0]):
            memo[i] = 0.0
        # Contexts and means that are the same in all rounds are stored once: `drop_repeated_rows`.
        contexts = rounds.contexts[t if stored > 1 else 0]
        row = t if rounds.best.shape[0] > 1 else 0
        means = rounds.means[row]
        if infinite:
            for i in range(ball_means.shape[0]):  # takes less time to compile than a slice
                ball_means[i] = means[i]
            means = ball_means
        # The policy gets a copy, so that it cannot change the rounds of other games.
        copy(contexts, shown)
        can_attack = has_money(purse)
        attacked = False
        if can_attack:
            scene = Scene(
                book.clock[PLAYED],
                known_contexts(attack, contexts, no_contexts),
                known_means(attack, means, no_means),
                purse.account[SPENT],
                purse.budget,
            )
            attacked = attack_contexts(
                attack, policy_to_ask, scene, contexts, shown, purse, attack_rng
            )
            commit_shifts(attack, scene, shifts, purse, attack_rng)
            injected = inject_records(
                attack, policy, scene, contexts, offset, purse, policy_rng, attack_rng
            )
            attacked = attacked or injected
        arm = choose(policy, shown, policy_rng, memo)
        if arm < 0 or arm >= arms:
            raise IndexError(
                "the policy chose an arm that does not exist: run checks.check_policy on it"
            )
        copy_column(shown, arm, context)
        if infinite:
            means[CHOSEN] = dot(context, rounds.model) + offset
        played = arm
        if can_attack:
            scene = Scene(
                scene.round, scene.contexts, scene.means, purse.account[SPENT], purse.budget
            )
            played = attack_arm(attack, policy_to_ask, scene, arm, means, purse, attack_rng)
            reward = draw_reward(means[played], rounds.noise[t], purse.clicks)
            wanted = wanted_reward(attack, policy_to_ask, scene, shifts, arm, reward, attack_rng)
            seen = settle_reward(purse, reward, wanted)
            watch(attack, scene, played, reward)
        else:
            reward = draw_reward(means[arm], rounds.noise[t], purse.clicks)
            seen = reward
        overhear(policy, purse.account[SPENT], not has_money(purse))
        learn(policy, arm, context, seen - offset, memo, policy_rng)
        attacked = attacked or seen != reward or played != arm
        record_round(book, purse, arm, rounds.best[row] - means[played], reward, seen, attacked)
