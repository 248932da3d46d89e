"""Queries as people have them in their drivers, each started by its own hand: seen, and given their share."""

from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import penstock as ps
from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.jvm.batch_bound import BatchBounds
from penstock.engines.spark.jvm.pools import FairPools
from tests.engines.spark.batches import Gate
from tests.engines.spark.helpers import of, quick, rates
from tests.governing.to_two import INTENT, ToTwo
from tests.patience import eventually, patience_s

LINES, FILES = 10, 3


def governed(spark: SparkSession, *names: str) -> ps.Controller:
    return ps.govern(spark, dict.fromkeys(names, INTENT), ToTwo(), store=None, interval=0.2)


def has_two_slots(spark: SparkSession, name: str) -> bool:
    return FairPools(spark.sparkContext).share(name) == PoolShare(2, 2)


def rows_are_seen(governed: ps.Controller, name: str) -> bool:
    """A batch may be empty, the first one for instance."""
    return any(batch.rows for batch in of(governed.snapshot(), name).batches)


def some_files(spark: SparkSession, place: Path) -> DataFrame:
    place.mkdir()
    for number in range(FILES):
        (place / f"{number}.txt").write_text("a line\n" * LINES)
    return spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(place))


def test_one_that_takes_what_is_there_and_ends_has_its_share_meanwhile(
    spark: SparkSession, gate: Gate, name: str, checkpoint: str, tmp_path: Path
) -> None:
    """`availableNow` into `foreachBatch`, as a job that somebody's scheduler starts every hour."""
    writer = some_files(spark, tmp_path / "in").writeStream.queryName(name).trigger(availableNow=True)
    with governed(spark, name):
        query = gate.held(writer, checkpoint)
        eventually(lambda: has_two_slots(spark, name))
        gate.let_go()
        assert query.awaitTermination(int(patience_s()))
    assert gate.rows == dict.fromkeys(range(FILES), LINES)


def test_two_of_one_driver_are_two_tenants_and_one_of_them_may_read_two_sources(
    spark: SparkSession, name: str, tmp_path: Path
) -> None:
    made = rates(spark).selectExpr("CAST(value AS string)")
    both = some_files(spark, tmp_path / "in").union(made).writeStream.format("noop").queryName(f"{name}_both")
    with governed(spark, name, f"{name}_both") as g:
        queries = [quick(spark).queryName(name).start(), both.start()]
        for one in (name, f"{name}_both"):
            eventually(partial(has_two_slots, spark, one))
            eventually(partial(rows_are_seen, g, one))
        assert "its rate source makes rows by the clock" in (BatchBounds(spark).refusal(queries[1]) or "")
    for query in queries:
        query.stop()


def test_of_a_continuous_one_nothing_is_known_but_it_has_its_share_and_no_bound(spark: SparkSession, name: str) -> None:
    """Spark reports no progress of such queries; that its epochs are committed shows that it runs."""
    rows = spark.readStream.format("rate").option("numPartitions", 1).option("rowsPerSecond", 20).load()
    with governed(spark, name) as g:
        query = rows.writeStream.queryName(name).format("noop").trigger(continuous="200 milliseconds").start()
        eventually(lambda: query.status["message"].startswith("Committing epoch"))
        eventually(partial(has_two_slots, spark, name))
        figures = of(g.snapshot(), name)
        assert (figures.latency, figures.processed_rps, figures.trouble) == (None, None, None)
        assert BatchBounds(spark).refusal(query) == "it does not run in micro-batches"
    query.stop()
