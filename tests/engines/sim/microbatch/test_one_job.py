"""One job alone: what it takes can be computed by hand."""

from typing import Any

import numpy as np
import pytest

from penstock.core.seen.topology import Topology
from penstock.engines.sim.microbatch import MicroBatchFault, MicroBatchStage
from penstock.engines.sim.microbatch.state import JobState
from tests.engines.sim.microbatch.builders import (
    a_job,
    an_engine,
    mean_latency,
    seen,
    to_threads,
    waiting_stage,
)

# 25 rows x 10 ms + 50 ms a task, 4 tasks on 4 slots and 4 cores; 100 ms to plan, 100 ms to commit
BATCH_S = 0.1 + (25 * 0.01 + 0.05) + 0.1


def test_a_batch_takes_planning_and_its_slowest_task_and_commit() -> None:
    phases = seen(an_engine(a_job()), 60.0).phases_s
    assert phases == {"planning": pytest.approx(0.1), "stages": pytest.approx(0.3), "commit": pytest.approx(0.1)}


def test_latency_is_spread_evenly_between_the_batch_time_and_one_trigger_more() -> None:
    latency = seen(an_engine(a_job()), 60.0).latency
    assert latency is not None
    newest, oldest = BATCH_S, BATCH_S + 0.99  # the first row of a second comes 10 ms after its beginning
    assert latency.mean_s == pytest.approx((newest + oldest) / 2)
    assert latency.at(90) == pytest.approx(newest + 0.9 * (oldest - newest))
    assert not latency.estimated


def test_rows_wait_longer_for_a_longer_trigger() -> None:
    # 1,000 rows a batch: 250 x 10 ms + 50 ms = 2.55 s of tasks, 0.2 s around them; rows wait 5 s on average
    assert mean_latency(an_engine(a_job(trigger_s=10.0)), 60.0) == pytest.approx(2.75 + 9.99 / 2)


def test_a_job_without_a_trigger_interval_takes_rows_as_they_come() -> None:
    quick = a_job(trigger_s=0.0, stages=(waiting_stage(4, 0.0),), batch_overhead_s=0.02, commit_s=0.0)
    assert mean_latency(an_engine(quick), 30.0) < 0.05


def test_capacity_is_busy_task_time_over_the_share_of_the_slots() -> None:
    operator = seen(an_engine(a_job(threads=4)), 60.0).operators[0]
    assert operator.capacity == pytest.approx(4 * 0.3 / 4)  # four tasks of 0.3 s each second on four slots
    assert operator.cpu_share == pytest.approx(4 * 0.25 / 4)


def test_how_busy_a_first_batch_is_is_told_by_the_tasks_that_run_however_long_it_was_planned() -> None:
    engine = an_engine(a_job(batch_overhead_s=25.0))  # of what came in its first second, then 4 tasks of 0.3 s
    planned, works, done = (seen(engine, at_s).operators[0].capacity for at_s in (25.5, 26.1, 26.35))
    assert (planned, works) == (0.0, 1.0)
    assert done == pytest.approx(1.2 / 26.35)  # of the slot that is its share


def test_a_job_that_keeps_up_has_all_its_juice() -> None:
    job = seen(an_engine(a_job()), 60.0)
    assert (job.juice, job.arrival_rps, job.processed_rps) == (1.0, 100.0, 100.0)


def test_a_job_that_falls_behind_is_at_capacity_and_loses_juice() -> None:
    # One task of 10 ms a row does 100 rows/s at most; 200 arrive.
    slow = a_job(rate=200.0, stages=(waiting_stage(1, 0.01),), max_rows_per_batch=100, batch_overhead_s=0.0)
    job = seen(an_engine(slow), 120.0)
    assert job.operators[0].capacity == 1.0
    assert job.juice == pytest.approx(100 / (1.1 * 200), rel=0.05)  # 100 rows in 1.0 s and 0.1 s of commit


def test_batches_grow_with_the_backlog_unless_bounded() -> None:
    slow: dict[str, Any] = {"rate": 200.0, "stages": (waiting_stage(1, 0.01),)}
    unbounded = seen(an_engine(a_job(**slow)), 120.0).stages[0].rows_in
    bounded = seen(an_engine(a_job(**slow, max_rows_per_batch=100)), 120.0).stages[0].rows_in
    assert bounded == 100
    assert unbounded is not None
    assert unbounded > 1000


