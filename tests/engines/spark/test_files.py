"""Files that wait before a query count as its backlog."""

import json
from pathlib import Path
from threading import Event

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.quantum import BoundedSession
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.helpers import observed
from tests.real_spark import OpenEngine

FILES, ROWS = 12, 50
HELD = 2  # two batches before it tell a rate, and of three more the files wait


def write_files(folder: Path) -> None:
    folder.mkdir()
    for number in range(FILES):
        lines = (json.dumps({"a": row}) for row in range(ROWS))
        (folder / f"{number:02}.json").write_text("\n".join(lines))


def test_files_that_were_not_taken_yet_are_backlog_until_all_are_read(
    engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    write_files(tmp_path / "in")
    gate = Event()

    def take(batch: DataFrame, batch_id: int) -> None:
        batch.write.format("noop").mode("append").save()
        if batch_id == HELD:
            gate.wait()

    def job(spark: SparkSession) -> DataStreamWriter:
        rows = BoundedSession(spark, None, max_files=2).readStream.schema("a int").json(str(tmp_path / "in"))
        return rows.writeStream.foreachBatch(take).trigger(processingTime="100 milliseconds")

    # What the first batches told is in the window, even if the machine stands still after them.
    running = engine(Job(name, job), settings=SparkSettings(window_s=3600.0))
    try:
        observed(running, name, lambda job: job.backlog_rows)
    finally:
        gate.set()
    observed(running, name, lambda job: job.backlog_rows == 0 and job.arrival_rps is not None)
