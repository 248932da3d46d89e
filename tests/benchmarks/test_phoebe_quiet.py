"""The fit of the authors' time series finds how long a made-up reconfiguration stopped the job."""

import numpy as np
import pytest
from phoebe_fit import Run, replayed
from phoebe_quiet import Rescale, clear, rescales, standstill

AT_S = 600
LOG = """
[INFO ] 1970-01-01 01:10:00.500 [pool-2-thread-1] SequenceFSM - Rescale initiated from 6 -> 9
[INFO ] 1970-01-01 01:10:01.000 [pool-2-thread-1] ClientsManager - Restarting job from savepoint
[INFO ] 1970-01-01 01:10:04.500 [pool-2-thread-1] SequenceFSM - Rescale completed with new job settings
"""


def test_a_log_tells_when_it_was_rescaled_and_how_long_that_took_by_the_controller() -> None:
    assert list(rescales(LOG, began_s=100.0)) == [Rescale(500.5, 6, 9, 4.0)]


def test_a_reconfiguration_near_a_failure_or_near_another_one_tells_nothing() -> None:
    near_a_failure, alone, followed, follower = (Rescale(at_s, 2, 3, 5.0) for at_s in (1500.0, 2100.0, 3000.0, 3200.0))
    assert clear([near_a_failure, alone, followed, follower], 21_600) == [alone]


def test_the_standstill_is_found_again_through_a_meter_over_a_minute() -> None:
    steady = Run(np.full(1800, 100.0), np.full(1800, 100.0), np.full(1800, 1.0))
    seen = replayed(steady, AT_S, (5.0, 33.0, 0.0), 200.0)
    throughput, latency_s = steady.throughput.copy(), steady.latency_s.copy()
    throughput[AT_S : AT_S + len(seen.throughput)] = seen.throughput
    latency_s[AT_S : AT_S + len(seen.latency_s)] = seen.latency_s
    delay_s, stop_s, error = standstill(Run(steady.arrivals, throughput, latency_s), AT_S, 200.0)
    assert (delay_s, stop_s) == (5.0, 33.0)
    assert error == pytest.approx(0.0, abs=1e-6)
