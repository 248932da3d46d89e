"""A bound is divided among sources without remainder, and progress says what there is to take of each."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.spark.jobs.batch_parts import parts, told


@given(rows=st.integers(1, 10**9), weights=st.lists(st.floats(0, 1e9), min_size=1, max_size=6))
def test_parts_make_up_the_bound_and_none_is_empty(rows: int, weights: list[float]) -> None:
    found = parts(rows, weights)
    assert sum(found) == max(rows, len(weights))
    assert min(found) >= 1


@given(rows=st.integers(100, 10**6), weights=st.lists(st.floats(1, 10), min_size=2, max_size=4))
def test_a_heavier_source_gets_no_smaller_part(rows: int, weights: list[float]) -> None:
    ordered = sorted(weights)
    found = parts(rows, ordered)
    assert all(lighter <= heavier + 1 for lighter, heavier in pairwise(found))


def progress(start: Any, end: Any, latest: Any, rows: int) -> dict[str, Any]:
    return {"sources": [{"startOffset": start, "endOffset": end, "latestOffset": latest, "numInputRows": rows}]}


@pytest.mark.parametrize(
    ("batches", "taken", "waiting"),
    [
        ([], 0, 0),
        # Two partitions; the newer batch left 40 - 30 and 9 - 5 rows.
        (
            [
                progress(None, {"t": {"0": 10, "1": 2}}, {"t": {"0": 20, "1": 5}}, 12),
                progress({"t": {"0": 10, "1": 2}}, {"t": {"0": 30, "1": 5}}, {"t": {"0": 40, "1": 9}}, 23),
            ],
            35,
            14,
        ),
        # Files say nothing of what waits, nor does a source that was never read.
        ([progress({"logOffset": 0}, {"logOffset": 1}, None, 300)], 300, 0),
        ([progress(None, None, None, 0)], 0, 0),
    ],
)
def test_what_there_was_to_take_is_what_was_taken_and_what_waits(
    batches: list[dict[str, Any]], taken: int, waiting: int
) -> None:
    seen = told(batches, 0)
    assert (seen.taken, seen.waiting, seen.rows) == (taken, waiting, taken + waiting)
