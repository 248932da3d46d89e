"""Warmth: costs that fall as cold code's do are foretold to fall on; others are not."""

from collections.abc import Iterable

import numpy as np
import pytest

from penstock.planning.arbiter.warmth import COLD_PART, NO_WARMTH, Warmth, coldness, soon


def seen(times: list[float], every_s: float = 5.0) -> Warmth:
    """A job whose batches, one each five seconds, cost so many times what those before them said."""
    return warmed((number * every_s, one, 1.0) for number, one in enumerate([None, *times], start=1))


def warmed(batches: Iterable[tuple[float, float | None, float]]) -> Warmth:
    found = Warmth(*NO_WARMTH)
    for age_s, times, cpu_share in batches:
        found = found.with_batch(age_s, times or 1.0, cpu_share, kept=0.0 if times is None else 0.75)
    return found


def cold_of(jobs: list[Warmth]) -> float:
    """By all of them together."""
    return coldness(np.array([one.fell for one in jobs]), np.array([one.could_fall for one in jobs]))


def test_costs_that_fall_from_batch_to_batch_are_taken_to_be_those_of_cold_code() -> None:
    assert cold_of([seen([0.75, 0.8, 0.8, 0.85, 0.9])]) > 0.6


def test_costs_that_stay_are_not() -> None:
    assert cold_of([seen([1.0, 1.02, 0.98, 1.0, 1.01])]) < 0.3


def test_all_jobs_tell_together_and_one_that_errs_is_outvoted() -> None:
    assert cold_of([seen([1.0] * 6)] * 3 + [seen([0.4, 1.0, 1.0, 1.0, 1.0, 1.0])]) < 0.4


def test_before_anything_was_seen_a_part_of_it_is_expected() -> None:
    assert cold_of([Warmth(*NO_WARMTH)]) == pytest.approx(0.4)


def test_of_code_that_ran_for_a_minute_nothing_is_left_to_fall() -> None:
    assert warmed([(0.0, None, 1.0)]).cold == pytest.approx(COLD_PART)
    assert warmed([(90.0, None, 1.0)]).cold < 0.01


def test_what_waits_for_others_says_nothing_of_cold_code() -> None:
    falls = warmed([(5.0, None, 1.0), *((number * 5.0, 0.6, 0.02) for number in range(2, 7))])
    assert cold_of([falls]) == pytest.approx(cold_of([Warmth(*NO_WARMTH)]), abs=0.05)


def test_soon_cold_code_costs_less_than_now_and_more_than_once_it_is_warm() -> None:
    cold = np.linspace(0.0, COLD_PART, 7)
    assert soon(cold)[0] == 1.0
    assert np.all(soon(cold)[1:] < 1.0)
    assert np.all(soon(cold)[1:] > 1.0 - cold[1:])
    assert np.all(np.diff(soon(cold)) < 0.0)
