"""Tenants drawn by a seed, on Kafka and real Spark: what they do to a row, what arrives, and what they ask for.

Some burn cores in Spark SQL or in Python, some wait for a service, some keep state; some find rows that waited for
them, and one in three cases has a tenant whose input doubles or trebles half-way.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from pyspark.sql import Column, DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.intents import Intent, Juice, Latency

PARTITIONS = 4  # of each topic
SCHEMA = "id LONG, key STRING"
SERVICE_S = 0.004  # that a service takes to answer for one row
_FULL_CORES = 1.6  # of two: the rest is the driver's, the broker's and the generator's


@dataclass(frozen=True, slots=True)
class DrawnTenant:
    """One tenant: its work, the rows a second that arrive, seconds of these that wait for it, and its intent."""

    name: str
    kind: str
    rate_rps: float
    intent: Intent
    trigger: str | None = None
    waiting_s: float = 0.0
    from_half_way: float = 1.0  # times the rate

    def text(self) -> str:
        """In words."""
        more = [f"{self.waiting_s:g} s wait"] if self.waiting_s else []
        more += [f"x{self.from_half_way:g} half-way"] if self.from_half_way > 1.0 else []
        told = [self.kind, f"{self.rate_rps:.0f} rows/s", *more, f"trigger {self.trigger or 'none'}"]
        return f"{self.name}: {', '.join(told)}; {self.intent.text()}, {self.intent.max_utility:g}"


@dataclass(frozen=True, slots=True)
class DrawnCase:
    """What runs at once in one application."""

    seed: int
    slots: int
    load: float  # times what the cores, or for who waits the slots, can do
    tenants: tuple[DrawnTenant, ...]

    @property
    def intents(self) -> Mapping[str, Intent]:
        """By tenant."""
        return {tenant.name: tenant.intent for tenant in self.tenants}


def drawn_case(seed: int, slots: int, row_s: Mapping[str, float]) -> DrawnCase:
    """The case of that seed, by what a row costs each kind here."""
    random = np.random.default_rng(seed)
    count = int(random.integers(3, 6))
    load = float(random.uniform(0.6, 1.3))
    parts = random.dirichlet(np.full(count, 2.0)) * load
    grows = int(random.integers(0, count)) if random.random() < 0.33 else None
    made = []
    for place, part in enumerate(parts):
        kind = str(random.choice(list(KINDS)))
        can = slots if kind == "waits" else _FULL_CORES
        trigger_s = float(random.choice([0.0, 1.0, 2.0, 5.0], p=[0.4, 0.3, 0.2, 0.1]))
        made.append(
            DrawnTenant(
                f"t{place}",
                kind,
                max(20.0, float(part) * can / row_s[kind]),
                _intent(random, trigger_s),
                f"{trigger_s:g} seconds" if trigger_s else None,
                float(random.choice([0.0, 30.0, 60.0], p=[0.7, 0.2, 0.1])),
                float(random.choice([2.0, 3.0])) if place == grows else 1.0,
            )
        )
    return DrawnCase(seed, slots, load, tuple(made))


def _intent(random: np.random.Generator, trigger_s: float) -> Intent:
    """Of seconds that its trigger allows, or of a share of the input; a few are worth much."""
    utility = float(random.choice([5.0, 10.0, 40.0], p=[0.3, 0.5, 0.2]))
    if random.random() < 0.35:
        return Intent(Juice(float(random.choice([0.6, 0.8, 0.9])), utility=utility))
    return Intent(Latency(f"{round((1.5 + trigger_s) * float(random.uniform(1.0, 5.0)), 1)}s", utility=utility))


def _hashed(value: Column, times: int) -> Column:
    turns = functions.sequence(functions.lit(1), functions.lit(times))
    return functions.aggregate(turns, value, lambda so_far, _: functions.sha2(so_far.cast("binary"), 256))


def _in_sql(rows: DataFrame) -> DataFrame:
    return rows.select("key", _hashed(functions.concat("key", "id"), 800).alias("digest"))


def _counted(rows: DataFrame) -> DataFrame:
    return _in_sql(rows).groupBy("key").agg(functions.count("*").alias("rows"), functions.max("digest").alias("last"))


def _windowed(rows: DataFrame) -> DataFrame:
    by = functions.window("timestamp", "10 seconds"), "key"
    late = rows.withWatermark("timestamp", "5 seconds") if rows.isStreaming else rows
    return (
        late.withColumn("digest", _hashed(functions.concat("key", "id"), 400))
        .groupBy(*by)
        .agg(functions.max("digest").alias("last"))
    )


def _deduped(rows: DataFrame) -> DataFrame:
    hashed = rows.withColumn("digest", _hashed(functions.concat("key", "id"), 600))
    if not rows.isStreaming:
        return hashed.dropDuplicates(["digest", "timestamp"])
    return hashed.withWatermark("timestamp", "20 seconds").dropDuplicatesWithinWatermark(["digest", "timestamp"])


def _in_python(rows: DataFrame) -> DataFrame:
    @functions.udf("long")
    def burned(number: int) -> int:
        made = number
        for _ in range(12_000):
            made = (made * 31 + 7) % 1_000_003
        return made

    return rows.select("key", burned("id").alias("made"))


def _waits(rows: DataFrame) -> DataFrame:
    @functions.udf("long")
    def asked(number: int) -> int:
        time.sleep(SERVICE_S)
        return number

    return rows.select("key", asked("id").alias("answer"))


KINDS: Mapping[str, Callable[[DataFrame], DataFrame]] = {
    "sql": _in_sql,
    "counts": _counted,
    "windows": _windowed,
    "dedupes": _deduped,
    "python": _in_python,
    "waits": _waits,
}


def row_seconds(spark: SparkSession, kind: str, rows: int = 2_000) -> float:
    """Seconds of one slot alone that a row takes, warm: the last of three batches."""
    parsed = spark.range(0, rows, 1, 1).selectExpr("id", "concat('k', id % 100) as key", "now() as timestamp")
    for _ in range(3):
        begun_s = time.monotonic()
        KINDS[kind](parsed).write.format("noop").mode("overwrite").save()
        took_s = time.monotonic() - begun_s
    return took_s / rows


def query_of(
    tenant: DrawnTenant, bootstrap: str, topic: str, place: Path
) -> Callable[[SparkSession], DataStreamWriter]:
    """The job's function: nothing in it is tuned."""
    return partial(_query, tenant, bootstrap, topic, place)


def _query(tenant: DrawnTenant, bootstrap: str, topic: str, place: Path, spark: SparkSession) -> DataStreamWriter:
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("subscribe", topic)
    read = source.option("startingOffsets", "earliest").load()
    parsed = read.select("timestamp", functions.from_json(read["value"].cast("string"), SCHEMA).alias("row"))
    made = KINDS[tenant.kind](parsed.select("timestamp", "row.*"))
    writer = made.writeStream.format("noop").outputMode("update").option("checkpointLocation", str(place / tenant.name))
    return writer if tenant.trigger is None else writer.trigger(processingTime=tenant.trigger)
