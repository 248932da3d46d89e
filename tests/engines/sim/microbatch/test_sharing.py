"""Several jobs on the same slots: Spark's shares, and what they cannot do."""

from typing import Any

import numpy as np
import pytest

from penstock.engines.sim.microbatch import MicroBatchJob, shares, world
from penstock.engines.sim.microbatch.shares import Rank
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.sim.microbatch.world import ClusterState
from tests.engines.sim.microbatch.builders import (
    a_hungry_job,
    a_job,
    an_engine,
    mean_latency,
    seen,
    to_threads,
    waiting_stage,
)


def test_two_equal_jobs_share_equally() -> None:
    engine = an_engine(a_hungry_job("a"), a_hungry_job("b"), slots=8, noise=0.2)
    engine.advance_to(120.0)
    assert engine.rows("a").processed == pytest.approx(engine.rows("b").processed, rel=0.03)


def test_a_weight_of_three_to_one_gives_three_to_one_under_saturation() -> None:
    engine = an_engine(a_hungry_job("a", threads=3), a_hungry_job("b"), slots=8, noise=0.2)
    engine.advance_to(120.0)
    # A little less than 3: at the end of each stage the other may take what is left over.
    assert engine.rows("a").processed / engine.rows("b").processed == pytest.approx(3.0, rel=0.15)


def test_fifo_serves_the_oldest_batch_whatever_the_shares() -> None:
    engine = an_engine(a_hungry_job("a", threads=7), a_hungry_job("b"), slots=8, noise=0.2, scheduling="fifo")
    engine.advance_to(120.0)
    assert engine.rows("a").processed == pytest.approx(engine.rows("b").processed, rel=0.05)


def test_a_share_counts_from_the_next_task_on() -> None:
    engine = an_engine(a_hungry_job("a"), a_hungry_job("b"), slots=8, noise=0.2)
    engine.advance_to(60.0)
    before = engine.rows("a").processed, engine.rows("b").processed
    engine.apply([to_threads("a", 1, 3)])
    engine.advance_to(180.0)
    gained = engine.rows("a").processed - before[0], engine.rows("b").processed - before[1]
    assert gained[0] / gained[1] == pytest.approx(3.0, rel=0.15)


def test_a_minimum_share_is_honoured_within_one_task_of_the_others() -> None:
    urgent = a_job("urgent", rate=60.0, stages=(waiting_stage(6, 0.03),), threads=6)
    engine = an_engine(urgent, a_hungry_job("hog", threads=2), slots=8)
    # 0.2 s around tasks of 10 rows x 30 ms; slots come back within the hog's 25 ms
    assert 0.5 <= sum(seen(engine, 60.0, "urgent").phases_s.values()) <= 0.53


def long_tasks() -> MicroBatchJob:
    """80 rows in the first second, then quiet: from 1 s to 21 s eight tasks of 10 rows x 2 s."""
    stages = (waiting_stage(8, 2.0),)
    return a_job("hog", stages=stages, arrivals=np.array([80.0]), batch_overhead_s=0.0, commit_s=0.0)


@pytest.mark.parametrize("scheduling", ["fifo", "fair"])
def test_running_tasks_are_not_preempted_by_any_share(scheduling: str) -> None:
    urgent = a_job("urgent", threads=100, starts_at_s=1.0)
    engine = an_engine(urgent, long_tasks(), slots=8, scheduling=scheduling)
    processed = []
    for at_s in (20.9, 21.5):
        engine.advance_to(at_s)
        processed.append(engine.rows("urgent").processed)
    assert processed == [0, 100]  # its batch of 100 rows waits from 2 s to 21 s, then takes 0.25 s of CPU and more


def overloaded(bound: int | None) -> list[MicroBatchJob]:
    """Three tenants that want 12 of 8 slots: 400 rows/s x 10 ms each."""
    stages = (waiting_stage(16, 0.01),)
    common: dict[str, Any] = {
        "rate": 400.0,
        "stages": stages,
        "max_rows_per_batch": bound,
        "batch_overhead_s": 0.05,
        "commit_s": 0.05,
    }
    return [a_job("urgent", threads=8, **common), a_job("x", **common), a_job("y", **common)]


def test_bounded_batches_let_the_urgent_job_through_where_unbounded_ones_do_not() -> None:
    unbounded, bounded = an_engine(*overloaded(None), slots=8), an_engine(*overloaded(400), slots=8)
    assert mean_latency(unbounded, 300.0, "urgent") > 10.0
    assert mean_latency(bounded, 300.0, "urgent") < 2.0


def test_shares_decide_whose_juice_is_lost_when_batches_are_bounded() -> None:
    governed, fifo = (an_engine(*overloaded(400), slots=8, scheduling=kind) for kind in ("governed", "fifo"))
    assert seen(governed, 300.0, "urgent").juice == pytest.approx(1.0, abs=0.02)
    # Without shares all three get 8 slots of the 12 they want, less what idles while they plan.
    assert seen(fifo, 300.0, "urgent").juice == pytest.approx(8 / 12, abs=0.05)


