"""Exactly once is never traded: whatever penstock does, counts equal the batch answer over the same input."""

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.levers import Partitions
from penstock.core.plan import Step
from penstock.engines.spark.checkpoints import checkpoint_of, read_checkpoint
from penstock.engines.spark.engine import SparkEngine, SparkSettings
from penstock.engines.spark.jobs import Job
from penstock.errors import EngineError
from tests.engines.spark.helpers import give, observed
from tests.patience import eventually
from tests.real_spark import OpenEngine

ROWS_PER_FILE, FILES, KEYS = 400, 30, 13


def write_input(spark: SparkSession, place: Path, files: int = FILES) -> DataFrame:
    rows = spark.range(ROWS_PER_FILE * files).select((functions.col("id") * 7919 % KEYS).alias("key"))
    rows.repartition(files).write.parquet(str(place))
    return rows.groupBy("key").count()


def counting_files(source: Path, target: Path, checkpoint: str) -> Callable[[SparkSession], DataStreamWriter]:
    def keep(batch: DataFrame, batch_id: int) -> None:
        batch.coalesce(1).write.mode("overwrite").parquet(str(target / f"batch={batch_id}"))

    def job(spark: SparkSession) -> DataStreamWriter:
        rows = spark.readStream.schema("key long").option("maxFilesPerTrigger", 1).parquet(str(source))
        writer = rows.groupBy("key").count().writeStream.outputMode("update").foreachBatch(keep)
        return writer.option("checkpointLocation", checkpoint).trigger(processingTime="100 milliseconds")

    return job


def counted(spark: SparkSession, target: Path) -> dict[int, int]:
    rows = spark.read.schema("key long, count long, batch long").parquet(str(target)).collect()
    latest: dict[int, tuple[int, int]] = {}
    for row in rows:
        latest[row["key"]] = max(latest.get(row["key"], (-1, 0)), (row["batch"], row["count"]))
    return {key: count for key, (_, count) in latest.items()}


def steps_of(name: str, partitions: int) -> list[Step]:
    return [Step(name, (Partitions(name, 0, partitions),))]


def test_counts_equal_the_batch_answer_after_share_changes_a_repartition_and_a_crash(
    spark: SparkSession, engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    expected = {row["key"]: row["count"] for row in write_input(spark, tmp_path / "in").collect()}
    job = Job(name, counting_files(tmp_path / "in", tmp_path / "out", str(tmp_path / "checkpoint")))
    first = engine(job, settings=SparkSettings(window_s=20.0, lease_s=1.0))
    observed(first, name, lambda figures: figures.processed_rps)
    assert not give(first, name, 3).failed
    assert first.apply(steps_of(name, 3)).failed == ()
    # The controller dies here: it is never closed, and its query runs on until the next one takes over.
    second = eventually(lambda: taken_over(spark, job))
    assert not give(second, name, 1).failed
    assert second.apply(steps_of(name, 2)).failed == ()
    eventually(lambda: sum(counted(spark, tmp_path / "out").values()) == ROWS_PER_FILE * FILES)
    second.close(stop_queries=True)
    assert counted(spark, tmp_path / "out") == expected


def taken_over(spark: SparkSession, job: Job) -> SparkEngine | None:
    engine = SparkEngine(spark, [job], SparkSettings(window_s=20.0, lease_s=30.0))
    try:
        engine.open()
    except EngineError:  # its lease has not run out yet
        return None
    return engine


def test_a_repartition_moves_the_state_and_the_same_again_does_nothing(
    spark: SparkSession, engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    write_input(spark, tmp_path / "in")
    running = engine(Job(name, counting_files(tmp_path / "in", tmp_path / "out", str(tmp_path / "checkpoint"))))
    observed(running, name, lambda figures: figures.processed_rps)
    assert running.apply(steps_of(name, 4)).failed == ()
    query = next(query for query in spark.streams.active if query.name == name)
    assert read_checkpoint(spark, checkpoint_of(query)).partitions == 4
    assert running.apply(steps_of(name, 4)).failed == ()
    assert next(q for q in spark.streams.active if q.name == name).runId == query.runId
