"""The order of the policies in a panel, compared with the published order."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from robustbandits.metrics.damage import paired_differences
from robustbandits.metrics.groups import Group
from robustbandits.reproduction.prediction import central_range, predict_means
from robustbandits.reproduction.published import PUBLISHED_RUNS


class ReversedPair(NamedTuple):
    """Two policies whose published order is reversed here."""

    better: str  # as published
    worse: str  # as published
    certain: bool  # means of 10 runs would show it too, and the published numbers clearly differ


class PanelOrder(NamedTuple):
    """The reversed pairs of one environment under one attack."""

    environment: str
    attack: str
    reversed_pairs: tuple[ReversedPair, ...]

    def sentence(self) -> str:
        """Return one or two sentences on the order of the policies."""
        pairs = self.reversed_pairs
        certain, uncertain = (
            [f"{pair.worse} beats {pair.better}" for pair in pairs if pair.certain is is_certain]
            for is_certain in (True, False)
        )
        if not pairs:
            return "The order of the policies agrees."
        within = f"{', '.join(uncertain)} here, but means of 10 runs could have either order"
        if not certain:
            return f"The order agrees within the noise: {within}."
        differs = f"The order differs: {', '.join(certain)} here."
        return f"{differs} Also {within}." if uncertain else differs


def panel_order(
    names: tuple[str, str],
    groups: Mapping[str, Group],
    published: Mapping[str, float],
    reading_error: float,
) -> PanelOrder:
    """Return the pairs of policies whose published order is reversed in our means.

    A pair is certain if the central 95 % of differences between means of 10 runs (of the same
    seeds) excludes 0, and the published numbers differ by more than twice the reading error.
    """
    pairs = []
    for first, second in combinations(published, 2):
        better, worse = sorted((first, second), key=published.__getitem__)
        differences = paired_differences(groups[better], groups[worse])
        gap = published[worse] - published[better]
        if gap == 0 or not len(differences) or differences.mean() <= 0:
            continue
        beyond_noise = False
        if len(differences) > 1:
            beyond_noise = central_range(predict_means(differences, PUBLISHED_RUNS))[0] > 0
        certain = beyond_noise and gap > 2 * reading_error
        pairs.append(ReversedPair(better, worse, certain))
    return PanelOrder(*names, tuple(pairs))
