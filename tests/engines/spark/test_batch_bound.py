"""The rows of a batch are bounded while its query runs, and the very next batch that is planned obeys.

All these queries are started here, not by the engine: penstock adopts them.
"""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.kafka.topics import make_topics
from penstock.engines.spark.jvm import read_limits
from penstock.engines.spark.jvm.batch_bound import BatchBounds
from penstock.engines.spark.jvm.listener import QueryEvents
from penstock.errors import EngineError
from tests.engines.spark.batches import Gate
from tests.engines.spark.helpers import rates
from tests.engines.spark.kafka_jobs import read, send
from tests.patience import eventually
from tests.real_kafka import PARTITIONS

LINES = 100  # of a file


@pytest.fixture
def bounds(spark: SparkSession) -> BatchBounds:
    return BatchBounds(spark)


def topic_read(spark: SparkSession, kafka: str, topic: str, **options: str) -> DataFrame:
    reader = spark.readStream.format("kafka").options(subscribe=topic, startingOffsets="earliest", **options)
    return reader.option("kafka.bootstrap.servers", kafka).load()


def files(spark: SparkSession, place: Path, count: int = 60, **options: str) -> DataFrame:
    """So many files of a hundred lines each."""
    place.mkdir()
    for number in range(count):
        written = place / f"{number:03}.txt"
        written.write_text("a line\n" * LINES)
        os.utime(written, (number + 1, number + 1))
    return spark.readStream.format("text").options(**options).load(str(place))


def made(spark: SparkSession, rows: int) -> DataFrame:
    return spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows).load()


def after(bounds: BatchBounds, query: StreamingQuery, gate: Gate, rows: int | None) -> int:
    """The size of the very next batch after the bound was set, while one is in hand."""
    first = bounds.set(query, rows)
    found = gate.next()
    assert gate.batch == first
    return found


@pytest.mark.contract
def test_a_kafka_query_obeys_with_its_very_next_batch(
    spark: SparkSession, kafka: str, topic: str, gate: Gate, bounds: BatchBounds, checkpoint: str
) -> None:
    send(kafka, topic, 10_000)
    query = gate.held(topic_read(spark, kafka, topic, maxOffsetsPerTrigger="1000").writeStream, checkpoint)
    sizes = [gate.rows[0], *(after(bounds, query, gate, rows) for rows in (200, 5_000, None))]
    # Spark rounds each partition's part down.
    assert all(want - PARTITIONS < rows <= want for rows, want in zip(sizes, (1_000, 200, 5_000, 1_000), strict=True))


def test_a_file_query_takes_as_many_files_as_recent_ones_had_rows_for(
    spark: SparkSession, gate: Gate, bounds: BatchBounds, checkpoint: str, tmp_path: Path
) -> None:
    query = gate.held(files(spark, tmp_path / "in", maxFilesPerTrigger="10").writeStream, checkpoint)
    with pytest.raises(EngineError, match="no batch has told yet how many rows a file of FileStreamSource"):
        bounds.set(query, 200)
    assert gate.next() == 1_000
    assert [after(bounds, query, gate, rows) for rows in (250, 2_000, 10, None)] == [200, 2_000, LINES, 1_000]


def test_a_file_query_that_is_bounded_in_bytes_stays_so(
    spark: SparkSession, gate: Gate, bounds: BatchBounds, checkpoint: str, tmp_path: Path
) -> None:
    size = str(10 * LINES * len("a line\n"))
    query = gate.held(files(spark, tmp_path / "in", maxBytesPerTrigger=size).writeStream, checkpoint)
    assert gate.next() == 1_000
    assert after(bounds, query, gate, 250) == 200
    assert bounds.now(query) == 250
    assert [after(bounds, query, gate, rows) for rows in (2_000, None)] == [2_000, 1_000]


def test_a_made_stream_makes_as_many_rows_as_it_is_bounded_to(
    spark: SparkSession, gate: Gate, bounds: BatchBounds, checkpoint: str
) -> None:
    query = gate.held(made(spark, 1_000).writeStream, checkpoint)
    assert gate.rows[0] == 1_000
    assert not bounds.holds_back(query)  # rows beyond a bound are never made
    assert [after(bounds, query, gate, rows) for rows in (200, 5_000, None)] == [200, 5_000, 1_000]


