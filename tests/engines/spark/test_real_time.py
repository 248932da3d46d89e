"""Real-time mode: what qualifies, what fits, and tasks that are changed by a planned restart."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.real_time import RealTime
from penstock.core.levers import Tasks
from penstock.core.plan import Step
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.modes import LongLived, check_slots
from penstock.engines.spark.jvm.starts import tasks_of
from penstock.errors import EngineError
from tests.engines.spark.helpers import of, quick, rates
from tests.engines.spark.kafka_jobs import counting, counts, passing, read, send
from tests.patience import eventually
from tests.real_kafka import PARTITIONS
from tests.real_spark import OpenEngine


def test_a_stateless_job_keeps_one_task_for_each_partition(spark: SparkSession, kafka: str, topic: str) -> None:
    job = Job("a", passing(kafka, topic), real_time=RealTime())
    assert tasks_of(spark, job) == (LongLived("source", PARTITIONS, is_source=True),)


def test_tasks_behind_a_shuffle_are_the_jobs_own(spark: SparkSession, kafka: str, topic: str) -> None:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    job = Job("a", counting(kafka, topic, "out", "unused"), real_time=RealTime(tasks=3))
    assert [(found.operator, found.tasks) for found in tasks_of(spark, job)] == [
        ("source", PARTITIONS),
        ("aggregate", 3),
    ]
    assert spark.conf.get("spark.sql.shuffle.partitions") == before


def test_a_micro_batch_job_keeps_none(spark: SparkSession) -> None:
    assert tasks_of(spark, Job("a", quick)) == ()


def not_kafka(spark: SparkSession) -> DataStreamWriter:
    return rates(spark).writeStream.format("console")


def test_a_source_other_than_kafka_does_not_qualify(spark: SparkSession) -> None:
    with pytest.raises(EngineError, match="needs a Kafka source"):
        tasks_of(spark, Job("a", not_kafka, real_time=RealTime()))


def test_operators_and_bounds_that_do_not_qualify_are_named(spark: SparkSession, kafka: str, topic: str) -> None:
    def joined(session: SparkSession) -> DataStreamWriter:
        left, right = read(session, kafka, topic), read(session, kafka, topic)
        return left.join(right.select(functions.col("key").alias("other")), functions.expr("key = other")).writeStream

    def limited(session: SparkSession) -> DataStreamWriter:
        return read(session, kafka, topic).limit(5).writeStream

    for function, said in ((joined, "cannot join two streams"), (limited, "cannot run its operator")):
        with pytest.raises(EngineError, match=said):
            tasks_of(spark, Job("a", function, real_time=RealTime()))
    bounded = Job("a", passing(kafka, topic), max_rows_per_batch=10, real_time=RealTime())
    with pytest.raises(EngineError, match="leave maxOffsetsPerTrigger out"):
        tasks_of(spark, bounded)


def test_all_tasks_must_fit_at_once() -> None:
    tasks = (LongLived("source", 2, is_source=True), LongLived("aggregate", 3))
    check_slots("a", tasks, taken=3, slots=8)
    with pytest.raises(EngineError, match=r"needs 5 slots at once \(source 2, aggregate 3\) and 4 of 8 are free"):
        check_slots("a", tasks, taken=4, slots=8)


def test_a_job_that_does_not_fit_is_in_trouble_and_the_others_go_on(
    engine: OpenEngine, kafka: str, topic: str, name: str, tmp_path: Path
) -> None:
    job = counting(kafka, topic, f"{topic}_out", str(tmp_path / "checkpoint"))
    watched = engine(Job(name, job, real_time=RealTime(5.0, tasks=4)), Job(f"{name}_b", quick))
    snapshot = watched.observe(1.0)
    assert "needs 6 slots at once" in str(of(snapshot, name).trouble)
    assert of(snapshot, f"{name}_b").trouble is None


def run_of(spark: SparkSession, name: str) -> str | None:
    return next((query.runId for query in spark.streams.active if query.name == name), None)


@pytest.mark.usefixtures("short_batches")
def test_tasks_are_threads_that_a_planned_restart_changes_and_counts_stay_exact(
    spark: SparkSession, engine: OpenEngine, kafka: str, topic: str, name: str, tmp_path: Path
) -> None:
    send(kafka, topic, 1000)
    target = f"{topic}_out"
    job = Job(name, counting(kafka, topic, target, str(tmp_path / "checkpoint")), real_time=RealTime(2.0, tasks=1))
    watched = engine(job, Job(f"{name}_b", quick))
    eventually(lambda: sum(counts(kafka, target).values()) == 1000)
    figures = of(watched.observe(1.0), name)
    assert {unit.name: unit.threads for unit in figures.operators} == {"source": PARTITIONS, "aggregate": 1}
    before = run_of(spark, name)
    (done,) = watched.apply([Step(name, (Tasks(name, "aggregate", 1, 2),))]).steps
    assert done.error is None
    figures = of(watched.observe(2.0), name)
    assert ([unit.threads for unit in figures.operators], figures.settling) == ([PARTITIONS, 2], True)
    assert [found.tasks for found in tasks_of(spark, job, as_left=True)] == [PARTITIONS, 1]

    def runs_again() -> bool:
        watched.tend()
        return run_of(spark, name) not in (before, None)

    eventually(runs_again)
    assert [found.tasks for found in tasks_of(spark, job, as_left=True)] == [PARTITIONS, 2]
    assert [unit.threads for unit in of(watched.observe(3.0), name).operators] == [PARTITIONS, 2]
    send(kafka, topic, 1000)
    eventually(lambda: counts(kafka, target) == {f"k{number}": 200 for number in range(10)})


def test_a_source_has_as_many_tasks_as_there_are_partitions(
    engine: OpenEngine, kafka: str, topic: str, name: str
) -> None:
    watched = engine(Job(name, passing(kafka, topic), real_time=RealTime(5.0)))
    (done,) = watched.apply([Step(name, (Tasks(name, "source", PARTITIONS, 3),))]).steps
    assert "as many tasks as its topics have partitions" in str(done.error)
