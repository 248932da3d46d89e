"""What is worked out for many instants at once is what each method says of each instant alone."""

from itertools import product

import numpy as np
import pytest

from penstock.analysis.forecast.chosen import METHODS
from penstock.analysis.forecast.damped import Damped
from penstock.analysis.forecast.method import Method
from penstock.core.arrays import Floats

STEPS = 7


def load(length: int, seed: int) -> Floats:
    """A wave with noise and a slope."""
    at = np.arange(length)
    noise = np.random.default_rng(seed).normal(0, 30, length)
    return np.asarray(1000.0 + 400.0 * np.sin(2 * np.pi * at / 24) + 2.0 * at + noise)


def smoothed(past: Floats, alpha: float, beta: float, phi: float) -> tuple[float, Floats]:
    """The error one step ahead over the last 240 values, and what follows them, as Gardner and McKenzie write it."""
    recent = past[-240:].tolist()
    level, trend, missed = recent[0], 0.0, 0.0
    for value in recent[1:]:
        error = value - (level + phi * trend)
        missed += abs(error)
        level, trend = level + phi * trend + alpha * error, phi * trend + alpha * beta * error
    return missed, level + trend * np.cumsum(phi ** np.arange(1, STEPS + 1))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("length", [120, 300])
def test_an_instant_among_many_sees_only_what_came_before_it(method: Method, length: int) -> None:
    past = load(length, seed=1)
    fitted = method.fit(past[: length // 2], STEPS)
    assert fitted is not None
    origins = np.array([length // 2, length // 2 + 5, length])
    together = fitted.ahead(past, origins, STEPS)
    alone = [fitted.ahead(past[:origin], np.array([origin]), STEPS)[0] for origin in origins]
    assert together == pytest.approx(np.array(alone), rel=1e-12)


@pytest.mark.parametrize("length", [5, 100, 240, 500])
def test_the_damped_trend_is_that_of_the_recursion_with_its_best_parameters(length: int) -> None:
    past = load(length, seed=length)
    grid = product((0.2, 0.5, 0.8, 0.95), (0.05, 0.2, 0.5), (0.85, 0.95))
    _, expected = min((smoothed(past, *parameters) for parameters in grid), key=lambda tried: tried[0])
    fitted = Damped().fit(past, STEPS)
    assert fitted is not None
    assert fitted.ahead(past, np.array([length]), STEPS)[0] == pytest.approx(expected, rel=1e-9)
