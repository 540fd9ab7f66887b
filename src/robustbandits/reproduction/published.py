"""The paper's own results, read off its Figure 1."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources

from robustbandits.experiments.spec import Spec
from robustbandits.metrics.groups import Labels
from robustbandits.ratings.synthetic import STAND_IN
from robustbandits.reproduction.readings import is_reading

#: Length of the games in the paper; its numbers say nothing about another length.
PUBLISHED_ROUNDS = 1_000_000
#: Every published number is a mean over this many repetitions.
PUBLISHED_RUNS = 10
#: How well numbers can be read off the figure, as a share of the panel's axis, which ends near the
#: largest number of the panel.
READING_ERROR = 0.01


@cache
def published_regrets() -> dict[Labels, float]:
    """Return final regrets at T = 10⁶, by environment, attack and policy."""
    text = resources.files("robustbandits.reproduction").joinpath("figure1.csv").read_text("utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return {
        Labels(row["environment"], row["attack"], row["policy"]): float(row["regret"])
        for row in rows
    }


def published_in_report(spec: Spec) -> dict[Labels, float]:
    """Return what a report shows beside an experiment; nothing unless it is a reading."""
    return published_for(spec) if is_reading(spec) else {}


def published_for(
    spec: Spec, published: Mapping[Labels, float] | None = None
) -> dict[Labels, float]:
    """Return published regrets under the labels of a spec.

    Environments and attacks are recognized by label or by recipe. Policies are recognized by label
    only, because one recipe may play with several sets of parameters. Synthetic stand-ins for data
    are never compared with the paper.

    Parameters
    ----------
    spec
        What was played.
    published
        Published regrets; the paper's by default, which apply to games of 10⁶ rounds only.
    """
    if published is None:
        published = published_regrets() if spec.rounds == PUBLISHED_ROUNDS else {}
    by_name = {tuple(map(plain_name, labels)): regret for labels, regret in published.items()}
    environments = {names[0] for names in by_name}
    attacks = {names[1] for names in by_name}
    found = {}
    for environment, environment_recipe in spec.environments.items():
        for attack, attack_recipe in spec.attacks.items():
            for policy in spec.policies:
                names = (
                    _known_name(environment, environment_recipe.name, environments),
                    _known_name(attack, attack_recipe.name, attacks),
                    plain_name(policy),
                )
                if names in by_name and not environment.endswith(STAND_IN):
                    found[Labels(environment, attack, policy)] = by_name[names]
    return found


def _known_name(label: str, recipe: str, known: Collection[str]) -> str:
    """Return the plain form of a label, or of the recipe's name if only that one is known."""
    label, recipe = plain_name(label), plain_name(recipe)
    return recipe if label not in known and recipe in known else label


def plain_name(name: str) -> str:
    """Return a name in lower case without punctuation, so that ``BOB-No-Restart`` is found too."""
    return re.sub(r"[^a-z0-9]", "", name.lower().removesuffix(STAND_IN))
