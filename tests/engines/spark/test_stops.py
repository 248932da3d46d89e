"""A query whose batch cannot be interrupted: who restarts it is told so in time, and it runs again once that ended."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.levers import Trigger
from penstock.core.plan import Step
from penstock.core.seen.figures import JobFigures
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm import replan
from tests.engines.spark.batches import Gate
from tests.engines.spark.helpers import observed, rates
from tests.real_spark import OpenEngine

_TIMEOUT = "spark.sql.streaming.stopTimeout"


@pytest.fixture
def short_stops(spark: SparkSession) -> Iterator[None]:
    """As `penstock run` bounds them, but shorter."""
    spark.conf.set(_TIMEOUT, "500ms")
    yield
    spark.conf.unset(_TIMEOUT)


@pytest.mark.usefixtures("short_stops")
def test_a_batch_that_cannot_be_interrupted_holds_up_no_restart_for_long_and_its_query_runs_again_after_it(
    spark: SparkSession,
    engine: OpenEngine,
    gate: Gate,
    name: str,
    checkpoint: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replan, "COMMITS_WITHIN_S", 0.2)

    def held(session: SparkSession) -> DataStreamWriter:
        return gate.on(rates(session).writeStream, checkpoint)

    running = engine(Job(name, held, trigger_s=20.0, restart=RestartPolicy(max_backoff_s=1.0)))
    gate.wait()
    (outcome,) = running.apply([Step(name, (Trigger(name, 20.0, 18.0),))]).steps
    assert (outcome.error or "").startswith(f"{name}: it was told to stop, and its batch cannot be interrupted")
    (stopped,) = spark.streams.active
    gate.let_go()

    def runs_again(job: JobFigures) -> bool:
        return job.trouble is None and any(
            query.runId != stopped.runId and query.lastProgress is not None for query in spark.streams.active
        )

    observed(running, name, runs_again)
