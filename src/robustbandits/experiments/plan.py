"""Plan: a spec made into matches and games, each with an id that says what it is.

Pure: equal specs give equal plans, on every machine. A game's id is a hash of its recipes (and of
the data behind them), its seed, its length and the kernels' version: what it does not hold, the
labels for one, cannot change a game's numbers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, NamedTuple

from robustbandits.experiments.fit import able, problem_of
from robustbandits.experiments.recipe_json import canonical, recipe_to_plain
from robustbandits.experiments.spec import Spec

#: Raise this whenever the same recipes and seed would give other numbers than before: a change in
#: a kernel's arithmetic, in a random stream, in what an environment draws, or in how a ledger
#: records. Then stores hold old games under old ids, and `run` plays them anew. Do not raise it
#: for changes that leave every bit as it was.
KERNEL_VERSION = "1"
#: Games that one plan may list: they take 350 MB, and beyond it a list was a slip of the pen.
MAX_GAMES = 2_000_000
ID_LENGTH = 32


class PlannedGame(NamedTuple):
    """One policy against one attack; labels as in the spec."""

    id: str
    attack: str
    policy: str


class PlannedMatch(NamedTuple):
    """All games that meet the same rounds."""

    id: str
    environment: str  # label
    seed: int
    rounds: int
    points: int
    games: tuple[PlannedGame, ...]


@dataclass(frozen=True)
class Plan:
    """What a spec amounts to."""

    spec: Spec
    matches: tuple[PlannedMatch, ...]

    @property
    def games(self) -> int:
        """How many games."""
        return sum(len(match.games) for match in self.matches)

    @property
    def rounds(self) -> int:
        """How many rounds, summed over games."""
        return sum(match.rounds * len(match.games) for match in self.matches)

    @property
    def left_out(self) -> dict[str, list[str]]:
        """Policies that do not play in an environment because they refuse it, by environment."""
        found: dict[str, list[str]] = {}
        for match in self.matches:
            if match.environment not in found:
                playing = {game.policy for game in match.games}
                found[match.environment] = [one for one in self.spec.policies if one not in playing]
        return {place: left for place, left in found.items() if left}


def make_plan(spec: Spec) -> Plan:
    """Return the plan of a spec: environment by environment, seed by seed."""
    if spec.games > MAX_GAMES:
        raise ValueError(
            f"{spec.name} stands for {spec.games:,} games; at most {MAX_GAMES:,} can be planned: "
            f"shorten its lists, or split it into several specs"
        )
    crooks = {label: identity(recipe) for label, recipe in spec.attacks.items()}
    players = {label: identity(recipe) for label, recipe in spec.policies.items()}
    matches = []
    for place, environment in spec.environments.items():
        where = identity(environment)
        present = _present(spec, place)
        pairs = [(crook, player) for crook in crooks for player in present]
        for seed in spec.seeds:
            games = tuple(
                PlannedGame(
                    _hash(_game_text(crooks[crook], where, players[player], spec, seed)),
                    crook,
                    player,
                )
                for crook, player in pairs
            )
            match_id = _hash("match " + " ".join(game.id for game in games))
            matches.append(PlannedMatch(match_id, place, seed, spec.rounds, spec.points, games))
    return Plan(spec, tuple(matches))


def _present(spec: Spec, place: str) -> list[str]:
    """Return the policies that play in an environment."""
    if spec.unsupported == "refuse":
        return list(spec.policies)
    problem = problem_of(spec.environments[place], spec.rounds, spec.seeds[0])
    found = able(spec.policies, problem)
    if not found:
        raise ValueError(
            f"no policy of {spec.name} can play in {place}: all of them refuse its problem. Leave "
            f"that environment out, or add a policy for changing arms, such as LinUCB"
        )
    return found


def identity(recipe: Any) -> str:
    """Return the canonical JSON of a recipe and, where it has one, of its data's fingerprint."""
    values = recipe_to_plain(recipe)
    fingerprint = getattr(recipe, "fingerprint", None)
    if fingerprint is not None:
        values["fingerprint"] = str(fingerprint)
    return canonical(values)


def _game_text(attack: str, environment: str, policy: str, spec: Spec, seed: int) -> str:
    """Return the canonical JSON of a game, put together from parts that are canonical already."""
    return (
        f'{{"attack":{attack},"environment":{environment},"kernels":"{KERNEL_VERSION}",'
        f'"points":{spec.points},"policy":{policy},"rounds":{spec.rounds},"seed":{seed}}}'
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]
