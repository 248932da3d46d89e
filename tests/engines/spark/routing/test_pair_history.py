"""History is counted exactly, into the same type as online statistics."""

import json
from collections import Counter
from pathlib import Path

import pytest
from observer import messages
from pyspark.sql import SparkSession

from penstock.core.seen.pairs import PairCounts
from penstock.engines.spark.routing.pair_history import count_pairs
from penstock.errors import ConfigError
from penstock.planning.routing.route import route
from tests.engines.spark.kafka_jobs import send

ROWS = [(f"r{n % 7}", n % 5, n % 3) for n in range(500)]


@pytest.fixture
def history(spark: SparkSession, tmp_path: Path) -> str:
    spark.createDataFrame(ROWS, "region string, tag long, kind int").write.parquet(str(tmp_path / "history"))
    return str(tmp_path / "history")


def test_every_pair_of_a_parquet_history_is_counted_exactly(spark: SparkSession, history: str) -> None:
    counted = count_pairs(spark.read.parquet(history), "region", "tag")
    assert counted == PairCounts.exact(Counter((region, tag) for region, tag, _ in ROWS))
    assert route(counted, servers=2).locality > 0.5


def test_every_pair_of_a_kafka_range_is_counted_exactly(spark: SparkSession, kafka: str, topic: str) -> None:
    send(kafka, topic, 500)
    inside = list(messages(kafka, topic))
    ends = Counter(str(message.partition()) for message in inside)
    send(kafka, topic, 300)  # beyond the range
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", kafka).option("subscribe", topic)
    history = reader.option("endingOffsets", json.dumps({topic: ends})).load()
    rows = history.selectExpr("CAST(key AS STRING) AS region", "CAST(CAST(value AS STRING) AS INT) % 7 AS tag")
    truth = Counter(((message.key() or b"").decode(), int(message.value() or 0) % 7) for message in inside)
    assert count_pairs(rows, "region", "tag") == PairCounts.exact(truth)


def test_keys_of_several_columns_are_tuples(spark: SparkSession, history: str) -> None:
    counted = count_pairs(spark.read.parquet(history), "region", ["tag", "kind"])
    assert counted == PairCounts.exact(Counter((region, (tag, kind)) for region, tag, kind in ROWS))


def test_only_the_heaviest_pairs_come_when_asked_and_the_error_says_what_is_missing(
    spark: SparkSession, history: str
) -> None:
    frame = spark.read.parquet(history)
    truth, counted = count_pairs(frame, "region", "tag"), count_pairs(frame, "region", "tag", most_pairs=10)
    assert len(counted.pairs) == 10
    assert all(abs(rows - counted.pairs.get(pair, 0)) <= counted.error for pair, rows in truth.pairs.items())


def test_rows_without_a_key_make_no_pair(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a", 1), (None, 1), ("a", None)], "left string, right int")
    assert count_pairs(frame, "left", "right") == PairCounts({("a", 1): 1}, rows=3)


def test_a_key_of_another_kind_or_a_column_that_is_not_there_is_refused(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1.5, "x")], "price double, tag string")
    with pytest.raises(ConfigError, match=r"column price: 'double' cannot be used; route by text or whole numbers"):
        count_pairs(frame, "price", "tag")
    with pytest.raises(ConfigError, match=r"column: 'prize' cannot be used; choose among price, tag"):
        count_pairs(frame, "prize", "tag")


def test_a_stream_is_refused(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load()
    with pytest.raises(ConfigError, match=r"history: 'a streaming DataFrame' cannot be used"):
        count_pairs(stream, "value", "value")
