"""Seasons are found where there are some, and nowhere else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.analysis.forecast.season import season_of


@given(period=st.integers(6, 60), repeats=st.integers(3, 6), seed=st.integers(0, 99))
def test_a_noisy_wave_has_its_period_for_a_season(period: int, repeats: int, seed: int) -> None:
    at = np.arange(period * repeats)
    values = 10 + np.sin(2 * np.pi * at / period) + np.random.default_rng(seed).normal(0, 0.05, len(at))
    assert season_of(values) == pytest.approx(period, abs=1)


@given(seed=st.integers(0, 99))
def test_noise_has_none(seed: int) -> None:
    assert season_of(np.random.default_rng(seed).normal(100, 10, 150)) is None


@pytest.mark.parametrize("values", [[], [1.0], [3.0] * 50, list(range(100))])
def test_what_is_short_or_straight_has_none(values: list[float]) -> None:
    assert season_of(np.array(values, dtype=float)) is None
