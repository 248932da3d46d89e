"""Our least squares are those of the library that they stand in for."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from penstock.analysis.regression import ridge, rising
from penstock.core.arrays import Floats


def scikit_learns(name: str) -> Any:
    """A class of that library, which takes two seconds to import: not in each process that only collects tests."""
    return getattr(import_module("sklearn.linear_model"), name)


def drawn(seed: int, features: int) -> tuple[Floats, Floats, Floats]:
    """Features, targets that half of them lower, and how much each point counts."""
    draw = np.random.default_rng(seed)
    x = draw.uniform(0.0, 2.0, size=(60, features))
    y = x @ draw.normal(size=features) + 3.0 + draw.normal(scale=0.3, size=60)
    return x, y, draw.uniform(0.1, 2.0, size=60)


def test_with_a_penalty() -> None:
    draw = np.random.default_rng(7)
    features, targets = draw.normal(size=(40, 11)), draw.normal(size=(40, 5)) + 3.0
    weights, constant = ridge(features, targets, 0.3)
    theirs = scikit_learns("Ridge")(alpha=0.3).fit(features, targets)
    assert np.allclose(weights, theirs.coef_, atol=1e-12)
    assert np.allclose(constant, theirs.intercept_, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("constant", [True, False])
def test_without_negative_weights(seed: int, constant: bool) -> None:
    x, y, importance = drawn(seed, features=2 + seed % 6)
    weights, level = rising(x, y, importance, constant)
    theirs = scikit_learns("LinearRegression")(positive=True, fit_intercept=constant).fit(
        x, y, sample_weight=importance
    )
    assert np.allclose(weights, theirs.coef_, atol=1e-9)
    assert level == pytest.approx(theirs.intercept_, abs=1e-9)


def test_of_features_that_say_the_same_or_nothing() -> None:
    x, y, importance = drawn(3, features=2)
    x = np.column_stack([x, 2.0 * x[:, 0], np.zeros(60)])
    y = y + 4.0 * x[:, 0]
    weights, level = rising(x, y, importance)
    theirs = scikit_learns("LinearRegression")(positive=True).fit(x, y, sample_weight=importance)
    assert (weights >= 0).all()
    assert np.allclose(x @ weights + level, theirs.predict(x), atol=1e-9)
