"""One contract for every forecaster: pure, never negative, bounds around the mean, whatever the past looks like."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.analysis.forecast.backtest import BackTested
from penstock.analysis.forecast.chosen import FAR_ABOVE, METHODS, BestOnPast, _weighted
from penstock.analysis.forecast.damped import Damped
from penstock.analysis.forecast.lags import Lags
from penstock.analysis.forecast.naive import Naive
from penstock.analysis.forecast.waves import Waves
from penstock.core.known.forecast import Forecast, Series
from penstock.core.ports import Forecaster
from penstock.errors import ConfigError

FORECASTERS: dict[str, Forecaster] = {
    "best on its past": BestOnPast(),
    **{method.name: BestOnPast((method,)) for method in METHODS},
}
RATES = st.lists(st.floats(0.0, 1e7), min_size=2, max_size=120)

every_forecaster = pytest.mark.parametrize("forecaster", FORECASTERS.values(), ids=FORECASTERS)


def series(*values: float) -> Series:
    return Series(60.0, tuple(float(value) for value in values))


def sine(length: int, period: float = 48.0) -> Series:
    return series(*(1000.0 + 500.0 * np.sin(2 * np.pi * np.arange(length) / period)))


def off(found: Forecast, truth: Series, start: int) -> float:
    actual = truth.values[start : start + len(found.mean)]
    return float(np.mean(np.abs(np.array(actual) - found.mean)))


@every_forecaster
@given(rates=RATES, steps=st.integers(1, 30))
def test_every_step_has_a_mean_between_its_bounds_and_none_is_below_zero(
    forecaster: Forecaster, rates: list[float], steps: int
) -> None:
    found = forecaster.forecast(series(*rates), steps)
    assert len(found.mean) == len(found.lower) == len(found.upper) == steps
    for low, mean, high in zip(found.lower, found.mean, found.upper, strict=True):
        assert 0.0 <= low <= mean <= high
        assert math.isfinite(high)
    assert max(found.mean) <= FAR_ABOVE * max(rates)


@every_forecaster
@given(rates=RATES)
def test_the_same_past_gives_the_same_forecast(forecaster: Forecaster, rates: list[float]) -> None:
    assert forecaster.forecast(series(*rates), 5) == forecaster.forecast(series(*rates), 5)


@every_forecaster
@given(rate=st.floats(0.0, 1e6), length=st.integers(2, 100))
def test_a_rate_that_never_changed_is_expected_to_stay(forecaster: Forecaster, rate: float, length: int) -> None:
    found = forecaster.forecast(series(*[rate] * length), 6)
    assert found.mean == pytest.approx([rate] * 6, rel=1e-6, abs=1e-6)


@every_forecaster
def test_a_past_without_anything_is_refused(forecaster: Forecaster) -> None:
    with pytest.raises(ConfigError, match="history: 1 cannot be used; at least 2 steps of it are needed"):
        forecaster.forecast(series(5.0), 3)


@every_forecaster
def test_no_steps_are_refused(forecaster: Forecaster) -> None:
    with pytest.raises(ConfigError, match="steps: 0 cannot be used"):
        forecaster.forecast(series(5.0, 6.0), 0)


def test_a_method_is_chosen_that_beats_the_naive_one_on_a_wave() -> None:
    truth = sine(200)
    found = BestOnPast().forecast(truth.until(160), 20)
    naive = BestOnPast(METHODS[:1]).forecast(truth.until(160), 20)
    assert found.method != "naive"
    assert found.error is not None
    assert found.error < 0.2
    assert off(found, truth, 160) < 0.2 * off(naive, truth, 160)


def test_on_a_random_walk_nothing_beats_the_naive_method_by_much() -> None:
    walk = series(*(1000.0 + np.cumsum(np.random.default_rng(3).normal(0, 1, 300))))
    assert BestOnPast().forecast(walk, 1).error == pytest.approx(1.0, abs=0.15)


def test_most_values_fall_between_the_bounds() -> None:
    rng = np.random.default_rng(5)
    truth = np.maximum(1000.0 + 300.0 * np.sin(np.arange(700) / 9) + rng.normal(0, 40, 700), 0.0)
    inside = []
    for end in range(200, 690, 10):
        found = BestOnPast(level=0.8).forecast(series(*truth[end - 200 : end]), 10)
        actual = truth[end : end + 10]
        inside += [low <= a <= high for low, a, high in zip(found.lower, actual, found.upper, strict=True)]
    assert 0.65 <= np.mean(inside) <= 0.95


def test_bounds_do_not_narrow_with_distance() -> None:
    rng = np.random.default_rng(8)
    found = BestOnPast().forecast(series(*(1000 + np.cumsum(rng.normal(0, 5, 200)))), 20)
    widths = np.array(found.upper) - np.array(found.mean)
    assert (np.diff(widths) >= -1e-9).all()


def test_a_past_shorter_than_the_look_ahead_is_judged_all_the_same() -> None:
    rising = series(*(1000.0 + 50.0 * n for n in range(20)))
    found = BestOnPast().forecast(rising, 30)
    assert found.error is not None
    assert found.mean[5] > 2100.0  # the last value is 1950


def test_the_upper_curve_lies_above_the_mean_curve() -> None:
    past = sine(100)
    found = BestOnPast().forecast(past, 10)
    mean, upper = found.curve(past), found.curve(past, share=1.0)
    assert all(mean(at) <= upper(at) + 1e-9 for at in np.linspace(0, 700, 50))
    assert mean(-90.0) == pytest.approx(past.values[-2], rel=0.01)


@pytest.mark.parametrize(("field", "settings"), [("level", {"level": 1.0}), ("methods", {"methods": ()})])
def test_settings_out_of_range_are_refused(field: str, settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=field):
        BestOnPast(**settings)  # type: ignore[arg-type]


def test_a_series_with_a_gap_is_refused() -> None:
    with pytest.raises(ConfigError, match="values: nan"):
        series(1.0, math.nan, 2.0)


def test_a_method_that_is_twice_as_wrong_has_a_sixteenth_of_the_weight() -> None:
    errors = np.ones((4, 3))
    damped, waves = (BackTested(method, size * errors) for method, size in ((Damped(), 1.0), (Waves(), 1.5)))
    (first, best), (second, other) = _weighted([waves, damped])
    assert (best.method.name, other.method.name) == ("damped trend", "waves")
    assert second / first == pytest.approx(1.5**-4)
    assert [one.method.name for _, one in _weighted([BackTested(Waves(), 3 * errors), damped])] == ["damped trend"]


def test_what_was_best_on_other_series_counts_four_times_before_it_is_seen_to_be_worse() -> None:
    errors = np.ones((4, 3))
    (first, best), (second, _) = _weighted([BackTested(Damped(), errors), BackTested(Lags(), errors)])
    assert (best.method.name, first / second) == ("regression on lags", 4.0)
    assert (
        _weighted([BackTested(Damped(), 0.5 * errors), BackTested(Lags(), errors)])[0][1].method.name == "damped trend"
    )


def test_a_method_that_is_never_wrong_is_taken_alone() -> None:
    never, wrong = BackTested(Naive(), np.zeros((4, 3))), BackTested(Lags(), np.ones((4, 3)))
    assert [one.method.name for _, one in _weighted([wrong, never])] == ["naive"]
