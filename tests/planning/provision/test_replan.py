"""Re-planning: valid for the new rate, and with as few threads moved as can be."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.known.allocation import Allocation
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.place import place, place_on_fewest
from penstock.planning.provision.replan import replan
from tests.planning.provision.paper import allocations, planned


@given(allocations())
def test_the_same_rate_moves_nothing(allocation: Allocation) -> None:
    found = replan(place_on_fewest(allocation, [1]), allocation.rate_rps)
    assert not any(found.moved.values())
    assert not any(found.started.values())
    assert not any(found.stopped.values())


@given(allocations(), st.floats(0.1, 4))
def test_a_new_rate_is_supported_and_every_thread_accounted_for(allocation: Allocation, factor: float) -> None:
    before = place_on_fewest(allocation, [4, 1])
    found = replan(before, allocation.rate_rps * factor)
    after = found.placement
    assert Counter(name for name, _ in after.slot_of) == Counter(after.allocation.threads)
    assert after.predicted_rate >= allocation.rate_rps * factor * (1 - 1e-6)
    assert after.machines[: len(before.machines)] == before.machines
    for name, threads in allocation.threads.items():
        assert after.allocation.threads[name] == threads + found.started[name] - found.stopped[name]
        assert 0 <= found.moved[name] <= threads


def test_fewer_threads_move_than_with_a_plan_from_nothing() -> None:
    before = place(planned("linear", 100), [4, 4, 4])
    found = replan(before, 130)
    fresh = place(planned("linear", 130), [4, 4, 4])
    still = sum(
        (Counter(on) & Counter(fresh.threads_on().get(slot, {}))).total() for slot, on in before.threads_on().items()
    )
    moved_by_fresh = sum(before.allocation.threads.values()) - still
    # Table's rest of 40 threads becomes a whole bundle where it is: those that shared its slot are fewer, and move.
    assert found.moved["table"] == 0
    assert sum(found.moved.values()) < moved_by_fresh


def test_machines_are_added_only_when_they_are_needed() -> None:
    before = place(planned("linear", 100), [4, 3])
    assert replan(before, 50).placement.machines == before.machines
    grown = replan(before, 200, sizes=[4, 2, 1]).placement
    assert sum(machine.slots for machine in grown.machines) == pytest.approx(15, abs=1)


def test_what_no_longer_fits_leaves_with_the_fewest_threads() -> None:
    flow, job = planned("linear", 50), place(planned("linear", 50), [4])
    after = replan(job, 80, sizes=[1])
    assert sum(after.moved.values()) <= 9  # table's rest of nine becomes part of a whole bundle; blob's thirty stay
    assert allocate(flow.topology, 80, flow.models).threads == after.placement.allocation.threads
