"""In which order slots are given, and how many each has of it on the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.planning.arbiter.serving import slot_order


def slots_of(
    weights: list[float],
    used: list[float],
    there: float = 4.0,
    floors: list[float] | None = None,
    tasks: float = 12.0,
) -> list[float]:
    """Each job's, in the order of their names."""
    count = len(weights)
    order = slot_order(
        np.array([weights]),
        np.array([floors or [0.0] * count]),
        np.full((1, count), tasks),
        np.arange(count),
        np.array([[there]]),
    )
    return [float(slots) for slots in order.slots(np.array([used]))[0]]


def test_who_is_alone_has_a_slot_for_each_task_and_no_more_than_there_are() -> None:
    assert slots_of([1.0], [1.0], tasks=3.0) == pytest.approx([3.0], rel=0.01)
    assert slots_of([1.0], [1.0], tasks=12.0) == pytest.approx([4.0], rel=0.01)


def test_what_some_leave_in_their_pauses_goes_to_the_first_by_name() -> None:
    first, second, last = slots_of([1.0, 1.0, 1.0], [0.8, 0.8, 0.8])
    assert first > second > last > 1.0


def test_who_lacks_its_floor_is_served_before_who_has_more_weight() -> None:
    heavy, floored = slots_of([8.0, 1.0], [1.0, 1.0], floors=[0.0, 2.0])
    assert floored >= 2.0
    assert heavy <= 2.5


def test_of_more_jobs_than_slots_the_last_by_name_has_what_the_others_pause() -> None:
    busy = slots_of([1.0] * 4, [0.95] * 4, there=2.0)
    calm = slots_of([1.0] * 4, [0.4] * 4, there=2.0)
    assert busy[3] < 0.3 < 0.6 < calm[3]


@st.composite
def some_jobs(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    count = draw(st.integers(1, 6))
    weights = draw(st.lists(st.integers(1, 9).map(float), min_size=count, max_size=count))
    used = draw(st.lists(st.floats(0.0, 1.0), min_size=count, max_size=count))
    return weights, used


@given(some_jobs(), st.integers(1, 40), st.floats(1.0, 30.0))
def test_nobody_has_more_slots_than_tasks_or_than_there_are(
    jobs: tuple[list[float], list[float]], there: int, tasks: float
) -> None:
    found = slots_of(*jobs, there=float(there), tasks=tasks)
    assert all(0.0 <= slots <= min(tasks, there) + 1e-9 for slots in found)


@given(some_jobs(), st.integers(1, 40), st.data())
def test_more_weight_gives_no_fewer_slots_and_busier_others_no_more(
    jobs: tuple[list[float], list[float]], there: int, data: st.DataObject
) -> None:
    weights, used = jobs
    mine = data.draw(st.integers(0, len(weights) - 1))
    before = slots_of(weights, used, there=float(there))[mine]
    heavier = [weight + (place == mine) for place, weight in enumerate(weights)]
    assert slots_of(heavier, used, there=float(there))[mine] >= before - 1e-6
    busier = [share if place == mine else 1.0 for place, share in enumerate(used)]
    assert slots_of(weights, busier, there=float(there))[mine] <= before + 1e-6
