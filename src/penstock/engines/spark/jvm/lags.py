"""Lags: how long rows had waited when a real-time task took them up, observed in the query's own pass.

In real-time mode a row is done milliseconds after its task has read it, and the next is read after that; what makes
latency is the wait before, from the row's own timestamp at the broker. Nothing in Spark's progress tells of it, so the
source of each job is given a sketch of it. Spark's clock stands still within a batch; the JVM's is asked for each row.
"""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamReader

from penstock.engines.spark.jvm.quantiles import spread_of
from penstock.engines.spark.watch.progress import LAGS

_LAG_MS = "penstock_lag_ms"
_KAFKA = "kafka"
_ARRIVED = "timestamp"  # the column of Kafka's source


class LaggedSession(SparkSession):
    """The same session, whose Kafka sources tell how long their rows waited. Real-time jobs are handed this one."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(spark.sparkContext, spark._jsparkSession)
        self._sources = 0

    @property
    def readStream(self) -> DataStreamReader:  # noqa: N802
        """A reader whose rows are observed."""
        self._sources += 1
        return _LaggedReader(self, f"{LAGS}_{self._sources}")


class _LaggedReader(DataStreamReader):
    def __init__(self, spark: SparkSession, name: str) -> None:
        super().__init__(spark)
        self._name = name
        self._source = ""

    def format(self, source: str) -> "DataStreamReader":
        self._source = source.lower()
        return super().format(source)

    def load(self, path: str | None = None, format: str | None = None, **options: Any) -> DataFrame:  # type: ignore[override]  # noqa: A002
        rows = super().load(path, format, **options)
        return with_lags(rows, _ARRIVED, self._name) if (format or self._source).lower() == _KAFKA else rows


def with_lags(rows: DataFrame, arrived: str, name: str) -> DataFrame:
    """The same rows, with a sketch in every batch's progress of how old they were here."""
    # The clock is read in a column of its own: an aggregate does not initialise what differs from row to row.
    lagged = rows.withColumn(_LAG_MS, _now_ms() - functions.unix_micros(functions.col(arrived)) / 1000.0)
    observed = lagged.observe(
        name,
        spread_of(_LAG_MS).alias("lags"),
        functions.count(functions.lit(1)).alias("rows"),
    )
    return observed.drop(_LAG_MS)


def _now_ms() -> Column:
    asked = functions.reflect(functions.lit("java.lang.System"), functions.lit("currentTimeMillis"))
    return asked.cast("double")
