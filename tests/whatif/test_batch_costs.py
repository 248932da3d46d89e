"""What rows and batches cost is fitted to the batches that ended."""

from dataclasses import replace

import pytest

from penstock.core.seen.batches import BatchFigures
from penstock.whatif.batch_costs import HALVED_AFTER_S, BatchCosts, batch_costs


def a_batch(number: int, rows: float, row_s: float = 0.01, aside_s: float = 0.3) -> BatchFigures:
    """Four tasks of 50 ms beside their rows, of which a quarter is core time; stages wait for nothing but 100 ms."""
    busy_s = row_s * rows + 4 * 0.05
    staged_s = busy_s / 4 + 0.1
    return BatchFigures(number, float(number), staged_s + aside_s, rows, 0.0, 1, 4, busy_s, busy_s / 4, staged_s)


def costs(*batches: BatchFigures) -> BatchCosts:
    found = batch_costs(batches)
    assert found is not None
    return found


def test_rows_are_told_from_what_a_batch_costs_beside_them() -> None:
    found = costs(*(a_batch(n, rows) for n, rows in enumerate((100.0, 300.0, 200.0))))
    assert (found.row_s, found.batch_s) == pytest.approx((0.01, 0.2))
    assert (found.aside_s, found.launch_s, found.core_share) == pytest.approx((0.3, 0.1, 0.25))


def test_batches_of_as_many_rows_cost_what_their_rows_cost() -> None:
    found = costs(*(a_batch(n, 100.0) for n in range(3)))
    assert (found.row_s, found.batch_s) == pytest.approx((0.012, 0.0))  # 1.2 s of 100 rows


def test_what_ended_long_ago_hardly_counts() -> None:
    cold = [a_batch(n, 100.0 + n, row_s=0.04) for n in range(3)]
    warm = [a_batch(int(8 * HALVED_AFTER_S) + n, 100.0 + n) for n in range(3)]
    assert costs(*cold, *warm).row_s == pytest.approx(0.012, rel=0.02)


def test_a_bound_shows_where_most_batches_left_rows() -> None:
    held = [replace(a_batch(n, 200.0), left_rows=500.0) for n in range(3)]
    assert (costs(*held).most_rows, costs(*(a_batch(n, 200.0) for n in range(3))).most_rows) == (200, None)


def test_batches_that_are_not_known_whole_or_are_few_tell_nothing() -> None:
    unknown = replace(a_batch(3, 100.0), staged_s=None)
    assert batch_costs([a_batch(0, 100.0), a_batch(1, 100.0), unknown]) is None
