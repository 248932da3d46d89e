"""Sources and sinks as tenants files describe them."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from penstock.errors import ConfigError
from penstock.workloads.sinks import written
from penstock.workloads.sources import read_source, record_lines
from tests.patience import eventually


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, r"source: \{\} cannot be used; name one of made"),
        ({"made": 5, "files": "x"}, "cannot be used; name one of made"),
        ("ads", "source: 'ads' cannot be used; name one of made"),
        ({"made": 0}, "source.made: 0 cannot be used"),
        ({"kafka": "127.0.0.1:9092"}, "source.topic: .* cannot be used; Field required"),
        ({"files": "/data", "per_bach": 1}, "source.per_bach: 1 cannot be used"),
    ],
)
def test_a_source_that_cannot_be_is_named(source: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_source(source)


def test_a_sink_that_cannot_be_is_named(spark: SparkSession) -> None:
    with pytest.raises(
        ConfigError, match=r"sink: \{'kafka': 'x'\} cannot be used; write \{kafka: servers, topic: name\}"
    ):
        written(spark.range(1), "append", {"kafka": "x"})


def test_made_records_arrive_when_they_happen(spark: SparkSession, tmp_path: Path, name: str) -> None:
    rows: list[Row] = []

    def take(batch: DataFrame, batch_id: int) -> None:
        rows.extend(batch.selectExpr("value", "unix_millis(arrived) AS at_ms").collect())

    writer = record_lines(spark, {"made": 200}, "places").writeStream.queryName(name).foreachBatch(take)
    query = writer.option("checkpointLocation", str(tmp_path)).start()
    try:
        eventually(lambda: len(rows) >= 40)
    finally:
        query.stop()
    assert all(json.loads(row["value"])["event_ms"] == row["at_ms"] for row in rows)
