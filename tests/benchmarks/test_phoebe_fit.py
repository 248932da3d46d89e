"""The fit of the authors' time series finds the parts of a failure that was made up."""

import numpy as np
import pytest
from phoebe_fit import FAILURES_S, Run, fitted, read_off, replayed

AT_S = FAILURES_S[0]
PARTS = (50.0, 25.0, 35.0)  # detect, stop, unsaved


def recorded() -> Run:
    """100 rows/s for half an hour, a failure in it, all seen through a meter over a minute."""
    steady = Run(np.full(1800, 100.0), np.full(1800, 100.0), np.full(1800, 1.0))
    seen = replayed(steady, AT_S, PARTS, 200.0)
    throughput, latency_s = steady.throughput.copy(), steady.latency_s.copy()
    throughput[AT_S : AT_S + len(seen.throughput)] = seen.throughput
    latency_s[AT_S : AT_S + len(seen.latency_s)] = seen.latency_s
    return Run(steady.arrivals, throughput, latency_s)


def test_a_replayed_job_is_back_when_what_it_missed_and_what_came_meanwhile_is_done() -> None:
    found = replayed(recorded(), AT_S, PARTS, 200.0)
    # 50 s, 25 s still, then 60 s of arrivals at 100 rows/s above what arrives: 60 s.
    assert found.recovered_s == pytest.approx(50.0 + 25.0 + 60.0, abs=2.0)


def test_a_meter_over_a_minute_shows_the_recovery_most_of_a_minute_later() -> None:
    late_s = read_off(recorded(), AT_S)
    assert late_s is not None
    assert 30.0 <= late_s - 135.0 <= 60.0


def test_the_parts_of_a_failure_are_found_again() -> None:
    error, parts = fitted(recorded(), AT_S, 200.0)
    assert error < 1e-3
    assert parts == pytest.approx(PARTS, abs=6.0)  # the search ends when a second more or less changes little
