"""Each fault: what it breaks, when it is over, and that every row still counts once."""

import numpy as np
import pytest

from penstock.core.levers import Executors
from penstock.core.plan import Step
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.figures import MachineFigures
from penstock.engines.sim.microbatch import MicroBatchFault, MicroBatchJob, MicroBatchStage
from penstock.errors import ConfigError
from tests.engines.sim.microbatch.builders import a_job, an_engine, mean_latency, seen, to_threads, waiting_stage

FAILURE = MicroBatchFault("job", at_s=10.2, target="job")  # the batch of 10.0 s would end at 10.5 s


def eight_tasks() -> MicroBatchJob:
    """One batch only, from 1 s on: 8 tasks of 10 rows x 100 ms."""
    stages = (waiting_stage(8, 0.1),)
    return a_job(stages=stages, arrivals=np.array([80.0]), batch_overhead_s=0.0, commit_s=0.0)


def machine(engine_at: tuple[MachineFigures, ...], name: str) -> MachineFigures:
    return next(found for found in engine_at if found.name == name)


def test_a_failed_job_does_its_open_batch_again_after_its_downtime() -> None:
    engine = an_engine(a_job(restart_s=5.0), faults=(FAILURE,))
    processed = []
    for at_s in (10.1, 15.6, 15.8):
        engine.advance_to(at_s)
        processed.append(engine.rows("job").processed)
    assert processed == [900, 900, 1000]  # back at 15.2 s, the same 100 rows committed at 15.7 s


def test_a_failed_job_says_so_and_is_settling_until_it_is_back() -> None:
    engine = an_engine(a_job(restart_s=5.0), faults=(FAILURE,))
    down, back = seen(engine, 12.2), seen(engine, 16.2)
    assert (down.settling, down.up_s, down.trouble) == (True, None, "failed; restarts in 3 s")
    assert (back.settling, back.trouble) == (False, None)
    assert back.up_s == pytest.approx(1.0)  # since 15.2 s


def test_each_row_counts_once_through_any_number_of_failures() -> None:
    failures = tuple(MicroBatchFault("job", at_s, target="job") for at_s in (5.25, 5.5, 11.0, 11.45))
    engine = an_engine(a_job(seconds=20, restart_s=3.0), faults=failures)
    engine.advance_to(120.0)
    counts = engine.rows("job")
    assert (counts.arrived, counts.processed, counts.queued) == (2000, 2000, 0)


def test_a_failure_while_down_starts_the_downtime_again() -> None:
    engine = an_engine(a_job(restart_s=5.0), faults=(FAILURE, MicroBatchFault("job", 13.2, target="job")))
    assert (seen(engine, 18.1).settling, seen(engine, 18.3).settling) == (True, False)


def test_latency_shows_the_downtime_and_then_forgets_it() -> None:
    engine = an_engine(a_job(restart_s=5.0), faults=(FAILURE,))
    assert mean_latency(engine, 20.0) > 2.0
    assert mean_latency(engine, 90.0) == pytest.approx(0.995)


def test_the_tasks_of_a_lost_machine_run_again_on_the_others() -> None:
    loss = MicroBatchFault("machine", at_s=1.5, for_s=10.0, target="machine-1")
    engine = an_engine(eight_tasks(), slots=8, cores=8, machines=2, faults=(loss,))
    processed = []
    for at_s in (2.9, 3.1):
        engine.advance_to(at_s)
        processed.append(engine.rows("job").processed)
    assert processed == [0, 80]  # four tasks end at 2.0 s, the four that were lost take their slots until 3.0 s


def test_a_lost_machine_takes_its_slots_along_and_brings_them_back() -> None:
    loss = MicroBatchFault("machine", at_s=5.0, for_s=10.0, target="machine-1")
    engine = an_engine(a_job(), slots=4, machines=2, faults=(loss,))
    during = machine(engine.observe(10.0).machines, "machine-1")
    assert (engine.slots, during.alive, during.load) == (2, False, None)
    engine.advance_to(20.0)
    assert engine.slots == 4
    assert seen(engine, 20.0).phases_s["stages"] == pytest.approx(0.3)


def test_a_lost_machine_is_a_failure_that_jobs_go_on_in_and_one_that_is_given_back_is_none() -> None:
    loss = MicroBatchFault("machine", at_s=5.2, for_s=10.0, target="machine-1")
    engine = an_engine(a_job(threads=4), slots=4, machines=2, faults=(loss,))
    lasts = seen(engine, 10.0)
    assert (lasts.lost, lasts.failed_at_s, lasts.downtime_s, lasts.short_s) == (FailureKind.EXECUTOR, 5.2, None, None)
    over = seen(engine, 20.0)
    assert (over.downtime_s, over.short_of) == (0.0, 2.0)
    assert over.short_s == pytest.approx(10.0)
    assert over.slowed == pytest.approx(1.0)  # two slots do half of what four do
    given_back = an_engine(a_job(threads=4), slots=4, machines=2)
    given_back.advance_to(5.0)
    given_back.apply([Step("cluster", (Executors(2, 1),))])
    assert (seen(given_back, 20.0).lost, given_back.slots) == (None, 2)


