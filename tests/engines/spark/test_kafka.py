"""A query that reads Kafka: arrivals are seen without waiting for a batch, backlog and juice by its offsets."""

import pytest
from pyspark.sql import SparkSession

from penstock.core.seen.figures import JobFigures
from penstock.engines.kafka.offsets import TopicEnds
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.kafka_sources import ArrivalWatch, BrokerTopics, kafka_sources
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.helpers import observed, of, quick
from tests.engines.spark.kafka_jobs import passing, send
from tests.patience import eventually
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
