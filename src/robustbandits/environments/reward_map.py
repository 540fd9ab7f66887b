"""From predicted ratings to rewards in [0, 1], and what that does to linearity.

A factorisation predicts the rating ``x·θ``, a number from 1 to 5 or so; a bandit wants a mean
reward in [0, 1]. There are four ways to get there. Three keep the mean *exactly linear* in what
the policy sees. The fourth, ``"affine"``, is what the paper says: it shifts the mean and leaves
the features alone, so that a constant is missing and no theta explains the rewards.
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
    """What the policy sees of some items, what they pay, and the true bounds."""

    contexts: Floats  # (items, dim)
    means: Floats  # (items,) mean rewards
    theta: Floats  # (dim,) explains the means, except under "affine": its slope
    context_bound: float  # length of the longest context
    theta_bound: float  # length of theta
    intercept: bool  # whether the last coordinate is a constant


def map_rewards(name: str, features: Floats, theta: Floats) -> Mapped:
    """Map the predicted ratings of items to rewards.

    Write μ = x·θ for the predicted rating of an item, and let the smallest and the largest be
    taken over the items given: all that may ever be arms.

    - ``"shift-features"``: ``x' = x - x_worst``, ``θ' = θ / (μ_max - μ_min)``. Linear; the means
      are those of ``"affine"``.
    - ``"scale"``: ``x' = x / max‖x‖``, ``θ' = θ / ‖θ‖``. Linear; the means do not fill [0, 1].
    - ``"affine+intercept"``: means as for ``"affine"``, contexts ``[x / max‖x‖, 1] / √2``. Linear,
      with one dimension and a longer theta to pay for it.
    - ``"affine"``: means ``(μ - μ_min) / (μ_max - μ_min)``, contexts as they are. *Not* linear.

    Parameters
    ----------
    name
        One of `REWARD_MAPS`.
    features
        (items, dim) feature vectors of items.
    theta
        (dim,) feature vector of the public.
    """
    ratings = products(features, theta)
    if name == "scale":
        return _scale(features, theta, ratings)
    worst, span = int(ratings.argmin()), float(np.ptp(ratings))
    if not span > 0.0:
        raise ValueError(
            f"reward_map={name!r} needs items of different means, but the {len(ratings)} items to "
            f"choose from all have the same one: draw more arms, or without replacement"
        )
    means = (ratings - ratings[worst]) / span
    slope = theta / span
    if name == "shift-features":
        return _mapped(features - features[worst], means, slope)
    if name == "affine":
        return _mapped(features, means, slope)
    return _with_intercept(features, means, slope, -float(ratings[worst]) / span)


def products(features: Floats, theta: Floats) -> Floats:
    """``features @ theta``, summed coordinate by coordinate: the same bits with any BLAS."""
    total = np.zeros(len(features))
    for i, weight in enumerate(theta):
        total += weight * features[:, i]
    return total


def lengths(features: Floats) -> Floats:
    """Euclidean length of each row."""
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


def _scale(features: Floats, theta: Floats, ratings: Floats) -> Mapped:
    longest = float(lengths(features).max())
    norm = float(lengths(theta[None, :])[0])
    if not longest * norm > 0.0:
        raise ValueError("reward_map='scale' needs features and users that are not all zero")
    if ratings.min() < 0.0:
        raise ValueError(
            f"reward_map='scale' needs predicted ratings >= 0, and the smallest is "
            f"{ratings.min():g}: use reward_map='shift-features'"
        )
    return _mapped(features / longest, ratings / (longest * norm), theta / norm)


def _with_intercept(features: Floats, means: Floats, slope: Floats, constant: float) -> Mapped:
    longest = float(lengths(features).max())
    half = math.sqrt(0.5)
    contexts = np.empty((len(features), features.shape[1] + 1))
    contexts[:, :-1] = features * (half / longest)
    contexts[:, -1] = half
    theta = np.append(slope * (longest / half), constant / half)
    return _mapped(contexts, means, theta, intercept=True)
