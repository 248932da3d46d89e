"""A recorded run's costs, fitted to its batches, and the twin that has them."""

from typing import Any

import pytest
from recorded_twin import costs_of, twin_of

from penstock.simulation.twins import twin_named


def a_batch(number: int, rows: float, begins_s: float) -> dict[str, Any]:
    """12 tasks of 20 ms a row and 30 ms beside; 0.5 s on the driver."""
    busy_s = 0.02 * rows + 12 * 0.03
    staged_s = busy_s / 12 + 0.1
    took_s = staged_s + 0.5
    told = {"number": number, "ended_s": begins_s + took_s, "took_s": took_s, "rows": rows, "left_rows": 0.0}
    return told | {"stages": 1, "tasks": 12, "busy_s": busy_s, "cpu_s": 0.001 * rows, "staged_s": staged_s}


BATCHES = [a_batch(n, rows, begins_s=8.0 + 3 * n) for n, rows in enumerate((200.0, 400.0, 300.0))]


def test_costs_are_those_of_the_batches() -> None:
    costs = costs_of(BATCHES)
    found = (costs.row_s, costs.task_s, costs.row_cpu_s, costs.driver_s, costs.driver_noise)
    assert found == pytest.approx((0.02, 0.03, 0.001, 0.5, 0.0))


def test_a_twin_begins_with_the_rows_that_waited_for_the_first_batch() -> None:
    like = twin_named("constrained", 20)
    recording = {"rounds": [{"at_s": 20.0}], "batches": {job.name: BATCHES for job in like.jobs}}
    twin = twin_of(recording, like)
    payments = next(job for job in twin.jobs if job.name == "payments")
    # 200 rows/s: the 200 rows that waited at 8 s came from 7 s on.
    assert (payments.restart_s, payments.arrivals[6], payments.arrivals[7]) == (8.0, 0.0, 200.0)
    assert (twin.seconds, twin.cluster.launch_s) == pytest.approx((20.0, 0.1))
    assert all((slow.tasks, slow.driver) == pytest.approx((1.0, 1.0)) for slow in twin.cluster.slowness)
