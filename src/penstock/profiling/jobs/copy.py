"""One copy of a job, in a process of its own: so many executors, replayed input, a sink that keeps nothing.

    python -m penstock.profiling.jobs.copy SPECIFICATION

A copy has its own application, checkpoint and consumer position. It tells how it does in a line of JSON every second,
and ends with its parent: when its standard input is closed.
"""

import json
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.seen.figures import JobFigures
from penstock.core.seen.trouble import TroubleKind
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.diverted import DivertedSession, Source
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.routing.starting import routed_by
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.settings import SparkSettings
from penstock.errors import EngineError, PenstockError
from penstock.profiling.jobs.job import RehearsedJob, job_named

_TELLS_EVERY_S = 1.0
NO_RESTART = RestartPolicy(max_restarts=0)  # a copy that fails is said to have failed


@dataclass(frozen=True, slots=True)
class CopySpec:
    """What a copy is told. Either a topic or a directory holds its input."""

    job: str
    master: str
    scaleout: int
    place: str  # its checkpoint is below
    window_s: float  # figures are means over so much time
    topic: str | None = None
    directory: str | None = None

    def divert(self, source: Source) -> Source:
        """Where the replayed rows are."""
        if self.topic is not None:
            return source.from_topic(self.topic)
        return source.from_directory(self.directory or "")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a copy does. What could not be had is None."""

    executors: int
    latency_s: float | None
    processed_rps: float | None
    working_rps: float | None
    backlog_rows: float | None
    trouble: str | None
    given_up: bool

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Reading":
        """As a copy told it."""
        return cls(**document)


def main(spec: CopySpec) -> None:
    """Run the copy until standard input ends."""
    ended = _parent_gone()
    job = job_named(spec.job, spec.master)
    name = f"{job.part.name} x{spec.scaleout}"
    spark = start_application(name, job.master, job.conf(spec.scaleout), job.path.parent, job.file.kafka)
    try:
        engine = SparkEngine(LiveSpark(spark), [_copied(job, spec)], SparkSettings(window_s=spec.window_s))
        engine.open()
        engine.start(wait=True)
        executors = ExecutorReader(spark.sparkContext)
        while not ended.wait(_TELLS_EVERY_S):
            engine.tend()
            (figures,) = engine.observe(0.0).jobs
            print(json.dumps(asdict(_reading(figures, len(executors.read())))), flush=True)
        engine.close(stop_jobs=True)
    finally:
        spark.stop()


def _parent_gone() -> threading.Event:
    """Set when standard input ends."""
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    return ended


def _copied(job: RehearsedJob, spec: CopySpec) -> Job:
    def function(spark: SparkSession) -> DataStreamWriter:
        made = job.part.function()(DivertedSession(spark, spec.divert), **job.part.params)
        if not isinstance(made, DataStreamWriter):
            raise EngineError(f"{job.part.name}: its function must return a writer, not a query that it started")
        place = str(Path(spec.place, "checkpoint"))
        for routed in routed_by(made):
            routed.route.keep_at(place)  # a copy has tables of its own, and leaves those of the live job alone
        return made.format("noop").option("checkpointLocation", place)

    part = job.part
    return Job(
        name=part.name,
        function=function,
        restart=NO_RESTART,
        max_rows_per_batch=part.max_rows_per_batch,
        max_files_per_batch=part.max_files_per_batch,
        trigger_s=part.trigger,
        partitions=part.partitions,
    )


def _reading(figures: JobFigures, executors: int) -> Reading:
    latency_s = None if figures.latency is None else figures.latency.mean_s
    return Reading(
        executors,
        latency_s,
        figures.processed_rps,
        figures.working_rps,
        figures.backlog_rows,
        figures.trouble,
        figures.trouble_id is not None and figures.trouble_id.kind is TroubleKind.GIVEN_UP,
    )


if __name__ == "__main__":
    try:
        main(CopySpec(**json.loads(sys.argv[1])))
    except PenstockError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
