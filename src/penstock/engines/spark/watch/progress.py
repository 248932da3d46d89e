"""One committed batch, read from Spark's progress document."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from penstock.engines.spark.watch.drawn_pairs import DrawnPairs, drawn_pairs
from penstock.engines.spark.watch.sketches import sketch_of

_SAME_TIME_WITHIN_S = 7 * 86_400.0  # rows dated earlier than this are not of this week: a made-up clock
_MOST_ROWS, _LONGEST_S = 1e18, 1e9
_KAFKA = "KafkaV2["  # how its source is described
_PUTS, _WRITTEN = "rocksdbPutCount", "rocksdbTotalBytesWritten"
OBSERVED = "penstock_measured"  # the name of the observation that `measured` adds
LAGS = "penstock_lags"  # how the names of those begin that `lags` adds


@dataclass(frozen=True, slots=True)
class ArrivalSketch:
    """The arrival times of a batch's rows: a KLL sketch in milliseconds since the epoch, and their mean."""

    kll: bytes
    mean_ms: float
    rows: int


@dataclass(frozen=True, slots=True)
class SourceRows:
    """What a batch took of one source, and what that held back then; None when it does not say."""

    taken: float
    held_back: float | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch from its trigger to its commit, in seconds since the epoch.

    `held_back_rows` are those that the source had and the batch left; None when the source does not say. `sources`
    tells both of each source, in its own rows.
    `offset_end` counts the rows that its Kafka topics were given up to the batch's end, since the topics began.
    """

    run_id: str
    batch_id: int
    started_s: float
    committed_s: float
    rows: float
    held_back_rows: float | None = None
    sources: tuple[SourceRows, ...] = ()
    phases_s: Mapping[str, float] = field(default_factory=dict)
    state_bytes: int | None = None
    key_bytes: float | None = None  # in the mean over the keys that it wrote; RocksDB alone tells
    offset_end: float | None = None
    arrivals: ArrivalSketch | None = None
    drawn: DrawnPairs = DrawnPairs()  # where pairs are counted
    lags: tuple[bytes, ...] = ()  # KLL sketches of each real-time source: its rows' age when they were taken up, in ms


def parse_batch(document: str) -> tuple[str | None, Batch]:
    """The query's name and the batch that a progress document tells of; a ValueError where its times are none."""
    progress: dict[str, Any] = json.loads(document)
    phases_s = {name: millis / 1000.0 for name, millis in progress["durationMs"].items()}
    if not all(abs(spent_s) <= _LONGEST_S for spent_s in phases_s.values()):
        raise ValueError(f"a batch whose parts took {phases_s} s")
    started_s = epoch_s(progress["timestamp"])
    taken = float(max(0, progress["numInputRows"]))
    arrivals = _arrivals(progress.get("observedMetrics", {}))
    # Where rows are measured, those are the rows that count: a filter before may drop most of the source's.
    rows = taken if arrivals is None else float(arrivals.rows)
    sources = tuple(_source_rows(source, started_s) for source in progress["sources"])
    held_back = _figure(_held_back(sources))
    return progress.get("name"), Batch(
        run_id=progress["runId"],
        batch_id=int(progress["batchId"]),
        started_s=started_s,
        committed_s=started_s + phases_s.get("triggerExecution", progress.get("batchDuration", 0) / 1000.0),
        rows=rows,
        held_back_rows=held_back if held_back is None or taken == 0 else held_back * rows / taken,
        sources=sources,
        phases_s=phases_s,
        state_bytes=_state_bytes(progress["stateOperators"]),
        key_bytes=_key_bytes(progress["stateOperators"]),
        offset_end=_figure(_offset_end(progress["sources"])),
        arrivals=arrivals,
        drawn=drawn_pairs(progress.get("observedMetrics", {}).get(OBSERVED, {})),
        lags=_lags(progress.get("observedMetrics", {})),
    )


def epoch_s(timestamp: str) -> float:
    """Seconds since the epoch of a timestamp as Spark writes it.

    >>> epoch_s("1970-01-01T00:00:01.500Z")
    1.5
    """
    return datetime.fromisoformat(timestamp).timestamp()