def test_a_cluster_without_machines_waits_until_one_is_back() -> None:
    loss = MicroBatchFault("machine", at_s=0.5, for_s=30.0, target="machine-0")
    engine = an_engine(eight_tasks(), slots=8, faults=(loss,))
    assert seen(engine, 30.0).backlog_rows == 80
    assert engine.rows("job").processed == 0
    engine.advance_to(31.6)
    assert engine.rows("job").processed == 80  # from 30.5 s on, 1 s of tasks


def test_losses_of_one_machine_that_overlap_end_with_the_last() -> None:
    losses = tuple(MicroBatchFault("machine", at_s, 10.0, "machine-1") for at_s in (5.0, 10.0))
    engine = an_engine(a_job(), machines=2, faults=losses)
    slots = []
    for at_s in (4.0, 6.0, 16.0, 21.0):
        engine.advance_to(at_s)
        slots.append(engine.slots)
    assert slots == [4, 2, 2, 4]


def test_without_a_link_the_news_grows_older() -> None:
    engine = an_engine(a_job(), faults=(MicroBatchFault("link", at_s=20.0, for_s=30.0),))
    news = [engine.observe(at_s) for at_s in (20.0, 35.0, 49.0, 50.0)]
    assert [snapshot.jobs[0].age_s for snapshot in news] == [0.0, 15.0, 29.0, 0.0]
    assert [snapshot.machines[0].age_s for snapshot in news] == [0.0, 15.0, 29.0, 0.0]
    assert [snapshot.jobs[0].up_s for snapshot in news] == [20.0, 20.0, 20.0, 50.0]


def test_without_a_link_steps_are_refused() -> None:
    engine = an_engine(a_job(), faults=(MicroBatchFault("link", at_s=20.0, for_s=30.0),))
    engine.advance_to(25.0)
    outcome = engine.apply([to_threads("job", 1, 2)])
    assert outcome.steps[0].error == "the cluster does not answer; nothing was changed"
    assert engine.threads_total() == 1


def test_the_jobs_run_on_without_a_link() -> None:
    engine = an_engine(a_job(), faults=(MicroBatchFault("link", at_s=20.0, for_s=30.0),))
    engine.advance_to(45.9)
    assert engine.rows("job").processed == 4500


def test_link_losses_that_overlap_are_one() -> None:
    losses = tuple(MicroBatchFault("link", at_s, 10.0) for at_s in (10.0, 15.0))
    engine = an_engine(a_job(), faults=losses)
    assert [engine.observe(at_s).jobs[0].age_s for at_s in (19.0, 24.0, 25.0)] == [9.0, 14.0, 0.0]


def test_interference_slows_cpu_work_for_as_long_as_it_lasts() -> None:
    job = a_job(stages=(MicroBatchStage("work", 4, cpu_s_per_row=0.01, task_overhead_s=0.0),))
    engine = an_engine(job, faults=(MicroBatchFault("interference", at_s=10.0, for_s=20.0, load=4.0),))
    stages_s = [seen(engine, at_s).phases_s["stages"] for at_s in (9.0, 29.0, 39.0)]
    # 4 tasks and 4 foreign threads on 4 cores: 25 rows x 10 ms take twice as long
    assert stages_s == pytest.approx([0.25, 0.5, 0.25])


def test_interference_on_one_machine_leaves_the_other_alone() -> None:
    noise = MicroBatchFault("interference", at_s=10.0, for_s=90.0, target="machine-0", load=6.0)
    engine = an_engine(a_job(), machines=2, faults=(noise,))
    loads = [found.load for found in engine.observe(60.0).machines]
    assert loads[0] is not None
    assert loads[0] > 6.0
    assert loads[1] is not None
    assert loads[1] < 2.0


@pytest.mark.parametrize("kind", ["job", "machine", "interference"])
def test_a_fault_of_something_unknown_is_refused_with_the_names_there_are(kind: str) -> None:
    with pytest.raises(ConfigError, match=r"nobody.*name one of (job|machine-0)"):
        an_engine(a_job(), faults=(MicroBatchFault(kind, at_s=1.0, for_s=1.0, target="nobody"),))


def test_a_commit_that_a_failure_cut_short_does_not_count() -> None:
    # The batch of 10 s would be committed at 10.5 s; it fails in its commit and is done again from 10.47 s on.
    failure = MicroBatchFault("job", at_s=10.45, target="job")
    engine = an_engine(a_job(restart_s=0.02), faults=(failure,))
    processed = []
    for at_s in (10.6, 10.96, 10.98):
        engine.advance_to(at_s)
        processed.append(engine.rows("job").processed)
    assert processed == [900, 900, 1000]


def test_downtime_is_not_time_at_capacity() -> None:
    engine = an_engine(a_job(restart_s=100.0), faults=(FAILURE,))
    assert seen(engine, 60.0).operators[0].capacity == 0.0


def test_with_fewer_slots_the_same_work_is_a_larger_share_of_them() -> None:
    loss = MicroBatchFault("machine", at_s=40.0, for_s=60.0, target="machine-1")
    engine = an_engine(a_job(threads=4), machines=2, faults=(loss,))
    capacities = [seen(engine, at_s).operators[0].capacity for at_s in (40.0, 80.0)]
    assert capacities == pytest.approx([1.2 / 4, 1.2 / 2])  # 4 tasks of 0.3 s each second