def test_two_sources_share_a_bound_by_what_there_is_to_take_of_each(
    spark: SparkSession, kafka: str, topic: str, gate: Gate, bounds: BatchBounds, checkpoint: str
) -> None:
    make_topics(kafka, [f"{topic}-b"], PARTITIONS)
    send(kafka, topic, 9_000)
    send(kafka, f"{topic}-b", 3_000)
    one = topic_read(spark, kafka, topic, maxOffsetsPerTrigger="500")
    other = topic_read(spark, kafka, f"{topic}-b", maxOffsetsPerTrigger="500")
    query = gate.held(one.union(other).writeStream, checkpoint)
    assert bounds.now(query) == 1_000
    assert gate.next() == pytest.approx(1_000, abs=4)
    assert after(bounds, query, gate, 400) == pytest.approx(400, abs=4)
    gate.next()
    last = eventually(lambda: next((p for p in query.recentProgress if p["batchId"] == 2), None))
    # 9,000 rows and 3,000: three quarters and a quarter of 400.
    assert [source["numInputRows"] for source in last["sources"]] == [
        pytest.approx(300, abs=2),
        pytest.approx(100, abs=2),
    ]
    assert bounds.now(query) == 400


def test_before_the_first_commit_the_present_limits_divide_a_bound(
    spark: SparkSession, kafka: str, topic: str, gate: Gate, bounds: BatchBounds, checkpoint: str
) -> None:
    send(kafka, topic, 2_000)
    one = topic_read(spark, kafka, topic, maxOffsetsPerTrigger="900").selectExpr("CAST(value AS string)")
    query = gate.held(one.union(made(spark, 100).selectExpr("CAST(value AS string)")).writeStream, checkpoint)
    assert after(bounds, query, gate, 200) == pytest.approx(200, abs=2)
    gate.next()
    second = eventually(lambda: next((p for p in query.recentProgress if p["batchId"] == 1), None))
    assert [source["numInputRows"] for source in second["sources"]] == [pytest.approx(180, abs=2), 20]


def test_a_minimum_is_kept_beside_the_bound(
    spark: SparkSession, kafka: str, topic: str, gate: Gate, bounds: BatchBounds, checkpoint: str
) -> None:
    options = {"minOffsetsPerTrigger": "500", "maxTriggerDelay": "1h", "maxOffsetsPerTrigger": "1000"}
    send(kafka, topic, 1_500)
    query = gate.held(topic_read(spark, kafka, topic, **options).writeStream, checkpoint)
    assert after(bounds, query, gate, 200) == 200  # 500 rows wait, and that is enough
    gate.let_go()
    query.processAllAvailable()
    assert sorted(gate.rows) == [0, 1]  # 300 rows wait, and that is too few
    send(kafka, topic, 300)
    eventually(lambda: gate.rows.get(2))
    # Planned as soon as 500 rows wait, while more arrive: parts of any size, each of them rounded down.
    assert 200 - PARTITIONS < gate.rows[2] <= 200


def test_a_bound_that_is_set_twice_is_as_set_once(
    spark: SparkSession, kafka: str, topic: str, gate: Gate, bounds: BatchBounds, checkpoint: str
) -> None:
    send(kafka, topic, 1_000)
    query = gate.held(read(spark, kafka, topic).writeStream, checkpoint)
    assert bounds.holds_back(query)
    assert bounds.now(query) is None
    assert bounds.set(query, 200) == bounds.set(query, 200) == 1
    assert bounds.now(query) == 200
    # Another controller, as after a crash of the first, knows the query's own limits too.
    BatchBounds(spark).set(query, None)
    assert bounds.now(query) is None


def test_a_batch_that_was_logged_is_run_as_logged_and_a_restart_begins_with_the_querys_own_limits(
    spark: SparkSession, kafka: str, topic: str, gate: Gate, bounds: BatchBounds, checkpoint: str
) -> None:
    send(kafka, topic, 10_000)
    stream = topic_read(spark, kafka, topic, maxOffsetsPerTrigger="1000")
    query = gate.held(stream.writeStream, checkpoint)
    assert after(bounds, query, gate, 200) == 200
    bounds.set(query, 3_000)
    gate.fail(query)
    again = Gate()
    query = again.held(stream.writeStream, checkpoint)
    assert (again.rows, bounds.now(query)) == ({1: 200}, 1_000)
    assert again.next() == pytest.approx(1_000, abs=2)
    again.let_go()


def test_the_rows_of_a_file_are_remembered_over_a_restart(
    spark: SparkSession, gate: Gate, bounds: BatchBounds, checkpoint: str, tmp_path: Path
) -> None:
    stream = files(spark, tmp_path / "in", maxFilesPerTrigger="10")
    query = gate.held(stream.writeStream, checkpoint)
    gate.next()
    bounds.set(query, 300)
    gate.fail(query)
    again = Gate()
    query = again.held(stream.writeStream, checkpoint)
    assert after(bounds, query, again, 300) == 300
    again.let_go()


