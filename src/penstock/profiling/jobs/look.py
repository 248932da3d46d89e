"""Look before a rehearsal, in a process of its own: what the job reads, and what the cluster has free.

    python -m penstock.profiling.jobs.look TENANTS.yaml:JOB MASTER

It starts a small local application, in which the job's function is called and nothing is run.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.diverted import DivertedSession, Source
from penstock.engines.spark.jvm.room import WorkerRoom, workers_of
from penstock.engines.spark.launch.application import check_master, start_application
from penstock.errors import ConfigError, EngineError, PenstockError
from penstock.profiling.jobs.job import RehearsedJob, job_named

_LOCAL_CONF = {"spark.driver.memory": "512m", "spark.sql.shuffle.partitions": "1"}


@dataclass(frozen=True, slots=True)
class Looked:
    """What a job reads, and what each worker has free; None where the master does not say."""

    source: Source
    workers: tuple[WorkerRoom, ...] | None

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Looked":
        """As `look` printed it."""
        workers = document["workers"]
        free = None if workers is None else tuple(WorkerRoom(**worker) for worker in workers)
        return cls(Source(**document["source"]), free)


def look(job: RehearsedJob) -> Looked:
    """The one source of the job, and the room there is."""
    check_master(job.master)
    spark = start_application(f"look {job.part.name}", "local[1]", _LOCAL_CONF, job.path.parent, job.file.kafka)
    try:
        return Looked(source_of(job, spark), _free(spark, job.master))
    finally:
        spark.stop()


def _free(spark: SparkSession, master: str) -> tuple[WorkerRoom, ...] | None:
    try:
        return workers_of(spark.sparkContext, master)
    except EngineError as error:
        print(error, file=sys.stderr)
        return None


def source_of(job: RehearsedJob, spark: SparkSession) -> Source:
    """What the job's function reads."""
    seen: list[Source] = []

    def note(source: Source) -> Source:
        seen.append(source)
        return source

    made = job.part.function()(DivertedSession(spark, note), **job.part.params)
    stop = getattr(made, "stop", None)
    if stop is not None:
        stop()
        raise ConfigError("JOB", job.part.name, "its function must return a writer, not a query that it started")
    if len(seen) != 1:
        read = ", ".join(source.format for source in seen) or "none"
        raise ConfigError(
            "JOB", job.part.name, f"only a job with one source can be recorded; it has {len(seen)}: {read}"
        )
    return seen[0]


if __name__ == "__main__":
    try:
        print(json.dumps(asdict(look(job_named(sys.argv[1], sys.argv[2])))))
    except PenstockError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
