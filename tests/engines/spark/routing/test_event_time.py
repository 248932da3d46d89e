"""How far batches reach in event time, by which a cut-over is chosen."""

from typing import Any

from penstock.engines.spark.routing.event_time import newest_event_us, reach_us


def batch(first_s: int | None = None, last_s: int | None = None) -> dict[str, Any]:
    times = {"min": first_s, "max": last_s}
    return {"eventTime": {name: f"1970-01-01T00:00:{at:02}.000Z" for name, at in times.items() if at is not None}}


def test_a_batch_reaches_from_the_newest_event_before_it_to_its_own() -> None:
    assert reach_us([batch(0, 2), batch(1, 9), batch(8, 12)]) == 7_000_000


def test_the_first_batch_reaches_over_all_it_spans() -> None:
    assert reach_us([batch(0, 30), batch(30, 31)]) == 30_000_000


def test_late_rows_do_not_make_the_next_batch_reach_farther() -> None:
    assert reach_us([batch(9, 10), batch(1, 2), batch(10, 14)]) == 4_000_000


def test_batches_without_rows_tell_nothing() -> None:
    assert reach_us([batch(), batch(3, 4), batch()]) == 1_000_000
    assert newest_event_us([batch()]) is None
    assert newest_event_us([batch(3, 4), batch(), batch(1, 2)]) == 4_000_000
