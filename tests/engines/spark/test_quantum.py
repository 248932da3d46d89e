"""Batches are bounded where a source can be."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.quantum import BoundedSession, bound_option
from tests.patience import patience_s
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


@pytest.mark.parametrize(("own", "batches"), [({}, 3), ({"maxFilesPerTrigger": "3"}, 1)])
def test_reads_are_bounded_without_the_jobs_knowing_unless_it_states_a_bound(
    spark: SparkSession, engine: OpenEngine, name: str, tmp_path: Path, own: dict[str, str], batches: int
) -> None:
    spark.range(90).repartition(3).write.parquet(str(tmp_path / "in"))

    def job(session: SparkSession) -> DataStreamWriter:
        assert isinstance(session, BoundedSession)
        rows = session.readStream.schema("id long").options(**own).parquet(str(tmp_path / "in"))
        return rows.writeStream.format("noop").trigger(availableNow=True)

    engine(Job(name, job, max_files_per_batch=1))
    query = next(query for query in spark.streams.active if query.name == name)
    assert query.awaitTermination(int(patience_s()))
    rows = [progress["numInputRows"] for progress in query.recentProgress if progress["numInputRows"]]
    assert (len(rows), sum(rows)) == (batches, 90)
