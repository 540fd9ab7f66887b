"""ActionSwap and FakeInjection: attacks on the arm that is played, and with fake records."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import robustbandits as rb
from attacks.scenes import scene
from catalogue import EVERY, policy, simulation_for
from game.plain_policies import Rotation
from game.players import AttackRecipe
from property.laws import WILD, arrays_of, deal_rounds, game_bits, played, same_bits, trace
from robustbandits.attacks import ActionSwap, Burst, Drip, FakeInjection, Shadow
from robustbandits.compiled.jit import jit_is_on, kernel
from robustbandits.game.match import NATURE, Game, stream
from robustbandits.game.problem import Problem
from robustbandits.game.purse import SPENT, open_purse, settle_arm, settle_record

pytestmark = [pytest.mark.slow] if jit_is_on else []  # much to compile
ROUNDS = 120
INDEX = np.arange(ROUNDS)
CATALOGUE = rb.environments.Simulation(contexts="fixed", noise=0.01)
CLICKS = rb.environments.Simulation(arms=5, dim=2, rewards="clicks")
LINUCB = rb.policies.LinUCB()
RULES = pytest.mark.parametrize("purse", ["truncate", "skip", "stop"])


# ------------------------------------------------------------------------------------- the purse


def purse_of(budget, rule="truncate", clicks=False):
    return open_purse(budget, rule, Problem(arms=4, dim=2, clicks=clicks))


@RULES
def test_a_swap_costs_one_and_is_not_made_for_less(purse):
    money = purse_of(2.5, purse)
    assert [settle_arm(money, 0, 3, 4) for _ in range(4)] == [3, 3, 0, 0]
    assert money.account[SPENT] == 2.0
    assert settle_arm(purse_of(2.5, purse), 2, 2, 4) == 2


@pytest.mark.parametrize("wanted", [-1, 4, 99])
def test_an_arm_that_does_not_exist_is_not_played(wanted):
    money = purse_of(5.0)
    assert settle_arm(money, 1, wanted, 4) == 1
    assert money.account.tolist()[:3] == [0.0, 0.0, 1.0]


@RULES
def test_a_record_costs_one_and_has_a_legal_reward(purse):
    money = purse_of(3.5, purse)
    rewards = [settle_record(money, 0, wanted, 4) for wanted in (0.25, 7.0, -7.0, 0.5)]
    assert rewards == [0.25, 1.0, 0.0, -1.0]
    assert money.account[SPENT] == 3.0
    clicks = purse_of(3.0, purse, clicks=True)
    assert [settle_record(clicks, 0, wanted, 4) for wanted in (0.4, 0.6)] == [0.0, 1.0]


@pytest.mark.parametrize("record", [(-2, 0.5), (4, 0.5), (0, math.nan), (0, math.inf)])
def test_a_bad_record_is_not_made(record):
    money = purse_of(3.0)
    assert settle_record(money, *record, 4) == -1.0
    assert money.account.tolist()[:3] == [0.0, 0.0, 1.0]


# ------------------------------------------------------------------------------------ ActionSwap


def worst_arms(game, target=0, sigma=0.1, delta=0.05, ridge=0.1):
    """Return the arms that a slow twin of ActionSwap plays, without a limit on its budget."""
    dim = game.dealt.shape[1]
    gram, moment, arms = ridge * np.eye(dim), np.zeros(dim), []
    for t, chosen in enumerate(game.arms):
        contexts = game.dealt[t].T
        inverse = np.linalg.inv(gram)
        widths = np.sqrt(np.einsum("ai,ij,aj->a", contexts, inverse, contexts))
        radius = sigma * math.sqrt(dim * math.log((1 + t / ridge) / delta)) + math.sqrt(ridge)
        bounds = contexts @ inverse @ moment - radius * widths
        bounds[target] = math.inf
        arm = chosen if chosen == target else int(np.argmin(bounds))
        gram += np.outer(contexts[arm], contexts[arm])
        moment += game.seen[t] * contexts[arm]
        arms.append(arm)
    return np.array(arms)


def test_action_swap_plays_the_arm_with_the_lowest_bound():
    attack = ActionSwap(math.inf, target=2, sigma=0.3, delta=0.1, ridge=0.5)
    game = trace(attack, rounds=ROUNDS)
    arms = worst_arms(game, target=2, sigma=0.3, delta=0.1, ridge=0.5)
    block = deal_rounds(WILD, ROUNDS)[1]
    assert (game.seen == block.means[INDEX, arms] + block.noise).all()
    swapped = arms != game.arms
    assert 20 < swapped.sum() < ROUNDS
    assert not swapped[game.arms == 2].any()
    assert game.spent[-1] == swapped.sum()
    assert same_bits(game.shown, game.dealt)


def test_regret_counts_the_arms_that_are_played_and_pulls_those_that_are_chosen():
    attack = ActionSwap(math.inf)
    game = trace(attack, rounds=ROUNDS)
    arms = worst_arms(game)
    ledger = rb.simulate(environment=WILD, attack=attack, policy=LINUCB, rounds=ROUNDS)
    best = game.means.max(axis=1)
    assert ledger.final_regret == pytest.approx((best - game.means[INDEX, arms]).sum())
    lost = game.means[INDEX, game.arms] - game.means[INDEX, arms]
    assert ledger.costs["swap_regret"] == pytest.approx(lost.sum())
    assert ledger.costs["swaps"] == ledger.spent == (arms != game.arms).sum()
    assert ledger.pulls.tolist() == np.bincount(game.arms, minlength=5).tolist()
    assert ledger.attacked_rounds == ledger.costs["swaps"]


@RULES
@pytest.mark.parametrize("budget", [0.0, 0.9, 1.0, 7.3, 1e9])
def test_action_swap_stays_within_its_budget(budget, purse):
    game = trace(ActionSwap(budget, purse=purse), rounds=ROUNDS)
    assert (game.spent <= budget).all()
    assert game.spent[-1] == (math.floor(budget) if budget < 20 else game.spent[-1])
    after = np.searchsorted(game.spent, math.floor(budget)) + 1
    assert same_bits(game.seen[after:], game.earned[after:])


def test_a_larger_budget_changes_nothing_before_the_smaller_is_spent():
    smaller, larger = (trace(ActionSwap(budget), rounds=ROUNDS) for budget in (7.3, 100.0))
    until = int(np.argmax(larger.spent > 7.0))
    for name in ("arms", "seen", "spent"):
        assert same_bits(getattr(smaller, name)[:until], getattr(larger, name)[:until])


def test_action_swap_needs_neither_the_means_nor_the_policy():
    state = ActionSwap(1.0).start(Problem(arms=4, dim=4))
    here = scene(np.full(4, np.nan), np.eye(4))
    rng = np.random.default_rng(0)
    for arm, reward in enumerate((0.6, 0.9, 0.1, 0.8)):
        state.watch(here, arm, reward)
    assert [state.propose_arm(None, here, arm, rng) for arm in range(4)] == [0, 2, 2, 2]


class SwapsToArm(NamedTuple):
    arm: int

    @kernel
    def propose_arm(self, policy, scene, arm, rng):
        return self.arm


def test_an_attack_of_your_own_may_swap_arms_but_not_to_one_that_does_not_exist():
    game = trace(AttackRecipe(SwapsToArm(3), budget=9.0), rounds=40)
    assert game.spent[-1] == 9.0
    with pytest.warns(RuntimeWarning, match="made .* proposals that are not finite or name an arm"):
        ledger = rb.simulate(
            environment=WILD,
            attack=AttackRecipe(SwapsToArm(77), budget=9.0),
            policy=LINUCB,
            rounds=20,
        )
    assert (ledger.spent, ledger.bad_proposals) == (0.0, 20)


@pytest.mark.skipif(not jit_is_on, reason="plays 20,000 rounds, too many for plain Python")
def test_action_swap_hijacks_linucb():
    means = deal_rounds(CATALOGUE, 1)[1].means[0]
    target = int(np.argsort(means)[10])
    ledger = rb.simulate(
        environment=CATALOGUE,
        attack=ActionSwap(300.0, target=target, sigma=0.01),
        policy=rb.policies.LinUCB(sigma=0.01),
        rounds=20_000,
    )
    assert ledger.pulls[target] > 18_000
    assert ledger.final_regret > 20 * ledger.costs["swap_regret"]


# --------------------------------------------------------------------------------- FakeInjection


def injected(attack, rounds=60):
    """Play against a policy that rotates; return (round, arm, reward) of each fake record."""
    rotation = Rotation()
    ledger = rb.simulate(environment=WILD, attack=attack, policy=lambda: rotation, rounds=rounds)
    block = deal_rounds(WILD, rounds)[1]
    records, t = [], 0
    for contexts, arm, reward in (entry[1:] for entry in rotation.log if entry[0] == "learn"):
        assert np.array_equal(contexts, block.contexts[t].T)
        if reward == block.means[t, arm] + block.noise[t]:
            t += 1
        else:
            records.append((t, arm, reward))
    assert t == rounds
    return records, ledger


def test_fake_injection_praises_the_target_and_lowers_the_rival():
    records, ledger = injected(FakeInjection(12.0, target=3, records=2, every=5))
    assert len(records) == ledger.spent == ledger.costs["records"] == ledger.costs["change"] == 12.0
    assert {t % 5 for t, _, _ in records} == {0}
    assert max(np.bincount([t for t, _, _ in records])) == 2
    assert all(reward == (1.0 if arm == 3 else 0.0) for _, arm, reward in records)
    praised = np.cumsum([arm == 3 for _, arm, _ in records])
    assert praised.tolist() == np.ceil(np.arange(1, 13) * 2 / 3).tolist()
    assert ledger.attacked_rounds == 6
    assert ledger.pulls.sum() == 60  # a fake visit is not a round


@RULES
@pytest.mark.parametrize("budget", [0.9, 1.0, 7.3, 1e9])
def test_fake_injection_stays_within_its_budget(budget, purse):
    records, ledger = injected(FakeInjection(budget, purse=purse))
    assert len(records) == ledger.spent == min(math.floor(budget), 58)  # no rival in 2 rounds


@pytest.mark.parametrize(("promotion", "arms"), [(0.0, {1, 2, 3, 4}), (1.0, {0})])
def test_promotion_is_the_share_of_records_for_the_target(promotion, arms):
    records, _ = injected(FakeInjection(20.0, promotion=promotion))
    assert {arm for _, arm, _ in records} <= arms


def test_the_rival_is_the_last_arm_that_was_chosen_besides_the_target():
    state = FakeInjection(9.0, target=1, promotion=0.0).start(Problem(arms=4, dim=2))
    here, rng = scene(np.full(4, np.nan)), np.random.default_rng(0)
    assert state.propose_record(here, 0, rng)[0] == -1  # no rival is known yet
    for arm, rival in ((2, 2), (1, 2), (3, 3)):
        state.watch(here, arm, 0.5)
        assert state.propose_record(here, 0, rng) == (rival, 0.0)
    assert state.propose_record(here, 1, rng)[0] == -1


def test_fake_records_of_clicks_are_clicks():
    ledger = rb.simulate(
        environment=CLICKS, attack=FakeInjection(9.5), policy=LINUCB, rounds=ROUNDS
    )
    assert ledger.spent == ledger.costs["records"] == 9.0


@pytest.mark.parametrize("name", EVERY)
def test_every_policy_can_learn_fake_records(name):
    recipe = policy(name)
    environment = simulation_for(recipe)
    nature = environment.start(200, stream(0, NATURE))
    game = Game(recipe, FakeInjection(50.0, target=1, records=3, every=4), nature.problem, 0, 200)
    game.advance(nature.draw(200))
    ledger = game.close("test", 0)
    assert ledger.costs["records"] == 50.0
    assert np.isfinite(ledger.regret).all()
    assert ledger.pulls.sum() == 200
    for path, array in arrays_of(game.policy):
        assert not np.isnan(array).any(), path


def test_records_move_linucb_as_much_as_the_same_rewards_do():
    """With one arm for all records, the regression is that of a slow twin with these records."""
    problem, block = deal_rounds(WILD, 30)
    attack = FakeInjection(10.0, target=4, promotion=1.0, every=3)
    game = played(problem, block, attack, LINUCB)
    clean = played(problem, block, rb.attacks.NoAttack(), LINUCB)
    assert game_bits(game) != game_bits(clean)
    records = block.contexts[3:30:3, :, 4]
    gram = game.policy.optimist.ridge.gram
    honest = sum(
        np.outer(x, x)
        for x in (block.contexts[t, :, arm] for t, arm in enumerate(_chosen(attack, 30)))
    )
    np.testing.assert_allclose(gram, 0.1 * np.eye(3) + records.T @ records + honest)


def _chosen(attack, rounds):
    """Return the arms that LinUCB chose, one prefix of the game at a time."""
    problem, block = deal_rounds(WILD, rounds)
    pulls = [np.zeros(5, dtype=int)]
    for t in range(1, rounds + 1):
        game = Game(LINUCB, attack, problem, 0, rounds)
        game.advance(type(block)(*(array[:t] for array in block[:4])))
        pulls.append(game.book.pulls.copy())
    return np.argmax(np.diff(np.array(pulls), axis=0), axis=1)


# ------------------------------------------------------------------------------ around attacks


def test_schedules_limit_swaps_and_records():
    spent = trace(Burst(ActionSwap(20.0), start_at=30, length=20), rounds=100).spent
    assert spent[29] == 0.0 < spent[49] == spent[-1]
    ledger = rb.simulate(
        environment=WILD,
        attack=Drip(FakeInjection(50.0), rate=0.1),
        policy=LINUCB,
        rounds=100,
        points=100,
    )
    assert ledger.spent == pytest.approx(10.0, abs=1.0)
    assert np.diff(ledger.spent_so_far).max() == 1.0


@pytest.mark.parametrize("attack", [ActionSwap(1.0), FakeInjection(1.0)])
def test_a_shadow_of_an_attack_that_knows_no_more_is_refused(attack):
    with pytest.raises(TypeError, match="Shadow needs an attack on rewards or contexts"):
        Shadow(attack).start(Problem(arms=3, dim=2))
