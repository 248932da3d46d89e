"""The engine tells of a job's route by its last window of pairs, and carries a re-routing out."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import penstock as ps
from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Table
from penstock.core.plan import Step
from penstock.core.seen.key_placement import KeyPlacement
from penstock.core.seen.routes import RouteFigures
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.routing.town import REGIONS, Town, regions, state_partitions
from tests.patience import eventually
from tests.real_spark import OpenEngine

ALL_TO_ONE = RoutingTable(2, {"left": {f"r{number}": 1 for number in range(REGIONS)}}, locality=0.7)


def told(engine: SparkEngine) -> RouteFigures | None:
    engine.tend()
    return next(iter(engine.observe(0.0).routes), None)


def placed(engine: SparkEngine) -> KeyPlacement | None:
    """Where the keys of the left operator are, once a batch's tasks have told."""
    engine.tend()
    (left, _) = engine.observe(1.0).jobs[0].keys
    return left if all(found.executor for found in left.partitions) else None


@pytest.mark.contract
def test_pairs_are_told_when_their_window_ends_and_a_re_routing_moves_the_state(
    spark: SparkSession, engine: OpenEngine, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    counting = town.job(
        lambda town: (
            ps.measured(town.stream(), event_time="at", pairs=("region", "hashtag"), one_in=1)
            .groupBy(*town.route.left_key())
            .count()
        ),
        processingTime="100 milliseconds",
    )
    running = engine(
        Job(name, counting.function, route=town.route), settings=SparkSettings(window_s=20.0, route_window_s=0.1)
    )
    figures = eventually(lambda: told(running))
    assert (figures.job, figures.route, figures.servers, figures.table) == (name, name, 2, None)
    assert figures.newest["left", "right"].rows == 60
    assert running.observe(1.0).routes == running.observe(2.0).routes == (figures,)  # looking takes nothing away
    step = Step(name, (Table(name, name, None, ALL_TO_ONE, REGIONS),))
    assert running.apply([step]).failed == ()
    assert running.observe(3.0).routes == ()  # its window told of another table
    town.feed()
    eventually(lambda: town.counted == regions(town))
    left = eventually(lambda: placed(running))
    assert [(found.keys, found.executor) for found in left.partitions] == [(0, "driver"), (REGIONS, "driver")]
    assert (left.table, left.machines[0].share) == (1, 1.0)
    next_window = eventually(lambda: told(running))
    assert next_window.table is not None
    assert next_window.table.locality == 0.7  # as it was promised
    running.close(stop_jobs=True)
    assert set().union(*state_partitions(town).values()) == {1}
