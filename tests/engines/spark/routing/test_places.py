"""Checkpoints where real ones are: the book is beside them, and state moves there as it does on a local path."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jvm.checkpoint_files import CheckpointFiles
from penstock.engines.spark.jvm.local_files import files_at, readable_state
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.routing.checkpoint_stamp import STAMP
from penstock.engines.spark.routing.reroute import reroute
from penstock.errors import EngineError
from tests.engines.spark.routing.mounts import mounted
from tests.engines.spark.routing.running_count import CrashError
from tests.engines.spark.routing.town import (
    REGIONS,
    TAGS,
    Town,
    by_region,
    by_window_and_tag,
    counts_in_state,
    regions,
    state_of,
    state_partitions,
    windows_and_tags,
)
from tests.patience import eventually, patience_s


def all_to(partition: int) -> RoutingTable:
    return RoutingTable(
        2,
        {"left": {f"r{i}": partition for i in range(REGIONS)}, "right": dict.fromkeys(range(TAGS), partition)},
    )


PLACES: Mapping[str, Callable[[SparkSession, Path], str]] = {
    "a path with a space": lambda spark, place: str(place / "my own checkpoint"),
    "a path with %20": lambda spark, place: str(place / "my%20checkpoint"),
    "a file URI": lambda spark, place: f"file://{place}/my checkpoint",
    "viewfs": lambda spark, place: mounted(spark, place, "viewfs"),
    "a scheme of its own": lambda spark, place: mounted(spark, place, "stub"),
}


def places(*short: str) -> pytest.MarkDecorator:
    """In each of these places; `make test-long` has the others. test_steps is in all kinds of them, without Spark."""
    found = [place if place in short else pytest.param(place, marks=pytest.mark.long) for place in PLACES]
    return pytest.mark.parametrize("town", found, indirect=True)


@pytest.fixture
def town(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path, name: str) -> Town:
    made = Town(spark, tmp_path, name, checkpoint=PLACES[request.param](spark, tmp_path))
    made.feed()
    return made


@places("a scheme of its own")
def test_state_moves_and_all_is_counted_also_after_a_crash(town: Town) -> None:
    job = town.job(by_region)
    query = reroute(town.routed(job), town.run(job), all_to(1)).query
    assert query.awaitTermination(int(patience_s()))
    assert set().union(*state_partitions(town).values()) == {1}
    town.feed()
    query = town.run(job)
    with pytest.raises(CrashError):
        reroute(town.routed(job), query, all_to(0), done=dies_after("state rewritten"))
    town.new_route()
    town.feed()
    town.run(job)
    assert counts_in_state(town) == town.counted == regions(town)
    assert set().union(*state_partitions(town).values()) == {0}
    files = files_at(town.spark, town.checkpoint)
    assert files.exists(STAMP)
    assert files.names("routing/changes") == [f"{number:06}.json" for number in range(3)]


@places()  # on a local path: test_reroute
def test_windows_change_their_table_while_the_query_runs(town: Town) -> None:
    town.feed(30)
    query = start_query(town.spark, town.job(by_window_and_tag, processingTime="100 milliseconds"))
    eventually(lambda: query.lastProgress is not None and town.counted == windows_and_tags(town))
    reroute(town.routed(town.job(by_window_and_tag)), query, all_to(1), lead=30)
    town.feed(400)
    query.processAllAvailable()
    query.stop()
    assert town.counted == windows_and_tags(town)
    cut_over_s = (town.route.book(town.spark).epochs()[-1].cut_over_us or 0) / 1e6
    late = [row for row in state_of(town).collect() if row["key"][0]["start"].timestamp() >= cut_over_s]
    assert late
    assert {row["partition_id"] for row in late} == {1}


def dies_after(step: str) -> Callable[[str], None]:
    def done(name: str) -> None:
        if name == step:
            raise CrashError(step)

    return done


def test_spark_is_kept_from_reading_the_state_of_another_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "my orders").mkdir()
    with readable_state(spark, str(tmp_path / "my orders")):
        assert (tmp_path / "my%20orders").samefile(tmp_path / "my orders")
    assert [path.name for path in tmp_path.iterdir()] == ["my orders"]
    (tmp_path / "my%20orders").mkdir()
    with pytest.raises(EngineError, match="is in the way"), readable_state(spark, str(tmp_path / "my orders")):
        raise AssertionError("the state of my%20orders would be read")
    assert (tmp_path / "my%20orders").is_dir()


def test_files_in_hadoops_care_are_written_read_listed_and_removed(spark: SparkSession, tmp_path: Path) -> None:
    files = CheckpointFiles(spark, mounted(spark, tmp_path, "stub"))
    files.write("a/1", "one")
    files.write("a/1", "another")
    assert files.create("a/b/2", b"\x00two")
    assert not files.create("a/b/2", b"three")
    assert (files.read("a/1"), files.load("a/b/2")) == ("another", b"\x00two")
    assert (files.names("a"), files.tree("a"), files.names("c")) == (["1", "b"], ["a/1", "a/b/2"], [])
    assert files.below("a").names("b") == ["2"]
    files.remove("a/1")
    files.remove("a/1")
    assert (files.exists("a/1"), files.exists("a/b")) == (False, True)


def test_a_place_without_a_client_is_refused_before_anything_is_written(
    spark: SparkSession, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    town = Town(spark, tmp_path, name, checkpoint="nosuch://bucket/checkpoint")
    with pytest.raises(EngineError, match=r"nosuch://bucket/checkpoint cannot be reached.*client and credentials"):
        start_query(spark, town.job(by_region))
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
