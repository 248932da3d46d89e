"""Rows that arrive along a rate curve, whether or not anybody takes them, out of Spark's own `rate` source.

The source runs at the curve's peak, and of its rows as many are let through as the curve says at their timestamp:
so a query that is slow finds the rows waiting, and nothing but Spark itself is needed. The source gives rows once
a second, and a batch takes all there are; the number of tasks is what keeps the work of one task small.
"""

import itertools
import time
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession, functions

CurvePoints = Sequence[tuple[float, float]]  # (seconds since the start, rows per second), straight lines between

_PARTS = 1000


def paced(spark: SparkSession, curve: CurvePoints, tasks: int) -> DataFrame:
    """The stream, with `timestamp` (when a row arrived) and `value`, read by so many tasks."""
    peak = max(rate for _, rate in curve)
    source = spark.readStream.format("rate").option("rowsPerSecond", max(1, round(peak)))
    rows = source.option("numPartitions", tasks).load()
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