def test_stages_run_one_after_another_on_what_the_one_before_lets_through() -> None:
    stages = (MicroBatchStage("parse", 4, wait_s_per_row=0.004), MicroBatchStage("count", 2, wait_s_per_row=0.004))
    job = seen(an_engine(a_job(stages=stages, selectivity=(0.5, 0.1))), 60.0)
    # 25 rows x 4 ms + 10 ms, then 25 rows (half of 100 on two tasks) x 4 ms + 10 ms
    assert job.phases_s["stages"] == pytest.approx(0.11 + 0.11)
    assert [(stage.rows_in, stage.rows_out) for stage in job.stages] == [(100, 50), (50, 5)]
    assert job.operators[0].rows_out_rps == pytest.approx(100 * 0.5 * 0.1)


@pytest.mark.parametrize(
    ("cores", "context_switch", "stage_s"),
    [
        (4, 0.0, 0.25),  # as many cores as tasks
        (2, 0.0, 0.5),  # each core serves two
        (2, 0.1, 0.55),  # and loses a tenth for the second thread
    ],
)
def test_cpu_work_slows_down_when_cores_are_short(cores: int, context_switch: float, stage_s: float) -> None:
    job = a_job(stages=(MicroBatchStage("work", 4, cpu_s_per_row=0.01, task_overhead_s=0.0),))
    engine = an_engine(job, cores=cores, context_switch=context_switch)
    assert seen(engine, 30.0).phases_s["stages"] == pytest.approx(stage_s)


def test_waiting_does_not_slow_down_when_cores_are_short() -> None:
    engine = an_engine(a_job(stages=(waiting_stage(4, 0.01),)), cores=1)
    assert seen(engine, 30.0).phases_s["stages"] == pytest.approx(0.25)


def test_tasks_beyond_the_slots_run_in_waves() -> None:
    engine = an_engine(a_job(stages=(waiting_stage(8, 0.01),)), slots=3)
    assert seen(engine, 30.0).phases_s["stages"] == pytest.approx(3 * 0.125)  # 3 + 3 + 2 tasks of 12.5 rows


def test_a_quiet_job_starts_no_batch_and_has_no_latency() -> None:
    job = seen(an_engine(a_job(rate=0.0)), 60.0)
    assert (job.latency, job.processed_rps, job.backlog_rows, dict(job.phases_s)) == (None, 0.0, 0.0, {})


def test_before_the_first_batch_what_is_not_known_is_none() -> None:
    job = seen(an_engine(a_job()), 0.0)
    assert (job.latency, job.juice, job.arrival_rps, job.operators[0].capacity) == (None, None, None, None)


def test_latency_grows_while_nothing_comes_out() -> None:
    # Down from 10.2 s on: of the 900 rows that came by 9 s all are done, of the later ones none.
    down = MicroBatchFault("job", 10.2, target="job")
    engine = an_engine(a_job(restart_s=1000.0), faults=(down,))
    latencies = [seen(engine, at_s).latency for at_s in (60.0, 100.0, 150.0)]
    # As if all were committed now: from 0 to the age of the row that came 10 ms after 9 s.
    assert [latency and latency.mean_s for latency in latencies] == pytest.approx([25.495, 45.495, 70.495])
    assert all(latency is not None and latency.estimated for latency in latencies)


def test_of_a_job_that_never_committed_nothing_is_known() -> None:
    job = seen(an_engine(a_job(stages=(waiting_stage(4, 100.0),))), 100.0)  # 25 rows x 100 s
    assert (job.latency, job.juice, job.batches) == (None, None, ())


def test_a_job_is_seen_only_between_its_start_and_its_end() -> None:
    engine = an_engine(a_job(), a_job("guest", starts_at_s=20.0, ends_at_s=40.0, threads=3))
    counted = [(len(engine.observe(at_s).jobs), engine.threads_total()) for at_s in (19.0, 30.0, 41.0)]
    assert counted == [(1, 1), (2, 4), (1, 1)]


