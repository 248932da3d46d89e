"""The nemesis draws the same pairs for the same seed, and none that undoes itself."""

from itertools import islice

import pytest
from chaos_faults import AHEAD, ALL, APART, BACK, BROKER_LINK, CLOCK, DATABASE_LINK, PROCESSES, Fault, Kind, drawn
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


def test_clocks_go_ahead_and_back_as_often_over_ten_seeds_however_few_pairs_a_run_has() -> None:
    every = (*ALL, *APART, *CLOCK)
    for pairs in (14, 15):  # a round is 30 faults
        drawn_ = [fault.whom for seed in range(1, 11) for pair in islice(drawn(seed, every), pairs) for fault in pair]
        assert abs(drawn_.count(AHEAD) - drawn_.count(BACK)) <= 1
    assert {whom for _, whom in CLOCK} == {AHEAD, BACK}


@given(SEEDS)
def test_one_that_is_cut_off_is_not_struck_otherwise_at_once(seed: int) -> None:
    for one, other in islice(drawn(seed, (*ALL, *APART, *CLOCK)), 40):
        assert {one.whom, other.whom} not in ({"broker", BROKER_LINK}, {"PostgreSQL", DATABASE_LINK})


def test_a_tenants_keys_move_while_others_are_killed_and_rounds_may_take_their_time_for_it() -> None:
    pairs = [pair for seed in range(1, 11) for pair in islice(drawn(seed, (*ALL, *APART, *CLOCK)), 100)]
    beside = {other.text for one, two in pairs for move, other in ((one, two), (two, one)) if move.kind is Kind.MOVE}
    assert {"kill worker", "kill executor", "kill JVM", "kill broker", "kill PostgreSQL"} <= beside
    assert Fault(Kind.MOVE, "routed").text == "re-route routed"
    assert not Fault(Kind.MOVE, "routed").spares_governing
