"""Algorithm 1 against workers of known capacity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.trial import Finished, Trial
from penstock.errors import ConfigError
from penstock.planning.profiling.tasks.remaining import trials_left
from penstock.planning.profiling.tasks.search import METHODS, advance
from penstock.planning.profiling.tasks.settings import SearchSettings
from tests.planning.profiling.tasks.simulated import Capacity, bell, flat, searched, tried


def peaks(method: str, capacity: Capacity, settings: SearchSettings) -> dict[int, float]:
    state, _ = searched(method, capacity, settings)
    return {peak.trial.threads: peak.trial.rate_rps for peak in state.peaks}


def test_a_sweep_goes_up_in_steps_until_a_trial_is_unstable() -> None:
    settings = SearchSettings(max_threads=1, first_rate_rps=10, rate_step_rps=30, rate_growth=1.0)
    _, trials = searched("sweep", lambda threads: 80.0, settings)
    # 10, 40 and 70 are within 80; 100 is not, and ends it.
    assert [(done.trial.rate_rps, done.stable) for done in trials] == [
        (10, True), (40, True), (70, True), (100, False),
    ]  # fmt: skip


def test_a_step_that_grows_takes_over_from_the_fixed_one() -> None:
    settings = SearchSettings(max_threads=1, first_rate_rps=1, rate_step_rps=4, rate_growth=2.0)
    _, trials = searched("sweep", lambda threads: 30.0, settings)
    assert [done.trial.rate_rps for done in trials] == [1, 5, 10, 20, 40]


@pytest.mark.parametrize("method", METHODS)
def test_threads_are_added_until_the_peak_stops_rising(method: str) -> None:
    settings = SearchSettings(rate_step_rps=0.5, rate_growth=1.02, tolerance=0.02)
    # Flat: over the first window of 1, 2 and 3 threads nothing is gained. Bell: 12, 18, 27 threads do not gain either.
    assert list(peaks(method, flat, settings)) == [1, 2, 3]
    assert list(peaks(method, bell, settings)) == [1, 2, 3, 5, 8, 12, 18, 27]


def test_the_peak_of_each_thread_count_comes_with_its_cpu_and_memory() -> None:
    state, _ = searched("bisect", flat, SearchSettings())
    for peak in state.peaks:
        assert peak.cpu_share == pytest.approx(peak.trial.rate_rps / 100.0)


def test_both_searches_find_the_same_peaks_and_bisection_needs_a_third_of_the_trials() -> None:
    settings = SearchSettings(rate_growth=1.05, tolerance=0.05)
    swept, many = searched("sweep", bell, settings)
    halved, few = searched("bisect", bell, settings)
    for one, other in zip(swept.peaks, halved.peaks, strict=True):
        assert one.trial.rate_rps == pytest.approx(other.trial.rate_rps, rel=0.12)
    assert len(few) * 3 < len(many)


@given(capacity=st.floats(1.0, 900_000), tolerance=st.floats(0.01, 0.3))
def test_bisection_ends_within_its_tolerance_below_any_capacity(capacity: float, tolerance: float) -> None:
    settings = SearchSettings(max_threads=1, tolerance=tolerance)
    found = peaks("bisect", lambda threads: capacity, settings)[1]
    assert found <= capacity <= found * (1 + tolerance) * 1.001


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("done", [0, 1, 7, 20])
def test_a_search_goes_on_from_any_number_of_finished_trials_to_the_same_end(method: str, done: int) -> None:
    whole, trials = searched(method, bell, SearchSettings())
    resumed, again = searched(method, bell, SearchSettings(), trials[:done])
    assert (resumed, again) == (whole, trials)


def test_a_record_of_another_search_is_refused() -> None:
    other = tried(Trial(5, 77.0), flat)
    with pytest.raises(ConfigError, match="the record is of another search"):
        advance("sweep", SearchSettings(), [other])


@pytest.mark.parametrize("method", METHODS)
def test_a_task_that_can_do_nothing_ends_the_search_without_a_model(method: str) -> None:
    state, _ = searched(method, lambda threads: 0.001, SearchSettings(max_threads=3))
    assert state.peaks == ()


@pytest.mark.parametrize("method", METHODS)
def test_no_rate_above_the_highest_allowed_is_tried(method: str) -> None:
    _, trials = searched(method, lambda threads: 1e9, SearchSettings(max_rate_rps=500.0, max_threads=2))
    assert max(done.trial.rate_rps for done in trials) <= 500.0


def test_an_unknown_search_and_bad_settings_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="choose one of sweep, bisect"):
        advance("guess", SearchSettings(), [])
    with pytest.raises(ConfigError, match="rate_growth"):
        SearchSettings(rate_growth=0.5)
    with pytest.raises(ConfigError, match="max_threads"):
        SearchSettings(max_threads=0)


def test_what_is_left_never_is_less_than_what_comes_once_the_costliest_count_is_known() -> None:
    settings = SearchSettings(max_threads=8)
    _, trials = searched("sweep", lambda threads: 50.0, settings)
    first: list[Finished] = [done for done in trials if done.trial.threads == 1]
    state = advance("sweep", settings, first)
    assert trials_left(settings, first, state.following) >= len(trials) - len(first)
    assert trials_left(settings, trials, None) == 0
