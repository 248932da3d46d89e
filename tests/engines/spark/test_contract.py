"""The contract of the engine with an application: what it shows and does on real Spark, it does on the fake."""

from collections.abc import Sequence

import pytest

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.levers import Partitions, Slots, Tasks, Trigger
from penstock.core.seen.figures import ALL_OPERATORS
from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.routing.pins import RanTask, Send
from penstock.errors import EngineError, LeaseLostError
from tests.engines.spark.helpers import of
from tests.engines.spark.rigs import Opened, failing_in, leaves, raises, turned
from tests.patience import eventually

AT_ONCE = RestartPolicy(max_restarts=2, backoff_s=0.1)


@pytest.mark.contract
def test_a_running_query_shows_rates_latency_juice_stages_and_machines(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, rig.rig.counting))
    figures = rig.observed(running, name, lambda job: job.juice is not None and len(job.stages) == 2 and job.latency)
    assert figures.latency is not None
    assert figures.latency.estimated
    assert figures.arrival_rps is not None
    assert figures.state_bytes is not None
    assert figures.operator(ALL_OPERATORS).capacity is not None
    assert any("StateStoreSave" in stage.name for stage in figures.stages)
    assert [machine.executors for machine in running.observe(1.0).machines] == [None]  # the driver takes the tasks


@pytest.mark.contract
def test_where_the_stateful_tasks_of_a_batch_ran_is_told_and_there_they_run_on(rig: Opened, name: str) -> None:
    running, spark = rig.engine(Job(name, rig.rig.counting)), rig.rig.spark
    (executor,) = spark.executor_list()
    for _ in range(2):
        rig.observed(running, name, lambda job: job.processed_rps)
        query = next(query for query in spark.queries() if query.name == name)
        ran = eventually(lambda query=query: _ran_last(rig, query))  # type: ignore[misc]
        assert {task.executor for task in ran} == {executor.id}
        assert sorted({task.partition for task in ran}) == list(range(spark.partitions(query) or 0))
        spark.places.send(query, [Send(task.partition, executor.id) for task in ran])


def _ran_last(rig: Opened, query: Query) -> Sequence[RanTask] | None:
    rig.rig.live()
    last = rig.rig.spark.last_batch(query)
    return None if last is None else rig.rig.spark.places.ran(query, last)


@pytest.mark.contract
def test_a_share_is_seen_in_the_pool_at_once_and_the_same_step_twice_leaves_all_as_after_the_first(
    rig: Opened, name: str
) -> None:
    running, pools = rig.engine(Job(name, rig.rig.quick, SlotLimits(1, 4), slots=1)), rig.rig.spark.pools
    assert pools.share(name) == PoolShare(weight=1, min_share=1)
    for _ in range(2):
        assert turned(running, Slots(name, 1, 3)).error is None
        assert pools.share(name) == PoolShare(weight=3, min_share=3)


@pytest.mark.contract
def test_queries_run_in_the_pool_of_their_name(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, rig.rig.quick))
    # Of a first batch that takes half a minute it is said that it does; a batch ends that.
    rig.observed(running, name, lambda job: job.stages and job.trouble is None)


def test_limits_are_kept_whatever_a_policy_asks(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, rig.rig.quick, SlotLimits(2, 3), slots=2))
    before = rig.rig.spark.pools.share(name)
    assert turned(running, Slots(name, 2, 4)).error == f"{name}: 4 slots are more than its max_slots, 3"
    assert turned(running, Slots(name, 2, 1)).error == f"{name}: 1 slots are fewer than its min_slots, 2"
    assert rig.rig.spark.pools.share(name) == before
    assert of(running.observe(1.0), name).operator(ALL_OPERATORS).threads == 2


def test_a_job_that_raises_at_start_is_tried_again_then_given_up_and_the_other_runs(rig: Opened, name: str) -> None:
    other = f"{name}_other"
    running = rig.engine(Job(name, raises, restart=AT_ONCE), Job(other, rig.rig.quick))
    figures = rig.observed(running, name, lambda job: "given up" in (job.trouble or ""))
    said = "not running: no such topic: payments; tried 3 times and given up, or again by `penstock control start"
    assert figures.trouble == f"{said} {name}`"
    assert (figures.latency, figures.juice) == (None, None)
    assert rig.observed(running, other, lambda job: job.processed_rps).trouble is None


def test_a_job_that_was_given_up_runs_as_soon_as_somebody_asks_for_it(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, failing_in({1}, rig.rig.quick), restart=RestartPolicy(max_restarts=0)))
    assert "given up" in str(of(running.observe(1.0), name).trouble)
    running.start_again(name)
    rig.observed(running, name, lambda job: job.trouble is None and job.processed_rps)
    with pytest.raises(EngineError, match="runs: there is nothing to start"):
        running.start_again(name)


def test_a_query_that_was_stopped_runs_again_when_somebody_asks_for_it(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, rig.rig.quick))
    next(query for query in rig.rig.spark.queries() if query.name == name).stop()
    rig.observed(running, name, lambda job: job.trouble == "its query was stopped")
    running.start_again(name)
    rig.observed(running, name, lambda job: job.trouble is None and job.processed_rps)


def test_what_penstock_cannot_start_is_said_to_who_asks_for_it(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name))
    with pytest.raises(EngineError, match="penstock did not start its query"):
        running.start_again(name)
    with pytest.raises(EngineError, match="no job of this application has that name"):
        running.start_again("nobody")


@pytest.mark.contract
def test_a_query_that_dies_repeatedly_is_given_up_with_its_own_error(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, rig.rig.dies, restart=AT_ONCE))
    figures = rig.observed(running, name, lambda job: "given up" in (job.trouble or ""))
    assert "bad row 7" in (figures.trouble or "")


