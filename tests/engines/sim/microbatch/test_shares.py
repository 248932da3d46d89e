"""Pools: from threads to weights and minimum shares, and the order of Spark's FAIR scheduling."""

import itertools
from typing import Any

import pytest

from penstock.core.asked.slot_limits import SlotLimits
from penstock.engines.sim.microbatch.shares import fair_order, fifo_order, reshare
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.spark.application.shares import PoolShare, pool_shares
from tests.engines.sim.microbatch.builders import a_job


def pool(name: str, threads: int, min_share: int = 0, running: int = 0, batch: int = 0) -> JobState:
    state = JobState(a_job(name, threads=threads), seed=(0, 0))
    state.weight, state.min_share, state.running, state.batch_order = threads, min_share, running, batch
    return state


@pytest.mark.parametrize(
    ("threads", "slots", "min_shares"),
    [
        ((2, 1), 8, [2, 1]),  # there is room: each has its threads
        ((6, 2), 8, [6, 2]),
        ((8, 4, 4), 8, [4, 2, 2]),  # twice as many as slots: each has half
        ((5, 5, 5), 8, [2, 2, 2]),  # 8 x 5 / 15 = 2.67, rounded down
        ((9, 1), 8, [7, 1]),  # 8 x 1 / 10 = 0.8, but each keeps the one that it is promised
        ((3,), 0, [0]),
        ((3, 1, 1, 1), 4, [2, 0, 0, 0]),  # 2 and a floor for each of the others would be five of four
        ((3, 2, 1, 1), 4, [1, 1, 1, 1]),  # four of four: all are kept
        ((1, 1, 1), 2, [0, 0, 0]),
        ((2, 1, 1), 2, [1, 0, 0]),
    ],
)
def test_minimum_shares_are_threads_scaled_down_to_the_slots(
    threads: tuple[int, ...], slots: int, min_shares: list[int]
) -> None:
    jobs = [pool(str(index), count) for index, count in enumerate(threads)]
    reshare(jobs, slots, "governed")
    assert [job.min_share for job in jobs] == min_shares
    assert sum(job.share_slots for job in jobs) <= slots + 1e-9


def test_no_floor_is_below_a_jobs_least_threads_or_above_its_most() -> None:
    jobs = [
        JobState(a_job(name, threads=threads, **limits), seed=(0, 0))
        for name, threads, limits in (("a", 6, {}), ("b", 3, {"min_threads": 3}), ("c", 2, {"max_threads": 2}))
    ]
    reshare(jobs, 8, "governed")
    assert [job.min_share for job in jobs] == [4, 3, 1]  # 8 / 11 of 6, 3 and 2 are 4.4, 2.2 and 1.5


def test_fair_pools_are_all_alike_and_have_no_floor() -> None:
    jobs = [pool("a", 6), pool("b", 1)]
    reshare(jobs, 8, "fair")
    assert [(job.weight, job.min_share) for job in jobs] == [(1, 0), (1, 0)]


@pytest.mark.parametrize("threads", list(itertools.product((1, 2, 5, 62), repeat=3)))
@pytest.mark.parametrize("limits", [SlotLimits(), SlotLimits(2, 4), SlotLimits(1, 7)])
def test_shares_are_those_that_the_spark_engine_gives(threads: tuple[int, ...], limits: SlotLimits) -> None:
    asked = {
        name: max(limits.min_slots, min(limits.max_slots or 62, count))
        for name, count in zip("abc", threads, strict=True)
    }
    spark = pool_shares(asked, dict.fromkeys("abc", limits), 8)
    ranges: dict[str, Any] = {"min_threads": limits.min_slots, "max_threads": limits.max_slots}
    jobs = [JobState(a_job(name, threads=count, **ranges), (0, 0)) for name, count in asked.items()]
    reshare(jobs, 8, "governed")
    assert {job.name: PoolShare(job.weight, job.min_share) for job in jobs} == spark


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pool("b", 1, min_share=2, running=1), pool("a", 9, min_share=2, running=2)),  # below its minimum
        (pool("b", 1, min_share=4, running=1), pool("a", 1, min_share=2, running=1)),  # 1/4 of it before 1/2
        (pool("b", 3, running=5), pool("a", 1, running=2)),  # 5/3 running for each weight before 2/1
        (pool("a", 1, running=1), pool("b", 1, running=1)),  # the name
    ],
)
def test_fair_order_is_sparks(first: JobState, second: JobState) -> None:
    assert fair_order(first) < fair_order(second)


def test_fifo_order_is_the_order_of_the_batches() -> None:
    assert fifo_order(pool("b", 1, running=7, batch=1)) < fifo_order(pool("a", 9, batch=2))
