"""The nemesis draws the same pairs for the same seed, and none that undoes itself."""

from itertools import islice

import pytest
from chaos_faults import ALL, APART, CLOCK, PROCESSES, Kind, drawn
from hypothesis import given
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32)


@given(SEEDS)
def test_the_same_seed_draws_the_same_pairs(seed: int) -> None:
    assert list(islice(drawn(seed), 5)) == list(islice(drawn(seed), 5))


@given(SEEDS)
def test_two_faults_of_a_pair_never_strike_the_same_or_two_parts_of_one_driver_or_cluster(seed: int) -> None:
    driver = {"JVM", "Python", "supervisor", "driver on the run", "checkpoint", "routing book"}
    clocks = {whom for _, whom in CLOCK}
    for one, other in islice(drawn(seed, (*ALL, *CLOCK)), 20):
        assert one.whom != other.whom
        assert not {one.whom, other.whom} <= driver | clocks
        assert {one.whom, other.whom} not in ({"master", "worker"}, {"master", "executor"})


@pytest.mark.parametrize("seed", range(3))
def test_all_faults_are_drawn_and_a_driver_is_stopped_for_longer_and_for_less_than_it_may(seed: int) -> None:
    faults = [fault for pair in islice(drawn(seed, (*ALL, *APART, *CLOCK)), 200) for fault in pair]
    assert {(fault.kind, fault.whom) for fault in faults} == {*ALL, *APART, *CLOCK}
    assert {whom for kind, whom in ALL if kind is Kind.STOP} == set(PROCESSES)
    lengths = [fault.length_s for fault in faults if fault.kind is Kind.STOP]
    assert min(lengths) < 40.0 < max(lengths) <= 60.0