@pytest.mark.parametrize(
    ("trigger", "reason"),
    [
        ({"availableNow": True}, "trigger availableNow"),
        ({"once": True}, "trigger once"),
        ({"continuous": "1 second"}, "not run in micro-batches"),
        ({"realTime": "5 seconds"}, "real-time mode"),
    ],
)
def test_queries_whose_trigger_knows_no_bound_are_refused(
    spark: SparkSession, kafka: str, topic: str, bounds: BatchBounds, checkpoint: str, trigger: Any, reason: str
) -> None:
    send(kafka, topic, 10)
    writer = read(spark, kafka, topic).writeStream.option("checkpointLocation", checkpoint).trigger(**trigger)
    query = writer.outputMode("update").format("console").start()
    assert reason in str(bounds.refusal(query))
    with pytest.raises(EngineError, match=reason):
        bounds.set(query, 10)
    assert bounds.now(query) is None
    query.stop()


def socket_stream(spark: SparkSession, listener: socket.socket) -> DataFrame:
    host, port = listener.getsockname()
    return spark.readStream.format("socket").options(host=host, port=str(port)).load()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (lambda spark, _: rates(spark), "makes rows by the clock"),
        (socket_stream, "hands over all that it was sent"),
    ],
)
def test_sources_that_cannot_be_bounded_are_said_to_be_so(
    spark: SparkSession, bounds: BatchBounds, source: Callable[[SparkSession, socket.socket], DataFrame], reason: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        query = source(spark, listener).writeStream.format("noop").start()
        assert reason in str(bounds.refusal(query))
        query.stop()
    assert bounds.refusal(query) == "it does not run any more"


def test_files_that_are_read_newest_first_keep_their_limits_lest_old_ones_be_passed_over(
    spark: SparkSession, gate: Gate, bounds: BatchBounds, checkpoint: str, tmp_path: Path
) -> None:
    query = gate.held(files(spark, tmp_path / "in", 3, latestFirst="true").writeStream, checkpoint)
    assert "newest first" in str(bounds.refusal(query))


@pytest.mark.parametrize("rows", [0, -5])
def test_a_batch_has_a_row_at_least(spark: SparkSession, bounds: BatchBounds, rows: int) -> None:
    query = made(spark, 10).writeStream.format("noop").start()
    with pytest.raises(EngineError, match="ask for at least 1"):
        bounds.set(query, rows)
    query.stop()


def test_a_spark_without_the_setter_is_told_apart(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_limits, "home_of", lambda jvm, name: "org.apache.spark.sql.Row")
    bounds = BatchBounds(spark)
    assert bounds.unsupported is not None
    query = made(spark, 10).writeStream.format("noop").start()
    assert "NoSuchMethodException" in str(bounds.refusal(query))
    query.stop()


def begun_small(bounds: BatchBounds, rows: DataFrame, gate: Gate, checkpoint: str) -> StreamingQuery:
    """A query with its first batch in hand, which was to be of at most 200 rows or two files."""

    def begins(query: StreamingQuery) -> None:
        bounds.begin_small(query, 200, 2)

    events = QueryEvents(rows.sparkSession, name_pools=False)
    events.attach(begins)
    try:
        return gate.held(rows.writeStream.queryName("small"), checkpoint)
    finally:
        events.detach()


def test_a_query_is_bounded_before_its_first_batch(
    spark: SparkSession, kafka: str, topic: str, gate: Gate, bounds: BatchBounds, checkpoint: str
) -> None:
    send(kafka, topic, 10_000)
    query = begun_small(bounds, topic_read(spark, kafka, topic), gate, checkpoint)
    assert 200 - PARTITIONS < gate.rows[0] <= 200
    assert after(bounds, query, gate, None) == 10_000 - gate.rows[0]


@pytest.mark.parametrize(
    ("most", "rows"), [pytest.param(None, 2 * LINES, id="no bound"), pytest.param("10", 10 * LINES, id="ten files")]
)
def test_so_many_files_are_its_first_batch_unless_its_options_say_how_many(
    spark: SparkSession,
    gate: Gate,
    bounds: BatchBounds,
    checkpoint: str,
    tmp_path: Path,
    most: str | None,
    rows: int,
) -> None:
    options = {} if most is None else {"maxFilesPerTrigger": most}
    begun_small(bounds, files(spark, tmp_path / "in", 60, **options), gate, checkpoint)
    assert gate.rows[0] == rows


def test_a_query_begins_though_whoever_is_told_of_it_fails(
    spark: SparkSession, gate: Gate, checkpoint: str, tmp_path: Path
) -> None:
    events = QueryEvents(spark, name_pools=False)
    events.attach(lambda query: 1 / 0)  # type: ignore[arg-type]
    try:
        gate.held(files(spark, tmp_path / "in").writeStream.queryName("fails"), checkpoint)
    finally:
        events.detach()
    assert gate.rows[0] == 60 * LINES