def test_a_function_that_calls_exit_is_that_tenants_trouble(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, leaves, restart=RestartPolicy(max_restarts=0)))
    assert "its function ended the interpreter: SystemExit(0)" in (of(running.observe(1.0), name).trouble or "")


def test_a_second_controller_refuses(rig: Opened, name: str) -> None:
    rig.engine(Job(name, rig.rig.quick))
    with pytest.raises(EngineError, match="another controller governs this application"):
        SparkEngine(rig.rig.spark, [Job(name)], clocks=rig.rig.clocks).open()


@pytest.mark.contract
def test_a_query_that_ran_before_is_seen_and_its_share_is_said_to_move_later(rig: Opened, name: str) -> None:
    rig.rig.start_foreign(name)
    running = rig.engine(Job(name))
    figures = rig.observed(running, name, lambda job: job.stages and job.juice is not None)
    assert "after its next start" in (figures.trouble or "")
    assert "after its next start" in (turned(running, Slots(name, 1, 3)).error or "")


def test_a_query_is_not_started_once_another_controller_has_the_application(rig: Opened, name: str) -> None:
    def late(session: object) -> object:
        rig.rig.take_over()
        return rig.rig.quick(session)  # type: ignore[arg-type]

    running = rig.engine(Job(name, late))  # type: ignore[arg-type]
    assert [query.name for query in rig.rig.spark.queries() if query.name == name] == []
    with pytest.raises(LeaseLostError):
        running.tend()


def test_what_was_done_of_a_step_that_fails_is_taken_back(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, rig.rig.quick, slots=1))
    outcome = turned(running, Slots(name, 1, 2), Tasks(name, "nonsense", 0, 1))
    assert (outcome.undone, "undone:" in (outcome.error or "")) == (True, True)
    assert rig.rig.spark.pools.share(name) == PoolShare(1, 1)


@pytest.mark.contract
def test_a_controller_that_was_taken_over_does_nothing_more_and_says_so(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, rig.rig.quick, slots=1))
    rig.rig.take_over()
    outcome = turned(running, Slots(name, 1, 2))
    assert (outcome.error, outcome.undone) == (
        "another controller took this application over; this one stops acting",
        None,
    )
    assert rig.rig.spark.pools.share(name) == PoolShare(1, 1)
    with pytest.raises(LeaseLostError):
        running.observe(1.0)


@pytest.mark.contract
def test_another_trigger_holds_while_the_query_runs_on(rig: Opened, name: str) -> None:
    running, first = rig.engine(Job(name, rig.rig.quick)), rig.run_id(name)
    rig.observed(running, name, lambda job: job.processed_rps)
    assert "ask for 0 or more seconds" in str(turned(running, Trigger(name, 0.2, -1.0)).error)
    assert turned(running, Trigger(name, 0.2, 0.1)).error is None
    figures = rig.observed(running, name, lambda job: job.processed_rps)
    assert (figures.trouble, [dial.now for dial in figures.levers if dial.kind == "trigger"]) == (None, [0.1])
    assert rig.run_id(name) == first
    assert [job.trigger_s for job in running.jobs] == [0.1]  # with which it would be started again


def test_a_long_wait_between_batches_is_cut_short_by_a_restart(rig: Opened, name: str) -> None:
    running, first = rig.engine(Job(name, rig.rig.quick, trigger_s=3600.0)), rig.run_id(name)
    assert turned(running, Trigger(name, 3600.0, 0.1)).error is None
    assert rig.run_id(name) != first
    assert rig.observed(running, name, lambda job: job.processed_rps).trouble is None


@pytest.mark.parametrize(("error", "told"), [("no credentials", "no credentials"), ("", "ValueError")])
def test_a_job_that_does_not_start_as_changed_runs_on_as_it_was(rig: Opened, name: str, error: str, told: str) -> None:
    running = rig.engine(Job(name, failing_in({2}, rig.rig.quick, error), trigger_s=3600.0))
    assert f"it continues unchanged; {told}" in str(turned(running, Trigger(name, 3600.0, 5.0)).error)
    assert [(job.name, job.trigger_s) for job in running.jobs] == [(name, 3600.0)]
    assert of(running.observe(1.0), name).trouble is None


def test_a_job_that_does_not_even_start_as_it_was_is_started_again_by_its_restart_policy(
    rig: Opened, name: str
) -> None:
    running = rig.engine(Job(name, failing_in({2, 3}, rig.rig.quick), trigger_s=3600.0))
    said = turned(running, Trigger(name, 3600.0, 0.2)).error
    assert f"{name} could not be started again: no credentials" in str(said)
    assert "; tried once, next in" in str(of(running.observe(1.0), name).trouble)
    rig.observed(running, name, lambda job: job.trouble is None)


@pytest.mark.contract
def test_state_moves_to_other_partitions_and_to_the_same_ones_it_does_not(rig: Opened, name: str) -> None:
    running = rig.engine(Job(name, rig.rig.counting))
    figures = rig.observed(running, name, lambda job: [dial.now for dial in job.levers if dial.kind == "partitions"])
    assert [dial.now for dial in figures.levers if dial.kind == "partitions"] == [2]
    if not rig.rig.cuts_state:
        assert "that came with Spark 4.2" in str(turned(running, Partitions(name, 2, 3)).error)
        return
    for _ in range(2):
        assert turned(running, Partitions(name, 2, 3)).error is None
        after = rig.run_id(name)
        rig.observed(running, name, lambda job: [dial.now for dial in job.levers if dial.kind == "partitions"] == [3])
        assert rig.run_id(name) == after
