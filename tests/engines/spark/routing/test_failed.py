"""A re-routing that fails costs the tenant a pause and no more: its query runs again, governed as before."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Table
from penstock.core.plan import Step
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.routing.resalting import SparkMover
from penstock.engines.spark.routing.migration import Moved
from penstock.errors import EngineError
from tests.engines.spark.helpers import observed
from tests.engines.spark.routing.town import REGIONS, Town, by_region, regions, state_partitions
from tests.patience import eventually
from tests.real_spark import OpenEngine


def all_to(partition: int) -> RoutingTable:
    return RoutingTable(2, {"left": {f"r{i}": partition for i in range(REGIONS)}})


@pytest.fixture
def town(spark: SparkSession, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Town:
    """In it no state can be rewritten."""

    def fails(self: SparkMover, batch: int, version: int) -> Moved:
        raise EngineError("no space left on device")

    monkeypatch.setattr(SparkMover, "rewrite", fails)
    made = Town(spark, tmp_path, name)
    made.feed()
    return made


def counts_on(running: SparkEngine, town: Town) -> None:
    """More rows, and all are counted once where they were before."""
    town.feed()
    observed(running, town.name, lambda figures: town.counted == regions(town))
    observed(running, town.name, lambda figures: figures.trouble is None)
    all_committed(town)
    assert {at for found in state_partitions(town).values() for at in found} == {0, 1}


def all_committed(town: Town) -> None:
    """All rows are counted, and their batches committed: a count is seen before that."""
    eventually(lambda: town.counted == regions(town))
    (query,) = [query for query in town.spark.streams.active if query.name == town.name]
    query.processAllAvailable()


def test_the_tenant_is_started_again_from_where_it_was(town: Town, engine: OpenEngine) -> None:
    counting = town.job(by_region, processingTime="100 milliseconds")
    running = engine(Job(town.name, counting.function, route=town.route))
    all_committed(town)
    (done,) = running.apply([Step(town.name, (Table(town.name, town.route.name, None, all_to(1), keys=3),))]).steps
    assert done.error is not None
    assert "continues with its old table; no space left on device" in done.error
    counts_on(running, town)


@pytest.mark.long
def test_where_even_that_fails_it_comes_back_as_one_that_died_does(town: Town, engine: OpenEngine) -> None:
    counting = town.job(by_region, processingTime="100 milliseconds")
    starts: list[str] = []

    def function(spark: SparkSession) -> DataStreamWriter:
        starts.append("start")
        if len(starts) == 2:
            raise ConnectionError("the broker is away")
        assert counting.function is not None
        made = counting.function(spark)
        assert isinstance(made, DataStreamWriter)
        return made

    policy = RestartPolicy(backoff_s=0.1)
    town.route.book(town.spark)  # so that the first start need not look for the checkpoint
    running = engine(Job(town.name, function, route=town.route, restart=policy))
    all_committed(town)
    (done,) = running.apply([Step(town.name, (Table(town.name, town.route.name, None, all_to(1), keys=3),))]).steps
    assert done.error is not None
    assert "the broker is away" in done.error
    counts_on(running, town)
    assert len(starts) == 3