def test_a_share_left_idle_goes_to_who_wants_it() -> None:
    engine = an_engine(a_hungry_job("hungry"), a_job("idle", rate=0.0, threads=7), slots=8)
    # 8 slots x 100 rows/s of task time each
    assert seen(engine, 60.0, "hungry").processed_rps == pytest.approx(800.0, rel=0.02)


def test_machines_show_the_load_of_all_jobs_on_average() -> None:
    engine = an_engine(a_job("a"), a_job("b"), slots=8, cores=8, machines=2)
    loads = [machine.load for machine in engine.observe(60.0).machines]
    # 100 rows/s x 10 ms for each job: one thread at work on average, on two machines together two
    assert loads == pytest.approx([1.0, 1.0], rel=0.01)


def test_a_larger_share_makes_the_same_work_a_smaller_part_of_it() -> None:
    engine = an_engine(a_job("a", threads=2), a_job("b", rate=0.0, threads=4))
    engine.apply([to_threads("a", 2, 4)])
    # 4 tasks of 0.3 s each second on 4 slots x 4 / 8 threads
    assert seen(engine, 60.0, "a").operators[0].capacity == pytest.approx(1.2 / 2)


def test_the_slots_of_a_job_that_ends_go_to_the_others() -> None:
    # It would hold all slots from 1 s to 21 s.
    hog = a_job("hog", stages=(waiting_stage(8, 2.0),), arrivals=np.array([80.0]), ends_at_s=5.0)
    engine = an_engine(a_job("patient"), hog, slots=8)
    engine.advance_to(6.5)
    assert engine.rows("patient").processed > 0


def test_many_slots_that_come_free_at_once_go_to_the_oldest_batch_under_fifo() -> None:
    hog = a_job("hog", stages=(waiting_stage(4, 2.0),), arrivals=np.array([80.0]), ends_at_s=5.0)
    a_second: dict[str, Any] = {"stages": (waiting_stage(4, 0.1),), "batch_overhead_s": 0.0, "commit_s": 0.0}
    late = a_job("a", arrivals=np.array([0.0, 0.0, 40.0]), **a_second)
    early = a_job("z", arrivals=np.array([0.0, 40.0]), **a_second)
    engine = an_engine(hog, late, early, scheduling="fifo")
    engine.advance_to(6.5)
    assert (engine.rows("z").processed, engine.rows("a").processed) == (40, 0)  # z from 5 s to 6 s, then a


def test_under_fifo_a_batch_has_its_place_from_the_end_of_its_planning_and_all_its_stages_keep_it() -> None:
    two_stages = (waiting_stage(4, 0.1), waiting_stage(4, 0.1))
    # Both see their rows at 2 s. a plans for 0.5 s, b for 0.1 s: b's Spark job is the older one.
    rows = np.array([0.0, 40.0])
    a = a_job("a", arrivals=rows, stages=two_stages, batch_overhead_s=0.5, commit_s=0.0)
    b = a_job("b", arrivals=rows, stages=two_stages, batch_overhead_s=0.1, commit_s=0.0)
    engine = an_engine(a, b, scheduling="fifo")
    # b's first stage from 2.1 s to 3.1 s; between its stages a's tasks take the slots, until 4.1 s; then both have a
    # stage to run, and b, whose job is older, is done at 5.1 s before a begins again.
    assert [seen(engine, 60.0, name).phases_s["stages"] for name in "ba"] == pytest.approx([5.1 - 2.1, 6.1 - 2.5])


def test_shares_are_worked_out_once_for_all_jobs_that_begin_or_are_changed_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worked_out, share_anew = list[int](), ClusterState.share_anew

    def counted(state: ClusterState) -> None:
        worked_out.append(len(state.jobs))
        share_anew(state)

    monkeypatch.setattr(ClusterState, "share_anew", counted)
    names = [f"job-{number:02}" for number in range(30)]
    engine = an_engine(*(a_hungry_job(name) for name in names), slots=8)
    assert len(worked_out) == 1
    engine.apply([to_threads(name, 1, 3) for name in names])
    assert len(worked_out) == 2


def test_the_next_task_is_found_without_a_look_at_every_job_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    ranked, fair = list[str](), shares.ORDERS["fair"]

    def counted(job: JobState) -> Rank:
        ranked.append(job.name)
        return fair(job)

    monkeypatch.setattr(world, "ORDERS", {"fair": counted})
    engine = an_engine(*(a_hungry_job(f"job-{number:03}") for number in range(200)), slots=2, scheduling="fair")
    engine.advance_to(5.0)
    before = len(ranked)
    engine.advance_to(15.0)
    tasks = 10.0 * 2 / 0.025  # that two slots do at the most, of the hog's 25 ms
    assert 0 < len(ranked) - before < 20 * tasks  # it was 200 for each
