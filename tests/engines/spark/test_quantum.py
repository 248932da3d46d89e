"""Batches are bounded where a source can be."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs import Job
from penstock.engines.spark.quantum import BoundedSession, bound_option
from tests.engines.spark.helpers import eventually
from tests.real_spark import OpenEngine


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("kafka", ("maxOffsetsPerTrigger", 500)),
        ("rate-micro-batch", ("rowsPerBatch", 500)),
        ("json", ("maxFilesPerTrigger", 2)),
        ("socket", None),
    ],
)
def test_the_option_that_bounds_a_batch_depends_on_the_source(source: str, expected: tuple[str, int] | None) -> None:
    assert bound_option(source, 500, 2) == expected


def test_a_jobs_reads_are_bounded_without_its_knowing(
    spark: SparkSession, engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    spark.range(90).repartition(9).write.parquet(str(tmp_path / "in"))

    def job(session: SparkSession) -> DataStreamWriter:
        assert isinstance(session, BoundedSession)
        rows = session.readStream.schema("id long").parquet(str(tmp_path / "in"))
        return rows.writeStream.format("noop").trigger(availableNow=True)

    engine(Job(name, job, max_files_per_batch=1))
    query = next((query for query in spark.streams.active if query.name == name), None)
    assert query is not None
    batches = eventually(lambda: [p for p in query.recentProgress if p["numInputRows"]] if not query.isActive else None)
    assert [batch["numInputRows"] for batch in batches] == [10] * 9


def test_a_bound_that_the_job_states_itself_is_kept(spark: SparkSession) -> None:
    bounded = BoundedSession(spark, max_rows=500, max_files=None)
    rows = bounded.readStream.format("rate-micro-batch").option("rowsPerBatch", 7).load()
    plan = rows._jdf.queryExecution().logical().toString()
    assert "rowsPerBatch=500" not in plan
