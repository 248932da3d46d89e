"""A query's trigger: how often its batches begin, read and turned as the query runs.

What Spark asks for the time of the next batch is an executor of its own, which took its interval from the trigger when
the query began, and keeps it in a field: that field is what is turned.
"""

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

from penstock.errors import EngineError, first_line

_EVERY_SO_OFTEN = "ProcessingTimeTrigger"
_EXECUTOR, _INTERVAL = "triggerExecutor", "intervalMs"


def trigger_s(query: StreamingQuery) -> float | None:
    """Seconds between the starts of two batches; None for a query with another kind of trigger."""
    try:
        if not _has_interval(query):
            return None
        interval = _interval(query)
        if interval is None:
            return float(_execution(query).trigger().intervalMs()) / 1000.0
        field, executor = interval
        return float(field.get(executor)) / 1000.0
    except Py4JError:
        return None  # a query that is gone has none


def can_retrigger(query: StreamingQuery) -> bool:
    """Whether its batches can begin more or less often while it runs."""
    try:
        return _has_interval(query) and _interval(query) is not None
    except Py4JError:
        return False


def retrigger(query: StreamingQuery, every_s: float) -> None:
    """Have its batches begin so often, once the batch, or the wait, that is under way is over."""
    try:
        interval = _interval(query)
        if interval is None:
            raise EngineError(f"{query.name}: this Spark keeps its trigger where penstock does not find it")
        field, executor = interval
        field.setLong(executor, round(1000.0 * every_s))
    except Py4JError as error:
        raise EngineError(f"the trigger of {query.name} cannot be reached: {first_line(error)}") from error


def _has_interval(query: StreamingQuery) -> bool:
    return str(_execution(query).trigger().getClass().getSimpleName()) == _EVERY_SO_OFTEN


def _interval(query: StreamingQuery) -> tuple[Any, Any] | None:
    """The field with the interval, and whose it is; None before the query begins, and where Spark has none."""
    execution = _execution(query)
    kind = execution.getClass()
    while kind is not None:
        for field in kind.getDeclaredFields():
            if field.getName().endswith(_EXECUTOR):
                field.setAccessible(True)
                return _field_of(field.get(execution))
        kind = kind.getSuperclass()
    return None


def _field_of(executor: Any) -> tuple[Any, Any] | None:
    fields = () if executor is None else executor.getClass().getDeclaredFields()
    for field in fields:
        if field.getName() == _INTERVAL:
            field.setAccessible(True)
            return field, executor
    return None


def _execution(query: StreamingQuery) -> Any:
    jsq: Any = query._jsq
    return jsq.streamingQuery()
