"""Cores: what runs on a machine shares them, from instant to instant, and the driver's work too."""

from typing import Any

import numpy as np
import pytest

from penstock.engines.sim.microbatch import MicroBatchFault, MicroBatchJob, MicroBatchStage, Slowness
from tests.engines.sim.microbatch.builders import a_job, an_engine, seen, waiting_stage

AT_ONCE: dict[str, Any] = {"batch_overhead_s": 0.0, "commit_s": 0.0}


def burning(name: str, at_s: int, cpu_s: float, wait_s: float = 0.0, tasks: int = 1) -> MicroBatchJob:
    """One batch only, that begins then: tasks of one row each."""
    stage = MicroBatchStage("burn", tasks, cpu_s, wait_s, task_overhead_s=0.0)
    arrivals = np.array([0.0] * (at_s - 1) + [float(tasks)])
    return a_job(name, arrivals=arrivals, stages=(stage,), **AT_ONCE)


def stages_s(*jobs: MicroBatchJob, **cluster: Any) -> list[float]:
    engine = an_engine(*jobs, **cluster)
    return [seen(engine, 60.0, job.name).phases_s["stages"] for job in jobs]


def test_a_task_slows_down_from_the_instant_at_which_another_begins() -> None:
    # From 1 s to 2 s a runs alone and does 1 s of its 4 s; then both at half speed: b's 1 s takes until 4 s.
    # a has 2 s left by then, and the core for itself.
    assert stages_s(burning("a", 1, 4.0), burning("b", 2, 1.0), cores=1) == pytest.approx([5.0, 2.0])


def test_tasks_that_partly_wait_use_all_cores_and_no_more() -> None:
    # Four tasks of 1 s of CPU and 1 s of waiting on one core: 4 s of CPU cannot be done sooner.
    assert stages_s(burning("a", 1, 1.0, 1.0, tasks=4), cores=1) == pytest.approx([4.0])
    # Two of them ask for one core in all: nothing slows down.
    assert stages_s(burning("a", 1, 1.0, 1.0, tasks=2), cores=1) == pytest.approx([2.0])


def test_somebody_elses_threads_take_their_part_of_the_cores() -> None:
    job = burning("a", 1, 2.0)
    # Alone from 1 s to 2 s, then one of three on the core: its second second takes three.
    fault = MicroBatchFault("interference", at_s=2.0, for_s=30.0, load=2.0)
    assert stages_s(job, cores=1, faults=(fault,)) == pytest.approx([4.0])


def test_cpu_work_of_a_task_beside_its_rows_counts() -> None:
    stage = MicroBatchStage("burn", 4, cpu_s_per_row=0.0, task_overhead_s=0.0, task_cpu_s=0.1)
    batch = seen(an_engine(a_job(stages=(stage,)), cores=2), 30.0).batches[-1]
    assert (batch.cpu_s, batch.staged_s) == pytest.approx((0.4, 0.2))


def planning(name: str, **changed: Any) -> MicroBatchJob:
    """200 ms of planning that is all work, 100 ms of commit that is half of it, each second."""
    overheads = {"batch_overhead_s": 0.2, "commit_s": 0.0, "driver_cpu_share": 1.0}
    return a_job(name, stages=(waiting_stage(1, 0.0),), **{**overheads, **changed})


def test_queries_that_plan_at_once_share_the_drivers_cores() -> None:
    engine = an_engine(*(planning(name) for name in "abcd"), driver_cores=2)
    # Four at once on two cores: 0.2 s takes 0.4 s.
    assert [seen(engine, 30.0, name).phases_s["planning"] for name in "abcd"] == pytest.approx([0.4] * 4)


def test_what_of_planning_is_waiting_does_not_slow_down() -> None:
    engine = an_engine(*(planning(name, driver_cpu_share=0.5) for name in "abcd"), driver_cores=1)
    # Each works 0.1 s and waits 0.1 s; one core does 0.4 s of work in 0.4 s.
    assert seen(engine, 30.0, "a").phases_s["planning"] == pytest.approx(0.4)


def test_a_driver_without_cores_of_its_own_slows_the_first_machines_tasks_down() -> None:
    common: dict[str, Any] = {"cores": 2, "machines": 2, "slots": 2}
    busy = burning("busy", 1, 0.5, tasks=2)  # a task on each machine, from 1 s on
    for driver_cores, slowed_s in ((None, 0.7), (1, 0.5)):
        engine = an_engine(planning("planner"), busy, driver_cores=driver_cores, **common)
        # 0.2 s of planning beside 0.5 s of the task's on one core: 0.7 s in all.
        assert seen(engine, 30.0, "busy").phases_s["stages"] == pytest.approx(slowed_s)


def test_load_counts_threads_that_wait_for_a_core() -> None:
    # 2.5 s of CPU each second on one core: all four threads run or wait, all the time.
    stage = MicroBatchStage("burn", 4, cpu_s_per_row=0.025, task_overhead_s=0.0)
    engine = an_engine(a_job(stages=(stage,), max_rows_per_batch=100, **AT_ONCE), cores=1)
    assert engine.observe(60.0).machines[0].load == pytest.approx(4.0, rel=0.01)


def test_a_task_holds_its_slot_beside_its_own_time() -> None:
    job = a_job(stages=(waiting_stage(8, 0.008),))  # 12.5 rows x 8 ms
    batch = seen(an_engine(job, launch_s=0.05), 30.0).batches[-1]
    # Eight tasks of 0.1 s on four slots, each held for 0.15 s.
    assert (batch.busy_s, batch.staged_s) == pytest.approx((8 * 0.1, 2 * 0.15))


def test_what_begins_while_the_machine_is_slow_takes_longer() -> None:
    slowness = (Slowness(0.0, tasks=2.0, driver=3.0), Slowness(30.0))
    engine = an_engine(a_job(stages=(waiting_stage(4, 0.004),)), slowness=slowness)
    phases = [seen(engine, at_s).phases_s for at_s in (29.0, 59.0)]
    # 25 rows x 4 ms, and 0.1 s of planning
    assert [phase["stages"] for phase in phases] == pytest.approx([0.2, 0.1])
    assert [phase["planning"] for phase in phases] == pytest.approx([0.3, 0.1])


def test_planning_and_commits_vary_around_their_mean() -> None:
    engine = an_engine(a_job(stages=(waiting_stage(4, 0.0),)), driver_noise=0.5)
    engine.advance_to(1000.0)
    aside_s = [batch.aside_s or 0.0 for at_s in range(8, 1000, 8) for batch in seen(engine, 1000.0 + at_s).batches]
    assert np.mean(aside_s) == pytest.approx(0.2, rel=0.1)  # 0.1 s and 0.1 s
    assert np.std(aside_s) > 0.04
