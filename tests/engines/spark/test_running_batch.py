"""A batch that has not ended is told by those of its tasks that have: of one stage, and while Spark runs it."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.seen.batches import RunningBatch
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.watch.running import running_batch
from penstock.engines.spark.watch.stage_figures import StageHistory
from penstock.engines.spark.watch.stages import StageReading
from tests.engines.spark.a_stage import STAGE
from tests.engines.spark.helpers import of
from tests.engines.spark.rigs import FakeRig, Opened, spark_rig

RUNS = replace(STAGE, ended=1, busy_s=2.0, cpu_s=1.0, rows_in=100, complete=False, completed_s=None)


def told(*readings: StageReading, last: int | None = 2) -> RunningBatch | None:
    """On a snapshot's clock that is 90 s behind the wall's, after the batch of that number."""
    history = StageHistory()
    for reading in readings:
        history = history.and_also(reading, 103.0)
    return running_batch(history, "run", last, -90.0, python_share=0.5)


def test_it_is_told_by_its_tasks_that_ended_and_all_its_rows_by_theirs() -> None:
    found = told(RUNS)
    assert found == RunningBatch(3, RUNS.submitted_s - 90.0, 4, 1, 2.0, 1.0, 400.0)  # type: ignore[operator]


def test_what_a_stage_did_since_is_added_and_the_rows_of_a_second_stage_are_those_of_the_first() -> None:
    again = replace(RUNS, ended=3, busy_s=4.0, cpu_s=2.0, rows_in=500, complete=True, completed_s=104.0)
    second = replace(RUNS, stage_id=8, tasks=2, ended=1, busy_s=0.5, cpu_s=0.25, rows_in=9)
    found = told(RUNS, again, second)
    assert found is not None
    assert (found.tasks, found.ended, found.busy_s, found.cpu_s, found.rows) == (6, 5, 6.5, 3.25, 600.0)


@pytest.mark.parametrize(
    ("readings", "last", "why"),
    [
        ((), 2, "no stage has begun"),
        ((replace(RUNS, ended=0, busy_s=0.0),), 2, "no task has ended"),
        ((replace(RUNS, cut=True),), 2, "not all its stages were read"),
        ((replace(RUNS, rows_in=0),), 2, "its source does not count its rows"),
        ((RUNS,), 3, "it has ended"),
        ((replace(RUNS, run_id="before"),), None, "it is of a run before"),
    ],
)
def test_else_nothing_is_told(readings: tuple[StageReading, ...], last: int, why: str) -> None:
    assert told(*readings, last=last) is None, why


def test_the_engine_tells_of_it_until_it_has_ended(fake: Opened, name: str) -> None:
    assert isinstance(fake.rig, FakeRig)
    spark = fake.rig.fake
    writer: Any = spark.writer(stages=(("Scan", 4),))
    engine = fake.engine(Job(name, lambda session: writer))
    spark.commit(name)
    spark.run_part(name, ended=1, rows=50, busy_s=3.0)
    spark.run_part(name, ended=3, rows=150, busy_s=9.0)
    engine.tend()
    running = of(engine.observe(spark.now_s), name).running
    assert running is not None
    assert (running.number, running.tasks, running.ended, running.busy_s, running.rows) == (1, 4, 3, 9.0, 200.0)
    spark.commit(name, rows=200, busy_s=12.0)
    spark.pass_time(1.0)
    engine.tend()
    figures = of(engine.observe(spark.now_s), name)
    assert figures.running is None
    assert (figures.batches[-1].tasks, figures.batches[-1].busy_s) == (4, 12.0)


@pytest.fixture
def on_spark(spark: SparkSession, checkpoint: str) -> Iterator[Opened]:
    with spark_rig(spark, checkpoint) as opened:
        yield opened


def test_spark_tells_of_the_tasks_that_ended_while_others_of_their_batch_run(
    on_spark: Opened, name: str, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    engine = on_spark.engine(Job(name, lambda session: _half_waits(session, gate)))
    figures = on_spark.observed(engine, name, lambda job: job.running is not None and job.running.ended == 2)
    running = figures.running
    assert running is not None
    assert (running.tasks, running.left) == (4, 0.5)
    assert running.rows > 0
    gate.touch()
    number = running.number
    ended = on_spark.observed(engine, name, lambda job: any(one.number == number for one in job.batches))
    told_then = next(one for one in ended.batches if one.number == number)
    assert told_then.tasks == 4
    assert told_then.rows == pytest.approx(running.rows, rel=0.1)


def _half_waits(spark: SparkSession, gate: Path) -> DataStreamWriter:
    """Rows of two of four tasks are held up until the gate is there."""

    def wait(parts: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for part in parts:
            while (part["value"] % 2 == 1).any() and not gate.exists():
                time.sleep(0.02)
            yield part

    source = spark.readStream.format("rate").option("rowsPerSecond", 100).option("numPartitions", 4)
    rows = source.load().mapInPandas(wait, "timestamp timestamp, value long")
    return rows.writeStream.format("noop").trigger(processingTime="1 second")
