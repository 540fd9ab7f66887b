"""The plan of a spec: its matches and games, each with an id.

Planning has no side effects: equal specs give equal plans, on every machine. A game's id is a hash
of its recipes (with the versions of their classes, and the data behind them), its seed, its length,
how many rounds are recorded, and the kernels' version. Anything else, such as a label, cannot
change a game's numbers.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from robustbandits.experiments.recipe_json import canonical, recipe_to_plain
from robustbandits.experiments.spec import Spec
from robustbandits.game.facts import start_policy
from robustbandits.game.match import NATURE, stream
from robustbandits.game.problem import Problem, UnsupportedProblem
from robustbandits.game.recipe import VERSION_KEY, class_version

#: Raise this when all games would give different numbers than before: after a change in the loop,
#: in a random stream, in a kernel that every policy uses, or in how a ledger records. A change of
#: some policies, attacks or environments raises the ``version`` of their classes instead. Stores
#: keep old games under their old ids, and `run` plays the new ones. Do not raise it for changes
#: that leave every bit as it was.
KERNEL_VERSION = "1"
#: A plan of this many games takes 350 MB; a larger one is almost certainly a mistake.
MAX_GAMES = 2_000_000
ID_LENGTH = 32


class PlannedGame(NamedTuple):
    """One policy against one attack; labels as in the spec."""

    id: str  # empty in a plan that was read from a store: its files name matches only
    attack: str
    policy: str


class PlannedMatch(NamedTuple):
    """All games with one environment and one seed; they are played with the same rounds."""

    id: str
    environment: str  # label
    seed: int
    rounds: int
    points: int
    games: tuple[PlannedGame, ...]


@dataclass(frozen=True)
class Plan:
    """All matches of a spec."""

    spec: Spec
    matches: tuple[PlannedMatch, ...]

    @functools.cached_property
    def spec_values(self) -> dict[str, Any]:
        """The spec as plain values for JSON, computed once."""
        return self.spec.to_dict()

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(len(match.games) for match in self.matches)

    @property
    def rounds(self) -> int:
        """Number of rounds, summed over games."""
        return sum(match.rounds * len(match.games) for match in self.matches)

    @property
    def skipped(self) -> dict[str, list[str]]:
        """Labels of the attacks and policies that cannot play in an environment, by environment."""
        found: dict[str, list[str]] = {}
        for match in self.matches:
            if match.environment not in found:
                playing = {label for game in match.games for label in (game.attack, game.policy)}
                labels = [*self.spec.attacks, *self.spec.policies]
                found[match.environment] = [label for label in labels if label not in playing]
        return {environment: skipped for environment, skipped in found.items() if skipped}


def make_plan(spec: Spec) -> Plan:
    """Return the plan of a spec: environment by environment, seed by seed."""
    if spec.games > MAX_GAMES:
        raise ValueError(
            f"{spec.name} has {spec.games:,} games; at most {MAX_GAMES:,} can be planned: "
            f"shorten its lists, or split it into several specs"
        )
    attacks = {label: identity(recipe) for label, recipe in spec.attacks.items()}
    policies = {label: identity(recipe) for label, recipe in spec.policies.items()}
    matches = []
    for label, recipe in spec.environments.items():
        environment = identity(recipe)
        pairs = _playing_pairs(spec, label)
        for seed in spec.seeds:
            games = tuple(
                PlannedGame(
                    _game_id(attacks[attack], environment, policies[policy], spec, seed),
                    attack,
                    policy,
                )
                for attack, policy in pairs
            )
            match_id = match_id_of(game.id for game in games)
            matches.append(PlannedMatch(match_id, label, seed, spec.rounds, spec.points, games))
    return Plan(spec, tuple(matches))


def _playing_pairs(spec: Spec, environment: str) -> list[tuple[str, str]]:
    """Return the labels of the attacks and policies that play in an environment, as pairs."""
    attacks, policies = list(spec.attacks), list(spec.policies)
    if spec.unsupported == "skip":
        nature = spec.environments[environment].start(spec.rounds, stream(spec.seeds[0], NATURE))
        problem = nature.problem
        attacks = [a for a in attacks if _can_start(spec.attacks[a].start, problem)]
        policies = [
            p for p in policies if _can_start(partial(start_policy, spec.policies[p]), problem)
        ]
    for kind, labels in (("attack", attacks), ("policy", policies)):
        if not labels:
            article, example = ("an", "NoAttack") if kind == "attack" else ("a", "LinUCB")
            raise ValueError(
                f"no {kind} of {spec.name} can play in {environment}. Remove that environment, or "
                f"add {article} {kind} that can, such as {example}"
            )
    return [(attack, policy) for attack in attacks for policy in policies]


def _can_start(start: Callable[[Problem], Any], problem: Problem) -> bool:
    try:
        start(problem)
    except UnsupportedProblem:
        return False
    return True


def identity(recipe: Any) -> str:
    """Return the canonical JSON of a recipe, its class's version and its data's fingerprint.

    Version 1 is left out, and so is the fingerprint of a recipe that has none.
    A recipe that JSON cannot express gets an identity that is valid only in this process: it can be
    played, but not stored.
    """
    try:
        values = recipe_to_plain(recipe)
    except (TypeError, ValueError):
        values = {"name": type(recipe).__name__, "address": id(recipe)}
    fingerprint = getattr(recipe, "fingerprint", None)
    if fingerprint is not None:
        values["fingerprint"] = str(fingerprint)
    version = class_version(type(recipe))
    if version > 1:
        values[VERSION_KEY] = version
    return canonical(values)


def _game_id(attack: str, environment: str, policy: str, spec: Spec, seed: int) -> str:
    """Hash the canonical JSON of a game, assembled from parts that are canonical already."""
    return _hash(
        f'{{"attack":{attack},"environment":{environment},"kernels":"{KERNEL_VERSION}",'
        f'"points":{spec.points},"policy":{policy},"rounds":{spec.rounds},"seed":{seed}}}'
    )


def match_id_of(games: Iterable[str]) -> str:
    """Return the id of a match from the ids of its games."""
    return _hash("match " + " ".join(games))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]
