"""Equation 3: the busiest executor's share of the window."""

import math
from typing import Any

import numpy as np
import pytest

from penstock.core.seen.capacity import is_congested, operator_capacity
from penstock.errors import ConfigError


@pytest.mark.parametrize(
    ("executed", "latency", "capacity"),
    [
        ([1000], [0.005], 0.5),  # 5 s of 10
        ([1000, 3000], [0.001, 0.002], 0.6),  # the higher of 0.1 and 0.6
        ([0, 0], [0.0, 0.1], 0.0),
        ([3000], [0.005], 1.5),  # more than the window: counts and latencies are not of the same instant
        (np.array([1000]), np.array([0.005]), 0.5),
    ],
)
def test_capacity_is_the_highest_share_of_time_spent_executing(executed: Any, latency: Any, capacity: float) -> None:
    assert operator_capacity(executed, latency, window=10.0) == pytest.approx(capacity)


@pytest.mark.parametrize(
    ("executed", "latency", "window", "message"),
    [
        ([], [], 10.0, "latency: [] cannot be used; give one value for each of the 0 executors"),
        ([1, 2], [0.1], 10.0, "latency: [0.1] cannot be used; give one value for each of the 2 executors"),
        ([-1], [0.1], 10.0, "executed: -1"),
        ([1], [math.nan], 10.0, "latency: nan"),
        ([1], [0.1], 0.0, "window: 0.0 cannot be used; write a number above zero"),
        ([1], [0.1], "10", "window: '10'"),
    ],
)
def test_bad_figures_are_refused(executed: Any, latency: Any, window: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        operator_capacity(executed, latency, window)
    assert message in str(caught.value)


@pytest.mark.parametrize(("capacity", "congested"), [(None, False), (0.3, False), (0.31, True), (1.0, True)])
def test_an_operator_is_congested_above_0_3(capacity: float | None, congested: bool) -> None:
    assert is_congested(capacity) is congested
