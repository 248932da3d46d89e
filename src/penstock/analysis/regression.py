"""Lines through points, by linear algebra alone: what runs in somebody's driver brings no library for learning."""

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats


def ridge(features: Floats, targets: Floats, penalty: float) -> tuple[Floats, Floats]:
    """Weights by target and feature, and a constant by target: least squares with a penalty on the weights alone."""
    middle, goal = features.mean(axis=0), targets.mean(axis=0)
    around = features - middle
    within = around.T @ around + penalty * np.eye(features.shape[1])
    weights: Floats = np.linalg.solve(within, around.T @ (targets - goal)).T
    return weights, goal - weights @ middle


def rising(features: Floats, targets: Floats, importance: Floats, constant: bool = True) -> tuple[Floats, float]:
    """Weights that are never negative, and the constant (0 where none is asked for): least squares of weighted points.

    >>> weights, constant = rising(np.array([[1.0], [2.0], [3.0]]), np.array([3.0, 5.0, 7.0]), np.ones(3))
    >>> weights.round(6).tolist(), round(constant, 6)
    ([2.0], 1.0)
    """
    middle = np.average(features, axis=0, weights=importance) if constant else np.zeros(features.shape[1])
    goal = float(np.average(targets, weights=importance)) if constant else 0.0
    root = np.sqrt(importance)
    weights = _not_negative((features - middle) * root[:, None], (targets - goal) * root)
    return weights, goal - float(weights @ middle)


def _not_negative(features: Floats, targets: Floats) -> Floats:
    """Lawson and Hanson, Solving Least Squares Problems, chapter 23: features join while they help, leave at zero."""
    count = features.shape[1]
    inner, outer = features.T @ features, features.T @ targets
    least = 10 * max(features.shape) * np.finfo(np.float64).eps * float(np.abs(inner).sum(axis=0).max(initial=0.0))
    weights, joined = np.zeros(count), np.zeros(count, dtype=bool)
    for _ in range(3 * count):
        helps = np.where(joined, -np.inf, outer - inner @ weights)
        if not (helps > least).any():
            break
        joined[int(helps.argmax())] = True
        weights = _within(features, targets, weights, joined, least)
    return weights


def _within(features: Floats, targets: Floats, weights: Floats, joined: NDArray[np.bool_], least: float) -> Floats:
    """The best weights of those that joined; those that would turn negative leave, the nearest to zero first."""
    while True:
        wanted = np.zeros(len(weights))
        wanted[joined] = np.linalg.lstsq(features[:, joined], targets, rcond=None)[0]
        below = joined & (wanted < 0)
        if not below.any():
            return wanted
        step = (weights[below] / (weights[below] - wanted[below])).min()
        weights = weights + step * (wanted - weights)
        joined &= weights > least