def test_the_topology_is_handed_on() -> None:
    topology = Topology({"parse": ["count"]})
    assert seen(an_engine(a_job(topology=topology)), 1.0).topology == topology


def test_a_burst_is_worked_off() -> None:
    arrivals = np.array([100.0] * 20 + [2000.0] + [100.0] * 100)
    engine = an_engine(a_job(arrivals=arrivals))
    assert mean_latency(engine, 30.0) > 2.0
    # The burst's 2,000 rows take about 5 s; a minute later all is as before.
    assert mean_latency(engine, 90.0) == pytest.approx(0.995)


def test_busy_neighbours_on_the_same_machine_slow_cpu_work_down() -> None:
    job = a_job(stages=(MicroBatchStage("work", 4, cpu_s_per_row=0.01, task_overhead_s=0.0),))
    engine = an_engine(job, interference=0.2)
    assert seen(engine, 30.0).phases_s["stages"] == pytest.approx(0.25 * 1.2)  # all four cores are busy


def test_noise_leaves_the_mean_duration_as_it_is() -> None:
    state = JobState(a_job(), seed=(1, 0))
    drawn = [state.next_noise(0.5) for _ in range(20_000)]
    assert np.mean(drawn) == pytest.approx(1.0, abs=0.02)
    assert np.std(np.log(drawn)) == pytest.approx(0.5, abs=0.02)


def test_every_batch_that_ended_is_told_with_what_it_took() -> None:
    figures = seen(an_engine(a_job()), 60.9)
    last = figures.batches[-1]
    assert [one.number for one in figures.batches] == list(range(last.number - 7, last.number + 1))
    assert (last.rows, last.left_rows, last.stages, last.tasks) == (100, 0, 1, 4)
    assert (last.ended_s, last.took_s, last.staged_s) == pytest.approx((60.0 + BATCH_S, BATCH_S, 0.3))
    assert (last.busy_s, last.cpu_s) == pytest.approx((4 * 0.3, 4 * 0.25))
    assert last.aside_s == pytest.approx(0.2)
    assert last.waited_s == pytest.approx(0.5, abs=0.02)  # those of the second before


def test_a_source_that_offers_rows_second_by_second_makes_them_wait_for_their_second() -> None:
    # Triggers come 0.4 s after whole seconds: a row waits for the end of its second, 0.5 s on average, and 0.4 s more.
    job = a_job(source_step_s=1.0, trigger_phase_s=0.4)
    engine = an_engine(job)
    assert mean_latency(engine, 60.0) == pytest.approx(BATCH_S + 0.99 / 2 + 0.4)
    last = seen(engine, 61.0).batches[-1]
    assert last.left_rows == 0  # what is not offered yet is not left
    assert last.waited_s == pytest.approx(0.9, abs=0.02)


def test_without_a_trigger_interval_the_next_batch_comes_when_the_source_offers_rows() -> None:
    job = a_job(source_step_s=1.0, trigger_s=0.0)
    assert mean_latency(an_engine(job), 60.0) == pytest.approx(BATCH_S + 0.99 / 2)


def test_figures_are_over_the_window_however_short() -> None:
    arrivals = np.array([100.0] * 50 + [40.0] * 50)
    engine = an_engine(a_job(arrivals=arrivals), window_s=5.0)
    # The batch of 60 s has 40 rows; five seconds before that there were no more.
    assert (seen(engine, 61.0).arrival_rps, seen(engine, 61.0).juice) == (40.0, 1.0)


def test_machines_tell_their_slots_and_a_job_without_a_limit_may_weigh_as_much_as_gives_it_all() -> None:
    engine = an_engine(a_job(), a_job("limited", max_threads=3), slots=8, cores=2, machines=2)
    assert [machine.slots for machine in engine.observe(1.0).machines] == [4, 4]
    told = [seen(engine, 1.0, name).operators[0].max_threads for name in ("job", "limited")]
    assert told == [248, 5]


def test_more_threads_than_slots_are_refused() -> None:
    outcome = an_engine(a_job(), slots=4).apply([to_threads("job", 1, 5)])
    assert outcome.steps[0].error == "job takes 1 to 4 threads; nothing was changed"
