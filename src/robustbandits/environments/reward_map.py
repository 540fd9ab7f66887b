"""Maps from predicted ratings to mean rewards in [0, 1], and which of them are linear.

A factorization predicts the rating ``x·θ``, a number from 1 to 5 or so; a bandit needs a mean
reward in [0, 1]. There are four maps. Three keep the mean *exactly linear* in the contexts that
the policy sees. The fourth, ``"affine"``, is what the paper says: it shifts the mean but not the
features, so that a constant is missing and no theta explains the rewards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustbandits.kernels.linalg import Floats

#: Maps under which the mean reward is exactly ``x'·θ'``.
LINEAR_MAPS = ("shift-features", "scale", "affine+intercept")
REWARD_MAPS = (*LINEAR_MAPS, "affine")


class Mapped(NamedTuple):
    """Contexts and mean rewards of some items, and their true bounds."""

    contexts: Floats  # (items, dim)
    means: Floats  # (items,) mean rewards
    theta: Floats  # (dim,) parameter of the linear model; under "affine" only its slope
    context_bound: float  # length of the longest context
    theta_bound: float  # length of theta
    intercept: bool  # whether the last coordinate is a constant
    scale: float = 1.0  # what a reward of 1 is worth in ratings


def map_rewards(name: str, features: Floats, theta: Floats) -> Mapped:
    """Map the predicted ratings of items to rewards.

    Let μ = x·θ be the predicted rating of an item; the smallest and the largest are taken over the
    items given, which are all items that may become arms.

    - ``"shift-features"``: ``x' = x - x_worst``, ``θ' = θ / (μ_max - μ_min)``. Linear; the means
      are those of ``"affine"``.
    - ``"scale"``: ``x' = x / max‖x‖``, ``θ' = θ / ‖θ‖``. Linear; the means do not fill [0, 1].
    - ``"affine+intercept"``: means as for ``"affine"``, contexts ``[x / max‖x‖, 1] / √2``. Linear,
      with one more dimension and a longer theta.
    - ``"affine"``: means ``(μ - μ_min) / (μ_max - μ_min)``, contexts as they are. *Not* linear.

    Parameters
    ----------
    name
        One of `REWARD_MAPS`.
    features
        (items, dim) feature vectors of items.
    theta
        (dim,) mean feature vector of the users.
    """
    ratings = products(features, theta)
    if name == "scale":
        return _scaled(features, theta, ratings)
    worst, span = int(ratings.argmin()), float(np.ptp(ratings))
    if not span > 0.0:
        raise ValueError(
            f"reward_map={name!r} needs items with different means, but all {len(ratings)} items "
            f"have the same one: draw more arms, or draw without replacement"
        )
    means = (ratings - ratings[worst]) / span
    slope = theta / span
    if name == "shift-features":
        mapped = _mapped(features - features[worst], means, slope)
    elif name == "affine":
        mapped = _mapped(features, means, slope)
    else:
        mapped = _with_intercept(features, means, slope, -float(ratings[worst]) / span)
    return mapped._replace(scale=span)


def products(features: Floats, theta: Floats) -> Floats:
    """Return ``features @ theta``, summed by coordinate: the same bits with any BLAS."""
    total = np.zeros(len(features))
    for i, weight in enumerate(theta):
        total += weight * features[:, i]
    return total


def lengths(features: Floats) -> Floats:
    """Return the Euclidean length of each row."""
    total = np.zeros(len(features))
    for column in features.T:
        total += column * column
    return np.sqrt(total)


def _mapped(contexts: Floats, means: Floats, theta: Floats, intercept: bool = False) -> Mapped:
    return Mapped(
        contexts=contexts,
        means=means,
        theta=theta,
        context_bound=float(lengths(contexts).max()),
        theta_bound=float(lengths(theta[None, :])[0]),
        intercept=intercept,
    )


def _scaled(features: Floats, theta: Floats, ratings: Floats) -> Mapped:
    longest = float(lengths(features).max())
    norm = float(lengths(theta[None, :])[0])
    if not longest * norm > 0.0:
        raise ValueError(
            "reward_map='scale' needs features and users that are not all zero: use other factors"
        )
    if ratings.min() < 0.0:
        raise ValueError(
            f"reward_map='scale' needs predicted ratings >= 0, but the smallest is "
            f"{ratings.min():g}: use reward_map='shift-features'"
        )
    scale = longest * norm
    return _mapped(features / longest, ratings / scale, theta / norm)._replace(scale=scale)


def _with_intercept(features: Floats, means: Floats, slope: Floats, constant: float) -> Mapped:
    longest = float(lengths(features).max())
    half = math.sqrt(0.5)
    contexts = np.empty((len(features), features.shape[1] + 1))
    contexts[:, :-1] = features * (half / longest)
    contexts[:, -1] = half
    theta = np.append(slope * (longest / half), constant / half)
    return _mapped(contexts, means, theta, intercept=True)
