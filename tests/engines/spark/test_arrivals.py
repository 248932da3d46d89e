"""Arrivals as a broker counts them."""

import numpy as np
import pytest

from penstock.engines.spark.watch.arrivals import Arrivals, ArrivedBy
from penstock.engines.spark.watch.flow import curves
from penstock.engines.spark.watch.progress import Batch


def arrivals(*rows: float) -> Arrivals:
    """One reading a second."""
    made = Arrivals()
    for at_s, count in enumerate(rows):
        made = made.and_also(ArrivedBy(float(at_s), count), keep_s=10.0)
    return made


def batch(number: int, committed_s: float, rows: float, offset_end: float) -> Batch:
    return Batch("run", number, committed_s - 0.5, committed_s, rows, offset_end=offset_end)


def test_the_rate_is_that_of_the_window() -> None:
    assert arrivals(0.0, 100.0, 200.0, 500.0).rate_rps(1.0) == 300.0
    assert arrivals(0.0, 100.0, 200.0, 500.0).rate_rps(10.0) == pytest.approx(500 / 3)


def test_one_reading_tells_no_rate() -> None:
    assert arrivals(100.0).rate_rps(10.0) is None
    assert arrivals().beyond(0.0) is None


def test_rows_wait_that_arrived_after_the_last_batch() -> None:
    assert arrivals(100.0, 250.0).beyond(180.0) == 70.0


def test_a_topic_that_was_made_anew_is_counted_anew() -> None:
    assert [seen.rows for seen in arrivals(500.0, 10.0, 20.0)] == [10.0, 20.0]


def test_old_readings_are_forgotten() -> None:
    assert len(list(arrivals(*map(float, range(100))))) == 12


def test_the_flow_takes_the_brokers_word_for_what_arrived() -> None:
    # Ten rows a batch and a second; the topics held 1000 rows before, and 100 rows came at once at 2.2 s.
    batches = [batch(number, number + 1.0, 10.0, 1010.0 + 10 * number) for number in range(3)]
    readings = [ArrivedBy(1.0, 1010.0), ArrivedBy(2.0, 1030.0), ArrivedBy(2.2, 1130.0)]
    made = curves(batches, 3.0, seen=readings)
    assert made is not None
    flow = made.flow(10.0)
    assert flow is not None
    assert flow.processed == 20.0
    assert flow.backlog_rows >= 100.0
    assert float(made.arrival_of(np.array([100.0]))[0]) == pytest.approx(2.2, abs=0.1)


def test_when_the_clock_is_set_back_readings_begin_anew() -> None:
    found = arrivals(0.0, 100.0, 200.0)
    for at_s, rows in ((-3600.0, 300.0), (-3598.0, 400.0)):
        found = found.and_also(ArrivedBy(at_s, rows), keep_s=10.0)
    assert found.rate_rps(60.0) == 50.0
