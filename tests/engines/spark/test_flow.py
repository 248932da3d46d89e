"""Rows that arrive and rows that are processed, as curves: juice, backlog and latency by hand."""

from dataclasses import replace

import pytest

from penstock.core.seen.juice import juice
from penstock.core.seen.topology import Topology
from penstock.engines.spark.watch.flow import Curves, curves
from penstock.engines.spark.watch.latency import latency
from penstock.engines.spark.watch.progress import Batch, SourceRows


def batches(rows: list[float], seconds: float, held_back: list[float] | None = None) -> list[Batch]:
    """Batches triggered every second, each of which takes so long."""
    held = held_back or [0.0] * len(rows)
    return [
        Batch("run", number, started_s=float(number), committed_s=number + seconds, rows=count, held_back_rows=kept)
        for number, (count, kept) in enumerate(zip(rows, held, strict=True))
    ]


def flow_of(found: list[Batch], now_s: float) -> Curves:
    made = curves(found, now_s)
    assert made is not None
    return made


def test_a_query_that_keeps_up_has_juice_one_and_its_own_rate() -> None:
    flow = flow_of(batches([100.0] * 11, 0.5), 10.6).flow(60.0)
    assert flow is not None
    assert flow.juice == 1.0
    assert flow.arrived / flow.span_s == pytest.approx(100.0)


def test_rows_that_a_bounded_batch_leaves_behind_are_backlog_and_lost_juice() -> None:
    # 100 of 200 rows a second are taken: half of what arrives, and 100 more wait each second.
    flow = flow_of(batches([100.0] * 11, 0.5, [100.0 * n for n in range(11)]), 10.6).flow(60.0)
    assert flow is not None
    assert flow.juice == pytest.approx(0.5)
    assert flow.backlog_rows == pytest.approx(1000 + 100)  # held back at the last trigger, and half a second's rows
    assert flow.behind


def two_sources(held_of_second: list[float | None]) -> list[Batch]:
    """A second's batches: the first source gives 1,000 rows to each and holds none back, the second gives 10."""
    found = batches([1010.0] * len(held_of_second), 0.5, [held or 0.0 for held in held_of_second])
    return [
        replace(batch, sources=(SourceRows(1000.0, 0.0), SourceRows(10.0, held)))
        for batch, held in zip(found, held_of_second, strict=True)
    ]


def test_juice_of_two_sources_of_unequal_rates_is_that_of_equation_6_and_not_by_rows() -> None:
    # Of the second 20 rows a second arrive and 10 are taken: (1 + 0.5) / 2, where by rows it would be 0.99.
    flow = flow_of(two_sources([10.0 * n for n in range(11)]), 10.6).flow(60.0)
    assert flow is not None
    join = Topology({"first": ["join"], "second": ["join"]})
    rows = {("first", "join"): 1000.0, ("second", "join"): 10.0}
    by_equation_6 = juice(join, rows, rows, taken={"first": (1000.0, 1000.0), "second": (10.0, 20.0)}).total
    assert flow.juice == pytest.approx(by_equation_6) == pytest.approx(0.75)
    assert flow.behind


def test_where_a_source_does_not_say_what_it_holds_back_juice_is_by_rows() -> None:
    flow = flow_of(two_sources([None, *(10.0 * n for n in range(1, 11))]), 10.6).flow(60.0)
    assert flow is not None
    assert flow.juice == pytest.approx(1010 / 1020, abs=0.002)


def test_a_source_to_which_nothing_came_has_lost_nothing() -> None:
    found = [replace(batch, sources=(batch.sources[0], SourceRows(0.0, 0.0))) for batch in two_sources([0.0] * 11)]
    flow = flow_of(found, 10.6).flow(60.0)
    assert flow is not None
    assert flow.juice == 1.0


def test_a_batch_that_does_not_end_is_held_against_the_query() -> None:
    flow = flow_of(batches([100.0] * 3, 0.5), 8.5).flow(4.0)
    assert flow is not None
    assert (flow.stalled, flow.processed) == (True, 0.0)
    assert flow.juice == 0.0


def test_a_query_without_new_rows_is_idle_not_stalled() -> None:
    made = curves(batches([100.0] * 3, 0.5), 30.0, idle_since_s=25.0)
    assert made is not None
    flow = made.flow(10.0)
    assert flow is not None
    assert (flow.stalled, flow.juice, flow.arrived) == (False, None, 0.0)


def test_one_batch_alone_tells_no_rate() -> None:
    assert curves(batches([100.0], 0.5), 5.0) is None


def test_without_sketches_latency_is_estimated_from_trigger_and_batch_times() -> None:
    # Rows of a second arrive evenly before their trigger and are done half a second after it: 0.5 to 1.5 s.
    found = batches([100.0] * 11, 0.5)
    made = latency(found, flow_of(found, 10.6), from_s=5.0)
    assert made is not None
    assert made.estimated
    assert made.mean_s == pytest.approx(1.0, abs=0.01)
    assert made.at(95) == pytest.approx(1.45, abs=0.03)


def test_waiting_in_a_backlog_counts_as_latency() -> None:
    # Half of 200 rows/s is taken: the rows committed at 10.5 s are numbers 1000 to 1100, which came at about 5 s.
    found = batches([100.0] * 11, 0.5, [100.0 * n for n in range(11)])
    made = latency(found, flow_of(found, 10.6), from_s=10.0)
    assert made is not None
    assert made.mean_s == pytest.approx(5.5, abs=0.4)


def test_what_waited_before_the_first_batch_has_not_arrived_just_now() -> None:
    # 4,500 rows wait, 60 more come each second; after two batches the query stands still, and rows go on so.
    found = batches([60.0, 60.0], 0.5, [4_500.0, 4_500.0])
    flow = flow_of(found, 20.0).flow(6.0)
    assert flow is not None
    assert flow.arrived / flow.span_s == pytest.approx(60.0)
    assert flow.backlog_rows == pytest.approx(4_500 + 60 * 19)  # the second began at 1 s


def test_a_large_backlog_does_not_rise_and_fall_with_the_rows_that_a_filter_lets_through() -> None:
    # 100 of 200 rows are taken each second, and a filter lets half of them through, more or less: 50 of 100 arrive.
    through = [50.0 + (5.0 if number % 2 else -5.0) for number in range(11)]
    sources = [SourceRows(100.0, 40_000.0 + 100.0 * number) for number in range(11)]
    found = [
        replace(batch, sources=(source,), held_back_rows=(source.held_back or 0.0) * batch.rows / 100.0)
        for batch, source in zip(batches(through, 0.5), sources, strict=True)
    ]
    for length in range(3, 12):
        flow = flow_of(found[:length], length - 0.4).flow(2.0)
        assert flow is not None
        assert flow.arrived / flow.span_s == pytest.approx(100.0, abs=10.0)
