"""What a reader should cite: the paper, the data that were used, and this software."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from robustbandits._version import __version__
from robustbandits.experiments.spec import Spec
from robustbandits.ratings.datasets import MOVIELENS_100K, NETFLIX


class Citation(NamedTuple):
    """What it is, and the text to cite."""

    what: str
    text: str


PAPER = Citation(
    "The paper",
    "Qin Ding, Cho-Jui Hsieh, James Sharpnack. Robust Stochastic Linear Contextual Bandits Under "
    "Adversarial Attacks. Proceedings of the 25th International Conference on Artificial "
    "Intelligence and Statistics (AISTATS), PMLR 151, 2022.",
)
SOFTWARE = Citation(
    "This software",
    f"The robustbandits authors. robustbandits {__version__}: corruption-robust contextual "
    "bandits, budgeted attacks, and a lab to measure them.",
)
DATA = {
    "movielens": Citation("The data: MovieLens", MOVIELENS_100K.citation),
    "netflix": Citation("The data: Netflix Prize", NETFLIX.citation),
}


def citations(specs: Iterable[Spec]) -> list[Citation]:
    """Return what these experiments are based on; data are cited only if they were used."""
    environments = [environment for spec in specs for environment in spec.environments.values()]
    # A recipe may name its data in a field or by its class: look at both.
    words = " ".join(
        type(environment).__name__
        + json.dumps(getattr(environment, "to_dict", dict)(), default=str)
        for environment in environments
        if not getattr(environment, "stand_in", False)
    ).lower()
    return [PAPER, *[cited for name, cited in DATA.items() if name in words], SOFTWARE]
