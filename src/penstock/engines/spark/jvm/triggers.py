"""A query's trigger: how often its batches begin, read and turned as the query runs.

What Spark asks for the time of the next batch is an executor of its own, which took its interval from the trigger when
the query began, and keeps it in a field: that field is what is turned.
"""

from typing import Any, NamedTuple

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jobs.query import BatchInterval
from penstock.errors import EngineError, first_line

_EVERY_SO_OFTEN = "ProcessingTimeTrigger"
_EXECUTOR, _INTERVAL = "triggerExecutor", "intervalMs"


def interval(query: StreamingQuery) -> BatchInterval | None:
    """How often its batches begin; None for a query with another kind of trigger.

    Where the field is not found, it is as often as the query's writer said, and is not turned.
    """
    try:
        trigger = _execution(query).trigger()
        if str(trigger.getClass().getSimpleName()) != _EVERY_SO_OFTEN:
            return None
        found = _interval_field(query)
        every_ms = trigger.intervalMs() if found is None else found.kept.get(found.executor)
        return BatchInterval(float(every_ms) / 1000.0, turns=found is not None)
    except Py4JError:
        return None  # a query that is gone has none


def retrigger(query: StreamingQuery, every_s: float) -> None:
    """Have its batches begin so often, once the batch, or the wait, that is under way is over."""
    try:
        found = _interval_field(query)
        if found is None:
            raise EngineError(f"{query.name}: this Spark keeps its trigger where penstock does not find it")
        found.kept.setLong(found.executor, round(1000.0 * every_s))
    except Py4JError as error:
        raise EngineError(f"the trigger of {query.name} cannot be reached: {first_line(error)}") from error


class _IntervalField(NamedTuple):
    """The field with the interval, and whose it is."""

    kept: Any
    executor: Any


def _interval_field(query: StreamingQuery) -> _IntervalField | None:
    """None before the query begins, and where Spark has none."""
    execution = _execution(query)
    kind = execution.getClass()
    while kind is not None:
        for field in kind.getDeclaredFields():
            if field.getName().endswith(_EXECUTOR):
                field.setAccessible(True)
                return _field_of(field.get(execution))
        kind = kind.getSuperclass()
    return None


def _field_of(executor: Any) -> _IntervalField | None:
    fields = () if executor is None else executor.getClass().getDeclaredFields()
    for field in fields:
        if field.getName() == _INTERVAL:
            field.setAccessible(True)
            return _IntervalField(field, executor)
    return None


def _execution(query: StreamingQuery) -> Any:
    jsq: Any = query._jsq
    return jsq.streamingQuery()
