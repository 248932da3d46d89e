"""Re-routing trades nothing for locality: counts equal the batch answer, whatever step a crash came after."""

import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from typing import cast

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jobs.query import RestartError
from penstock.engines.spark.jvm.replan import between_batches
from penstock.engines.spark.jvm.routing import lookup
from penstock.engines.spark.jvm.routing.entries import entries_of
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.routing import reroute as rerouting
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.migration import Moved
from penstock.engines.spark.routing.reroute import reroute
from penstock.errors import ConfigError, EngineError
from tests.engines.spark.routing.running_count import CrashError
from tests.engines.spark.routing.town import (
    REGIONS,
    TAGS,
    Town,
    by_region,
    by_window_and_tag,
    regions,
    state_partitions,
    windows_and_tags,
)
from tests.patience import eventually, patience_s


def crash_after(step: str, error: type[BaseException] = CrashError) -> Callable[[str], None]:
    def done(name: str) -> None:
        if name == step:
            raise error(step)

    return done


def all_to(partition: int) -> RoutingTable:
    return RoutingTable(
        2,
        {"left": {f"r{i}": partition for i in range(REGIONS)}, "right": dict.fromkeys(range(TAGS), partition)},
    )


@pytest.fixture(scope="module")
def town(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Town:
    """Its regions are counted through all the re-routings of this module."""
    made = Town(spark, tmp_path_factory.mktemp("town"), f"town_{uuid.uuid4().hex[:8]}")
    made.feed()
    made.run(made.job(by_region))
    return made


# The lines of the table in docs/routing.md: the driver dies after a step; is the new table in force afterwards?
# test_steps goes through all of them with all but Spark's own part, test_places through one on Spark, and in test_kills
# the driver is really killed.
CRASHES = [
    ("table kept", False),
    ("query stopped", False),
    ("open batch finished", False),
    ("change written down", True),
    ("offsets entered", True),
    ("state rewritten", True),
    ("committed", True),
]


@pytest.mark.long
@pytest.mark.parametrize(("step", "in_force"), CRASHES)
def test_a_crash_after_any_step_costs_no_row_and_counts_none_twice(town: Town, step: str, in_force: bool) -> None:
    job = town.job(by_region)
    query = town.run(job)
    before = {next(iter(found)) for found in state_partitions(town).values()}
    wanted = 0 if before == {1} else 1
    with pytest.raises(CrashError):
        reroute(town.routed(job), query, all_to(wanted), done=crash_after(step))
    town.new_route()
    town.feed()
    town.run(job)
    assert town.counted == regions(town)
    assert (set().union(*state_partitions(town).values()) == {wanted}) is in_force


FAILS = ["query stopped", "open batch finished", "change written down", "offsets entered", "state rewritten"]


@pytest.mark.long  # test_steps has it without Spark, and below a change that was begun is withdrawn on it
@pytest.mark.parametrize("step", FAILS)
def test_where_a_step_fails_the_query_runs_on_with_the_table_it_had_and_counts_all(town: Town, step: str) -> None:
    job = town.job(by_region)
    query = town.run(job)
    before = state_partitions(town)
    wanted = 0 if {next(iter(found)) for found in before.values()} == {1} else 1
    with pytest.raises(RestartError, match=f"continues with its old table; {step}") as failed:
        reroute(town.routed(job), query, all_to(wanted), done=crash_after(step, EngineError))
    assert cast(StreamingQuery, failed.value.query).awaitTermination(int(patience_s()))
    assert state_partitions(town) == before
    for _ in range(2):
        town.new_route()
        town.feed()
        town.run(job)
    assert town.counted == regions(town)
    assert state_partitions(town) == before


@pytest.mark.long  # test_steps has it without Spark
def test_a_step_that_was_done_and_told_as_failed_is_done(town: Town) -> None:
    job = town.job(by_region)
    query = town.run(job)
    before = {next(iter(found)) for found in state_partitions(town).values()}
    wanted = 0 if before == {1} else 1
    changed = reroute(town.routed(job), query, all_to(wanted), done=crash_after("committed", EngineError))
    town.feed()
    assert changed.query.awaitTermination(int(patience_s()))
    town.run(job)
    assert town.counted == regions(town)
    assert set().union(*state_partitions(town).values()) == {wanted}


def test_a_pending_change_can_be_withdrawn_by_hand(spark: SparkSession, town: Town) -> None:
    job = town.job(by_region)
    query = town.run(job)
    before = state_partitions(town)
    wanted = 0 if {next(iter(found)) for found in before.values()} == {1} else 1
    with pytest.raises(CrashError):
        reroute(town.routed(job), query, all_to(wanted), done=crash_after("state rewritten"))
    route = town.new_route()
    assert route.withdraw(spark)
    assert not route.withdraw(spark)
    town.feed()
    town.run(job)
    assert town.counted == regions(town)
    assert state_partitions(town) == before


def test_a_batch_that_was_begun_is_finished_with_the_old_table_before_the_state_moves(town: Town) -> None:
    def dies() -> None:
        raise ValueError("before its commit")

    job = town.job(by_region)
    before = {next(iter(found)) for found in state_partitions(town).values()}
    wanted = 0 if before == {1} else 1
    town.feed()
    town.before_commit = dies
    query = start_query(town.spark, job)
    with pytest.raises(StreamingQueryException, match="before its commit"):
        query.awaitTermination(int(patience_s()))
    town.before_commit = lambda: None
    assert reroute(town.routed(job), query, all_to(wanted)).query.awaitTermination(int(patience_s()))
    assert town.counted == regions(town)
    assert set().union(*state_partitions(town).values()) == {wanted}


def test_a_batch_that_runs_is_awaited_and_not_begun_anew(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    began, goes_on, runs = Event(), Event(), list[int]()

    def holds() -> None:
        runs.append(len(town.batches))
        began.set()
        goes_on.wait(patience_s())

    def awaited(query: StreamingQuery, last: int | None, within_s: float) -> bool:
        goes_on.set()
        return between_batches(query, last, within_s)

    job = town.job(by_region, processingTime="100 milliseconds")
    before = {next(iter(found)) for found in state_partitions(town).values()}
    known = len(town.batches)
    monkeypatch.setattr(town, "before_commit", holds)
    monkeypatch.setattr(rerouting, "between_batches", awaited)
    town.feed()
    query = start_query(town.spark, job)
    assert began.wait(patience_s())
    changed = reroute(town.routed(job), query, all_to(0 if before == {1} else 1))
    changed.query.processAllAvailable()
    changed.query.stop()
    assert town.counted == regions(town)
    assert len(runs) == len(town.batches) - known


def test_the_new_table_is_made_while_the_query_still_runs(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    def noted(keys: Mapping[str, int]) -> list[int]:
        steps.append("entries made")
        return entries_of(keys)

    monkeypatch.setattr(lookup, "entries_of", noted)
    job = town.job(by_region)
    changed = reroute(town.routed(job), town.run(job), all_to(0), done=steps.append)
    assert changed.query.awaitTermination(int(patience_s()))
    last_made = max(number for number, step in enumerate(steps) if step == "entries made")
    assert last_made < steps.index("table kept") < steps.index("query started")


@pytest.mark.long  # each test here is of one re-routing or more, of one town
def test_a_running_count_goes_on_through_re_routings(town: Town) -> None:
    job = town.job(by_region)
    query = town.run(job)
    for number in range(5):
        town.feed()
        changed = reroute(town.routed(job), query, all_to(number % 2))
        query = changed.query
        assert query.awaitTermination(int(patience_s()))
        assert town.counted == regions(town)
        assert set().union(*state_partitions(town).values()) == {number % 2}


@pytest.mark.long  # test_lookup has tables that follow each other, test_kills windows that outlive a restart
@pytest.mark.parametrize("times", [2, 5])
def test_windows_follow_the_table_they_began_with_through_re_routings_and_restarts(
    spark: SparkSession, tmp_path: Path, name: str, times: int
) -> None:
    town = Town(spark, tmp_path, name)
    job = town.job(by_window_and_tag)
    for number in range(times + 1):
        town.new_route()
        town.feed(150)
        query = town.run(job)
        assert town.counted == windows_and_tags(town)
        if number < times:
            reroute(town.routed(job), query, all_to(number % 2), lead=20)
    assert len(town.route.book(spark).epochs()) == times + 1
    assert all(len(found) <= 2 for found in state_partitions(town).values())


def test_windows_change_their_table_while_the_query_runs(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed(90)
    job = town.job(by_window_and_tag, processingTime="100 milliseconds")
    query = start_query(spark, job)
    eventually(lambda: query.lastProgress is not None and town.counted == windows_and_tags(town))
    changed = reroute(town.routed(job), query, all_to(1), lead=30)
    town.feed(400)
    query.processAllAvailable()  # counts are seen before their batch is committed, and a stop between loses its state
    query.stop()
    assert town.counted == windows_and_tags(town)
    state = spark.read.format("statestore").option("path", town.checkpoint).load()
    # Events up to 89 s were seen in one batch, and two more may reach as far: the cut-over is at 267 s.
    late = [row for row in state.collect() if row["key"][0]["start"].timestamp() >= 300]
    assert (changed.query is query, changed.moved) == (True, Moved())
    assert town.route.book(spark).epochs()[-1].cut_over_us == 267_000_000
    assert {row["partition_id"] for row in late} == {1}


@pytest.mark.parametrize(("fails", "runs_on"), [(1, True), pytest.param(2, False, marks=pytest.mark.long)])
def test_a_table_that_cannot_be_published_leaves_no_window_in_two_parts(
    spark: SparkSession, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, fails: int, runs_on: bool
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed(90)
    query = start_query(spark, town.job(by_window_and_tag, processingTime="100 milliseconds"))
    eventually(lambda: query.lastProgress is not None and town.counted == windows_and_tags(town))
    left, write_live = [OSError("no space left on device")] * fails, RouteBook.write_live

    def short_of_space(self: RouteBook) -> None:
        if left and len(self.changes()) > 1:
            raise left.pop()
        write_live(self)

    monkeypatch.setattr(RouteBook, "write_live", short_of_space)
    with pytest.raises((EngineError, OSError), match="no space left"):
        reroute(town.routed(town.job(by_window_and_tag)), query, all_to(1), lead=30)
    assert query.isActive is runs_on
    town.feed(400)  # beyond the cut-over
    if runs_on:
        query.processAllAvailable()
        query.stop()
    town.new_route()
    town.feed(60)
    town.run(town.job(by_window_and_tag))
    assert town.counted == windows_and_tags(town)


def test_a_table_for_another_number_of_partitions_is_refused(town: Town) -> None:
    job = town.job(by_region)
    query = town.run(job)
    with pytest.raises(ConfigError, match="2 partitions"):
        reroute(town.routed(job), query, RoutingTable(3))


def test_a_query_without_a_routed_key_cannot_be_re_routed(town: Town) -> None:
    job = town.job(lambda town: town.stream().groupBy("region").count())
    query = town.run(town.job(by_region))
    town.new_route()
    with pytest.raises(EngineError, match="none of its operators"):
        reroute(town.routed(job), query, all_to(0))
