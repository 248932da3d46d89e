"""The `paced` source: rows that arrive along a rate curve, whether or not anybody takes them.

Row n arrives when the curve says so, and its `timestamp` is that moment; a query that is slow finds the rows
waiting. It keeps to `maxRowsPerBatch` and reports how far the arrivals are, as a message broker would.
"""

import itertools
import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows

FORMAT = "paced"
SCHEMA = "timestamp timestamp, value long"
CurvePoints = Sequence[tuple[float, float]]  # (seconds since the start, rows per second), straight lines between


def register(spark: SparkSession) -> None:
    """Make `spark.readStream.format("paced")` known to the session."""
    spark.dataSource.register(PacedSource)


class Arrivals:
    """How many rows arrived by when: the integral of a rate curve, and back.

    >>> ramp = Arrivals([(0.0, 100.0), (10.0, 100.0), (10.0, 300.0)])
    >>> ramp.rows(20.0), ramp.when(1000.0)
    (4000.0, 10.0)
    """

    def __init__(self, points: CurvePoints, step_s: float = 0.1) -> None:
        times = [float(at) for at, _ in points]
        rates = [float(rate) for _, rate in points]
        self._last_rate = rates[-1]
        self._at = np.arange(0.0, times[-1] + step_s / 2, step_s) if times[-1] > 0 else np.array([0.0])
        middle = self._at[:-1] + step_s / 2
        self._rows = np.concatenate(([0.0], np.cumsum(np.interp(middle, times, rates) * step_s)))

    def rows(self, at_s: float) -> float:
        """Rows that arrived in the first `at_s` seconds."""
        beyond_s = max(0.0, at_s - float(self._at[-1]))
        return round(float(np.interp(at_s, self._at, self._rows)) + beyond_s * self._last_rate, 6)

    def when(self, rows: float) -> float:
        """When that row arrived, in seconds since the start."""
        return float(self.times(np.array([rows]))[0])

    def times(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """When those rows arrived."""
        beyond = np.maximum(0.0, rows - self._rows[-1]) / max(self._last_rate, 1e-9)
        times: NDArray[np.float64] = np.round(np.interp(rows, self._rows, self._at) + beyond, 6)
        return times


class PacedSource(DataSource):
    """Options: `curve` (JSON points) or `rowsPerSecond`; `start` (seconds since the epoch; default: now);
    `rows` (an end, default none); `maxRowsPerBatch`; `numPartitions`."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return FORMAT

    def schema(self) -> str:
        """What each row holds."""
        return SCHEMA

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802
        """The reader of one query."""
        return _PacedReader(dict(self.options))


class _Rows(InputPartition):
    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last


class _PacedReader(DataSourceStreamReader):
    def __init__(self, options: dict[str, str]) -> None:
        points = json.loads(options.get("curve", "null")) or [(0.0, float(options.get("rowspersecond", "100")))]
        self._arrivals = Arrivals(points)
        self._start_s = float(options["start"]) if "start" in options else None
        self._end = int(options.get("rows", 2**62))
        self._most = int(options.get("maxrowsperbatch", 0))
        self._partitions = int(options.get("numpartitions", "4"))

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return {"row": 0, "start_ms": int((self._start_s or time.time()) * 1000)}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadMaxRows(self._most) if self._most > 0 else ReadAllAvailable()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        self._start_ms = start["start_ms"]
        arrived = self._arrived()
        most = start["row"] + limit.max_rows if isinstance(limit, ReadMaxRows) else arrived
        return {**start, "row": max(start["row"], min(most, arrived))}

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        return {"row": self._arrived(), "start_ms": self._start_ms}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        self._start_ms = end["start_ms"]
        bounds = np.linspace(start["row"], end["row"], self._partitions + 1).astype(int).tolist()
        return [_Rows(first, last) for first, last in itertools.pairwise(bounds) if last > first]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, _Rows)
        rows = np.arange(partition.first, partition.last)
        micros = (self._start_ms * 1000 + self._arrivals.times(rows) * 1e6).astype("datetime64[us]")
        yield pa.RecordBatch.from_arrays(
            [pa.array(micros, type=pa.timestamp("us", tz="UTC")), pa.array(rows)], names=["timestamp", "value"]
        )

    def _arrived(self) -> int:
        return min(self._end, int(self._arrivals.rows(time.time() - self._start_ms / 1000.0)))
