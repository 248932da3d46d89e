"""Files that wait before a query count as its backlog."""

import json
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs import Job
from penstock.engines.spark.quantum import BoundedSession
from tests.engines.spark.helpers import observed
from tests.real_spark import OpenEngine

FILES, ROWS = 30, 50


def write_files(folder: Path) -> None:
    folder.mkdir()
    for number in range(FILES):
        lines = (json.dumps({"a": row}) for row in range(ROWS))
        (folder / f"{number:02}.json").write_text("\n".join(lines))


def test_files_that_were_not_taken_yet_are_backlog_until_all_are_read(
    engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    write_files(tmp_path / "in")

    def job(spark: SparkSession) -> DataStreamWriter:
        rows = BoundedSession(spark, None, max_files=2).readStream.schema("a int").json(str(tmp_path / "in"))
        return rows.writeStream.format("noop").trigger(processingTime="200 milliseconds")

    running = engine(Job(name, job))
    observed(running, name, lambda job: job.backlog_rows)
    done = observed(running, name, lambda job: job.backlog_rows == 0)
    assert done.arrival_rps is not None
