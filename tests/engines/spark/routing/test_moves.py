"""What a re-routing is said to move beforehand is what it moves: the very keys, and about the bytes."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, functions

import penstock as ps
from penstock.core.plan import Step
from penstock.core.seen.routes import RouteFigures
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from penstock.planning.routing.policy import considered
from tests.engines.spark.routing.town import TAGS, Town, state_partitions
from tests.patience import eventually
from tests.real_spark import OpenEngine

REGIONS = 10 * TAGS  # each region meets one tag only: 70 pairs, and to bring them together half of the regions move
SETTINGS = SparkSettings(window_s=20.0, route_window_s=0.1)


def counted(town: Town, columns: Any) -> DataFrame:
    return ps.measured(town.stream(), event_time="at", pairs=("region", "hashtag"), one_in=1).groupBy(*columns).count()


def told(engine: SparkEngine, rows: float = 0.0) -> RouteFigures | None:
    """The route, once a window with so many rows has ended."""
    engine.tend()
    found = next(iter(engine.observe(0.0).routes), None)
    return found if found is not None and found.newest["left", "right"].rows >= rows else None


def started(town: Town, engine: OpenEngine, columns: Any) -> SparkEngine:
    town.feed(6 * REGIONS)
    counting = town.job(lambda town: counted(town, columns(town)), processingTime="100 milliseconds")
    return engine(Job(town.name, counting.function, route=town.route), settings=SETTINGS)


# Texts, and whole numbers, whose places test_salts has.
@pytest.mark.parametrize("side", ["left", pytest.param("right", marks=pytest.mark.long)])
def test_the_keys_that_are_said_to_move_are_those_that_do_and_then_their_bytes_are_known(
    spark: SparkSession, engine: OpenEngine, tmp_path: Path, name: str, side: str
) -> None:
    town = Town(spark, tmp_path, name, REGIONS)
    running = started(town, engine, lambda town: town.route.key(side))
    figures = eventually(lambda: told(running, 6 * REGIONS))
    before = state_partitions(town)
    assert {str(key): {at} for key, at in figures.unlisted[side].items()} == {str(k): at for (k,), at in before.items()}
    wanted, estimate = considered(figures)
    assert running.apply([Step(name, (wanted,))]).failed == ()
    town.feed(REGIONS)
    afterwards = eventually(lambda: told(running, REGIONS))
    (past,) = afterwards.past
    after = state_partitions(town)
    moved = [key for key, at in after.items() if at != before[key]]
    assert 0 < len(moved) == past.keys == wanted.keys == estimate.keys
    assert figures.key_bytes is not None
    # Of rows as short as these RocksDB's own part is the greater one.
    assert past.moved_bytes / 5 < figures.key_bytes * past.keys < 5 * past.moved_bytes
    assert afterwards.key_bytes is not None
    assert afterwards.key_bytes * past.keys == pytest.approx(past.moved_bytes, rel=0.05)  # "r5" is shorter than "r55"


def test_of_windows_nothing_moves_and_nobody_waits(
    spark: SparkSession, engine: OpenEngine, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name, REGIONS)
    running = started(town, engine, lambda town: (functions.window("at", "1 minute"), *town.route.left_key()))
    figures = eventually(lambda: told(running, 6 * REGIONS))
    assert (figures.carried, dict(figures.unlisted)) == ((), {})
    wanted, estimate = considered(figures)
    assert (wanted.keys, estimate.pause_s, estimate.payback_s) == (0, 0.0, 0.0)
    assert estimate.why(600.0).endswith("for new windows, without a restart; pays at once")
