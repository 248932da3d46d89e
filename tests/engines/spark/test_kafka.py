"""A query that reads Kafka: arrivals are seen without waiting for a batch, backlog and juice by its offsets."""

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from penstock.core.levers import Disturbs, Piece
from penstock.core.plan import Step
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import JobFigures
from penstock.engines.kafka.offsets import TopicEnds
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.kafka_sources import ArrivalWatch, BrokerTopics, kafka_sources
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.helpers import observed, of, quick
from tests.engines.spark.kafka_jobs import counting, counts, passing, send
from tests.patience import eventually
from tests.real_kafka import PARTITIONS
from tests.real_spark import OpenEngine

LONG = SparkSettings(window_s=3600.0)  # what happened once is in it, even if the machine stands still after that


@pytest.mark.contract
def test_arrivals_and_backlog_are_seen_without_waiting_for_a_batch(
    engine: OpenEngine, kafka: str, topic: str, name: str
) -> None:
    send(kafka, topic, 1000)
    watched = engine(Job(name, passing(kafka, topic, trigger="1 hour")), settings=LONG)
    eventually(lambda: taken(watched, name))
    observed(watched, name, lambda figures: figures.backlog_rows == 0)
    send(kafka, topic, 5000)
    # Asked midway, fewer have arrived.
    observed(watched, name, lambda figures: figures.backlog_rows == 5000 and (figures.arrival_rps or 0.0) > 0)


def taken(engine: SparkEngine, name: str) -> bool:
    engine.tend()
    return any(batch.rows == 1000 for batch in of(engine.observe(0.0), name).batches)


def test_what_was_taken_is_no_backlog_and_counts_as_juice(
    engine: OpenEngine, kafka: str, topic: str, name: str
) -> None:
    watched = engine(Job(name, passing(kafka, topic)))
    send(kafka, topic, 500)

    def keeps_up(figures: JobFigures) -> bool:
        if figures.backlog_rows == 0:  # more once these were taken: as many as the machine can do
            send(kafka, topic, 500)
        return figures.juice is not None and figures.juice > 0.5 and bool(figures.processed_rps)

    observed(watched, name, keeps_up)
    observed(watched, name, lambda figures: figures.backlog_rows == 0)


def test_the_sources_of_a_query_that_somebody_else_started_are_known(
    spark: SparkSession, engine: OpenEngine, kafka: str, topic: str, name: str
) -> None:
    send(kafka, topic, 10)
    watched = engine(Job(name))
    query = passing(kafka, topic)(spark).queryName(name).start()
    assert eventually(lambda: kafka_sources(query)) == (BrokerTopics(kafka, (topic,)),)
    observed(watched, name, lambda figures: figures.backlog_rows == 0 and figures.arrival_rps is not None)


def test_a_query_that_reads_something_else_has_no_such_sources(engine: OpenEngine, spark: SparkSession) -> None:
    query = quick(spark).start()
    eventually(lambda: query.lastProgress)
    assert kafka_sources(query) is None
    query.stop()


def test_a_broker_that_is_away_leaves_figures_absent(spark: SparkSession, kafka: str, topic: str, name: str) -> None:
    query = passing(kafka, topic)(spark).queryName(name).start()
    eventually(lambda: kafka_sources(query))
    watch = ArrivalWatch()
    watch._brokers[kafka, None] = TopicEnds("127.0.0.1:1", within_s=0.2)
    assert watch.read({name: query}) == {}
    query.stop()


def test_tasks_are_cut_while_the_query_runs_and_each_row_counts_once(
    spark: SparkSession, engine: OpenEngine, kafka: str, topic: str, name: str, checkpoint: str
) -> None:
    watched = engine(Job(name, counting(kafka, topic, f"{topic}-counts", checkpoint)))
    of_state = int(spark.conf.get("spark.sql.shuffle.partitions") or 0)

    def stands_at(rows: int | None) -> Callable[[JobFigures], bool]:
        def stands(figures: JobFigures) -> bool:
            dial = figures.lever("piece")
            return dial is not None and (dial.now, dial.disturbs) == (rows, Disturbs.NOTHING)

        return stands

    def sent(rows: int) -> list[tuple[float, int]]:
        """So many; of the batches that took them, there may be several, the rows and how many tasks read them."""
        before = {batch.number for batch in observed(watched, name, lambda figures: figures.batches).batches}
        send(kafka, topic, rows)
        found: list[BatchFigures] = []

        def took_all(figures: JobFigures) -> bool:
            found[:] = [batch for batch in figures.batches if batch.number not in before and batch.rows]
            return sum(batch.rows for batch in found) == rows and all(batch.tasks for batch in found)

        observed(watched, name, took_all)
        return [(batch.rows, (batch.tasks or 0) - of_state) for batch in found]

    send(kafka, topic, 400)
    observed(watched, name, stands_at(None))
    observed(watched, name, lambda figures: figures.backlog_rows == 0)
    # A partition of which nothing came is read by no task.
    assert all(1 <= tasks <= PARTITIONS for _, tasks in sent(1000))
    assert watched.apply([Step(name, (Piece(name, None, 100),))]).steps[0].error is None
    observed(watched, name, stands_at(100))
    assert all(100 * tasks >= rows for rows, tasks in sent(2000))
    assert watched.apply([Step(name, (Piece(name, 100, None),))]).steps[0].error is None
    assert all(1 <= tasks <= PARTITIONS for _, tasks in sent(3000))
    eventually(lambda: sum(counts(kafka, f"{topic}-counts").values()) == 6400)