def _source_rows(source: Mapping[str, Any], at_s: float) -> SourceRows:
    return SourceRows(float(max(0, source["numInputRows"])), _figure(_held_back_by(source, at_s)))


def _figure(rows: float | None) -> float | None:
    """Offsets are the source's own, which may be a tenant's: what they come to need not be a number of rows."""
    return rows if rows is not None and abs(rows) <= _MOST_ROWS else None


def _held_back(sources: Sequence[SourceRows]) -> float | None:
    known = [source.held_back for source in sources if source.held_back is not None]
    return sum(known) if known else None


def _held_back_by(source: Mapping[str, Any], at_s: float) -> float | None:
    """Rows between the batch's end and the source's, in the rows that one step of its offsets held in this batch.

    Offsets are rows for Kafka, seconds for the rate source, something else for others: their unit cancels out.
    """
    end, latest = _parsed(source.get("endOffset")), _parsed(source.get("latestOffset"))
    if isinstance(end, Mapping) and end.keys() == {"offset", "timestamp"}:
        return _behind_its_time(_parsed(source.get("startOffset")), end, at_s)
    if end is None or latest is None:
        return None
    behind = _distance(end, latest)
    if behind == 0:
        return 0.0
    taken = _distance(_parsed(source.get("startOffset")), end)
    rows = float(source["numInputRows"])
    if taken > 0 and rows > 0:
        return behind * rows / taken
    return behind if _counts_rows(source) else None


def _offset_end(sources: list[dict[str, Any]]) -> float | None:
    """The sum of all end offsets where every source counts rows by them."""
    if not sources or not all(_counts_rows(source) for source in sources):
        return None
    return sum(_distance(None, _parsed(source["endOffset"])) for source in sources)


def _counts_rows(source: Mapping[str, Any]) -> bool:
    """Whether its offsets are rows, as Kafka's are."""
    return str(source.get("description", "")).startswith(_KAFKA)


def _behind_its_time(start: Any, end: Mapping[str, Any], at_s: float) -> float | None:
    """Rows of the rate-micro-batch source that are due by its own clock; None when that clock tells another time."""
    if not isinstance(start, Mapping) or end["timestamp"] <= start.get("timestamp", 0):
        return None
    behind_s = at_s - float(end["timestamp"]) / 1000.0
    if behind_s > _SAME_TIME_WITHIN_S:
        return None
    rows_per_s: float = (end["offset"] - start["offset"]) / (end["timestamp"] - start["timestamp"]) * 1000.0
    return max(0.0, behind_s) * float(rows_per_s)


def _parsed(offset: Any) -> Any:
    return json.loads(offset) if isinstance(offset, str) else offset


def _distance(start: Any, end: Any) -> float:
    """The sum of the differences of all numbers in two offsets of the same shape."""
    before = dict(_numbers(start, ()))
    return sum(max(0.0, value - before.get(path, 0.0)) for path, value in _numbers(end, ()))


def _numbers(offset: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(offset, Mapping):
        for key, value in offset.items():
            yield from _numbers(value, (*path, str(key)))
    elif isinstance(offset, (int, float)) and not isinstance(offset, bool):
        yield path, float(offset)


def _state_bytes(operators: list[dict[str, Any]]) -> int | None:
    return sum(int(operator["memoryUsedBytes"]) for operator in operators) if operators else None


def _key_bytes(operators: list[dict[str, Any]]) -> float | None:
    told = [operator.get("customMetrics", {}) for operator in operators]
    if not all(_PUTS in metrics and _WRITTEN in metrics for metrics in told):
        return None
    puts, written = (sum(int(metrics[name]) for metrics in told) for name in (_PUTS, _WRITTEN))
    return written / puts if puts else None


def _arrivals(observed: Mapping[str, Any]) -> ArrivalSketch | None:
    found = observed.get(OBSERVED)
    if not found or not found.get("rows"):
        return None
    return ArrivalSketch(sketch_of(found["arrivals"]), float(found["mean_ms"]), int(found["rows"]))


def _lags(observed: Mapping[str, Any]) -> tuple[bytes, ...]:
    found = [observed[name] for name in sorted(observed) if name.startswith(LAGS)]
    return tuple(sketch_of(one["lags"]) for one in found if one.get("rows"))
