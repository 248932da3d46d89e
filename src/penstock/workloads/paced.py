"""Rows that arrive along a rate curve, whether or not anybody takes them, out of Spark's own rate sources.

The source runs at the curve's peak, and of its rows as many are let through as the curve says at their timestamp:
so a query that is slow finds the rows waiting, and nothing but Spark itself is needed.
"""

import itertools
import time
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession, functions

CurvePoints = Sequence[tuple[float, float]]  # (seconds since the start, rows per second), straight lines between

_PARTS = 1000
_SECOND_MS = 1000


def paced(spark: SparkSession, curve: CurvePoints, tasks: int) -> DataFrame:
    """Rows with `timestamp` (when a row arrived) and `value`, read by so many tasks; a batch takes all there are."""
    peak = max(1, round(max(rate for _, rate in curve)))
    source = spark.readStream.format("rate").option("rowsPerSecond", peak)
    return _thinned(source.option("numPartitions", tasks).load(), curve, peak)


def paced_in_steps(spark: SparkSession, curve: CurvePoints, tasks: int) -> DataFrame:
    """The same rows, a second's worth for each batch and never more: give the query a trigger of one second.

    A query that is late runs its batches back to back, and the rows it is behind are known by their time.
    """
    peak = max(1, round(max(rate for _, rate in curve)))
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", peak)
    source = source.option("advanceMillisPerBatch", _SECOND_MS).option("startTimestamp", int(time.time() * 1000))
    return _thinned(source.option("numPartitions", tasks).load(), curve, peak)


def _thinned(rows: DataFrame, curve: CurvePoints, peak: int) -> DataFrame:
    at_s = f"(unix_micros(timestamp) / 1e6 - {time.time():.3f})"
    return rows.where(functions.expr(f"pmod(hash(value), {_PARTS}) < {_PARTS / peak} * {rate_sql(curve, at_s)}"))


def rate_sql(curve: CurvePoints, at_s: str) -> str:
    """The rate at a time, as an SQL expression of it.

    >>> rate_sql([(0.0, 10.0), (5.0, 20.0)], "t")
    'CASE WHEN t < 0.0 THEN 10.0 WHEN t < 5.0 THEN 10.0 + 2.0 * (t - 0.0) ELSE 20.0 END'
    """
    cases = [f"WHEN {at_s} < {curve[0][0]} THEN {curve[0][1]}"]
    for (from_s, before), (to_s, after) in itertools.pairwise(curve):
        if to_s > from_s:
            slope = (after - before) / (to_s - from_s)
            cases.append(f"WHEN {at_s} < {to_s} THEN {before} + {slope} * ({at_s} - {from_s})")
    return f"CASE {' '.join(cases)} ELSE {curve[-1][1]} END"
