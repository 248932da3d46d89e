"""A routed query starts beside its book, made twice where penstock must find out where that is, or it is refused."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.routing.starting import routed_by
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.routing.checkpoint_stamp import BookError
from penstock.engines.spark.routing.reroute import reroute
from penstock.engines.spark.routing.route import Routing
from penstock.errors import ConfigError, EngineError
from tests.engines.spark.routing.town import REGIONS, Town, by_region, regions, state_partitions
from tests.patience import patience_s


def all_to(partition: int) -> RoutingTable:
    return RoutingTable(2, {"left": {f"r{i}": partition for i in range(REGIONS)}})


class OwnTown(Town):
    """Its query names its checkpoint itself, and its route knows nothing of it."""

    def new_route(self) -> Routing:
        self.route = Routing(self.name, left="region", right="hashtag")
        return self.route


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def town(spark: SparkSession, tmp_path: Path, name: str) -> OwnTown:
    made = OwnTown(spark, tmp_path, name)
    made.feed()
    return made


def writer_of(job: Job, spark: SparkSession) -> DataStreamWriter:
    assert job.function is not None
    made = job.function(spark)
    assert isinstance(made, DataStreamWriter)
    return made


def test_a_book_that_is_lost_after_a_re_routing_is_told_and_no_row_is_counted(town: OwnTown, at_home: Path) -> None:
    job = town.job(by_region)
    query = reroute(town.routed(job), town.run(job), all_to(1)).query
    assert query.awaitTermination(int(patience_s()))
    book = Path(town.checkpoint, "routing")
    assert (book.is_dir(), at_home.exists()) == (True, False)
    shutil.move(book, book.with_name("elsewhere"))
    town.feed()
    town.new_route()
    with pytest.raises(BookError, match=r"written with book .* holds no book"):
        start_query(town.spark, job)
    shutil.move(book.with_name("elsewhere"), book)
    town.new_route()
    town.run(job)
    assert town.counted == regions(town)


def test_a_query_that_its_function_starts_has_its_book_beside_its_checkpoint_too(town: OwnTown, at_home: Path) -> None:
    made = town.job(by_region)
    started: list[str] = []

    def function(spark: SparkSession) -> StreamingQuery:
        query = writer_of(made, spark).start(queryName=town.name)
        started.append(query.runId)
        return query

    town.run(Job(town.name, function))
    assert town.counted == regions(town)
    assert (len(started), Path(town.checkpoint, "routing").is_dir(), at_home.exists()) == (1, True, False)


def test_somebody_elses_start_is_refused_where_the_route_was_not_told_of_the_checkpoint(town: OwnTown) -> None:
    writer = writer_of(town.job(by_region), town.spark)
    with pytest.raises(ConfigError, match=f"{town.checkpoint}.* in .*home/penstock/routing/{town.name}: say the same"):
        writer.queryName(town.name).start()
    town.route = Routing(town.name, left="region", checkpoint=town.checkpoint)
    query = writer_of(town.job(by_region), town.spark).start(queryName=town.name)
    assert query.awaitTermination(int(patience_s()))
    assert town.counted == regions(town)


def test_a_checkpoint_other_than_the_one_that_was_said_is_refused(town: OwnTown, tmp_path: Path) -> None:
    town.route = Routing(town.name, left="region", checkpoint=tmp_path / "another")
    with pytest.raises(ConfigError, match="say the same to both"):
        start_query(town.spark, town.job(by_region))


def test_a_second_query_needs_a_route_of_its_own(town: OwnTown, tmp_path: Path) -> None:
    town.run(town.job(by_region))
    town.checkpoint = str(tmp_path / "second")
    with pytest.raises(ConfigError, match="give each query a route of its own"):
        start_query(town.spark, town.job(by_region))


def test_a_writer_that_was_made_before_a_re_routing_starts_no_more(town: OwnTown) -> None:
    job = town.job(by_region)
    query = town.run(job)
    old = writer_of(job, town.spark).queryName(town.name)
    assert reroute(town.routed(job), query, all_to(1)).query.awaitTermination(int(patience_s()))
    with pytest.raises(EngineError, match="made with table 0 of its route, and table 1 is in force; make it anew"):
        old.start()


def test_state_is_not_moved_of_a_query_without_a_checkpoint(town: OwnTown, at_home: Path) -> None:
    def function(spark: SparkSession) -> DataStreamWriter:
        return by_region(town).writeStream.outputMode("update").format("memory").trigger(availableNow=True)

    job = Job(town.name, function)
    query = town.run(job)
    with pytest.raises(EngineError, match="keeps no checkpoint that outlives a stop"):
        reroute(town.routed(job), query, all_to(1))
    assert (at_home / "penstock/routing" / town.name).is_dir()


def test_a_copy_of_a_job_has_a_book_of_its_own(town: OwnTown, tmp_path: Path) -> None:
    job = town.job(by_region)
    town.route = Routing(town.name, left="region", right="hashtag", checkpoint=town.checkpoint)
    town.run(job)
    before = files_of(tmp_path / "checkpoint")
    town.route = Routing(town.name, left="region", right="hashtag", checkpoint=town.checkpoint)
    town.run(Job(town.name, copied(job, str(tmp_path / "copy"))))
    assert files_of(tmp_path / "checkpoint") == before
    assert (tmp_path / "copy/routing").is_dir()


def copied(job: Job, place: str) -> Callable[[SparkSession], DataStreamWriter]:
    def function(spark: SparkSession) -> DataStreamWriter:
        made = writer_of(job, spark)
        for routed in routed_by(made):
            routed.route.keep_at(place)
        return made.option("checkpointLocation", place)

    return function


def files_of(place: Path) -> list[tuple[Path, int]]:
    return sorted((path, path.stat().st_mtime_ns) for path in place.rglob("*"))


def test_a_checkpoint_that_is_made_anew_in_the_same_place_has_nothing_of_the_old_tables(town: OwnTown) -> None:
    for partition in (1, 0):
        town.route = Routing(town.name, left="region", right="hashtag", checkpoint=town.checkpoint)
        town.route.start_with(town.spark, all_to(partition))
        town.batches.clear()
        town.run(town.job(by_region))
        assert town.counted == regions(town)
        assert set().union(*state_partitions(town).values()) == {partition}
        shutil.rmtree(town.checkpoint)
