"""The search for Tmax: copies at rising rates, each ended when it falls behind and not before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from job_profiling import profile_simulated
from pydantic import TypeAdapter

from penstock.engines.sim.scaleout.spec import ScaleOutJob
from penstock.errors import ConfigError
from penstock.planning.profiling.jobs import (
    CopyEnded,
    CopySearch,
    CopySearchSettings,
    MeasuredCopy,
    after_round,
    start,
)

QUICK = CopySearchSettings(first_rps=100.0, step_rps=100.0, settle_s=60.0, measure_s=60.0)


def capacity(scaleout: int) -> float:
    return 150.0 * scaleout


def told(search: CopySearch) -> list[MeasuredCopy]:
    """Copies that keep up have a latency of a second, the others one that grows."""
    return [
        MeasuredCopy(
            size,
            search.rate_rps,
            1.0 + 0.2 * search.rate_rps / capacity(size) if search.rate_rps < capacity(size) else 30.0,
            min(search.rate_rps, capacity(size)),
        )
        for size in search.running
    ]


def finished(scaleouts: tuple[int, ...]) -> CopySearch:
    search = start(scaleouts, None, QUICK)
    while not search.done:
        search, _ = after_round(search, told(search), QUICK)
    return search


@given(st.sets(st.integers(1, 20), min_size=1, max_size=8))
def test_every_copy_is_ended_at_its_capacity(sizes: set[int]) -> None:
    found = {seen.scaleout: seen.rate_rps for seen in finished(tuple(sizes)).found if seen.saturated}
    assert found == {size: capacity(size) for size in sizes}


def test_a_copy_is_ended_in_the_round_in_which_it_falls_behind_and_costs_nothing_after() -> None:
    search = start((1, 4), None, QUICK)
    search, ended = after_round(search, told(search), QUICK)
    assert (ended, search.running, search.cost_executor_s) == ((), (1, 4), 120.0 * 5)
    search, ended = after_round(search, told(search), QUICK)  # 200 rows/s are above the 150 of one executor
    assert [one.scaleout for one in ended] == [1]
    search, _ = after_round(search, told(search), QUICK)
    assert search.cost_executor_s == 120.0 * (5 + 5 + 4)


def test_of_three_copies_the_late_one_is_found_by_its_cluster_without_any_past() -> None:
    search = start((1, 2, 4), None, QUICK)
    late = [MeasuredCopy(1, 100.0, 20.0, 80.0), MeasuredCopy(2, 100.0, 1.0, 100.0), MeasuredCopy(4, 100.0, 1.1, 100.0)]
    _, ended = after_round(search, late, QUICK)
    assert [one.scaleout for one in ended] == [1]
    assert "cluster" in ended[0].why


def test_one_copy_alone_is_judged_by_its_own_past() -> None:
    found = finished((3,))
    assert [seen.rate_rps for seen in found.found if not seen.saturated] == [100.0, 200.0, 300.0, 400.0, 500.0]


def test_a_copy_from_which_nothing_comes_is_ended() -> None:
    _, ended = after_round(start((2,), None, QUICK), [MeasuredCopy(2, 100.0, None, 0.0)], QUICK)
    assert ended[0].why == "nothing came out of it"


def test_a_copy_that_falls_behind_by_a_little_more_each_round_is_ended_after_the_second() -> None:
    search = start((2,), None, QUICK)
    rounds = ((100.0, 2.0), (200.0, 3.0), (270.0, 5.0), (310.0, 7.0))  # processed, latency
    ended: tuple[CopyEnded, ...] = ()
    for processed_rps, latency_s in rounds:
        assert ended == ()
        keeps_up = processed_rps >= search.rate_rps
        one = MeasuredCopy(2, search.rate_rps, latency_s, processed_rps, keeps_up)
        search, ended = after_round(search, [one], QUICK)
    assert [(one.capacity_rps, "two rounds" in one.why) for one in ended] == [(310.0, True)]


def test_a_copy_that_is_late_but_keeps_up_goes_on_for_what_it_does_is_not_its_capacity() -> None:
    late = [MeasuredCopy(1, 100.0, 3.0, 100.0, keeps_up=True), *(MeasuredCopy(n, 100.0, 1.0, 100.0) for n in (2, 4))]
    search, ended = after_round(start((1, 2, 4), None, QUICK), late, QUICK)
    assert (ended, search.running) == ((), (1, 2, 4))


def test_a_cluster_without_room_is_refused_and_told_how_much_is_needed() -> None:
    with pytest.raises(ConfigError, match="need 15 executors side by side"):
        start((1, 2, 4, 8), room=12)


def test_a_copy_that_was_not_measured_is_an_error() -> None:
    with pytest.raises(ConfigError, match="the copy of scale-out 4 runs too"):
        after_round(start((1, 4), None, QUICK), [MeasuredCopy(1, 100.0, 1.0, 100.0)], QUICK)


def test_a_stored_search_goes_on_where_it_was() -> None:
    search, _ = after_round(start((1, 2, 4), None, QUICK), told(start((1, 2, 4), None, QUICK)), QUICK)
    adapter = TypeAdapter(CopySearch)
    assert adapter.validate_json(adapter.dump_json(search)) == search


def test_a_search_ends_after_its_last_round() -> None:
    short = CopySearchSettings(first_rps=1.0, step_rps=1.0, most_rounds=3)
    search = start((5,), None, short)
    for _ in range(3):
        search, ended = after_round(search, told(search), short)
    assert search.done
    assert "3 rounds are enough" in ended[0].why
    assert not any(seen.saturated for seen in search.found)  # its capacity was not reached


def test_a_simulated_job_is_profiled_to_its_true_capacities() -> None:
    job = ScaleOutJob("a", {1: 150.0, 4: 500.0}, np.zeros(1))
    search = profile_simulated(job, (1, 2, 4), QUICK)
    found = {seen.scaleout: seen.rate_rps for seen in search.found if seen.saturated}
    assert found == pytest.approx({1: 150.0, 2: 266.7, 4: 500.0}, rel=0.02)
