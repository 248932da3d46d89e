"""A query's trigger: how often its batches begin, read from the query as it runs."""

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

_EVERY_SO_OFTEN = "ProcessingTimeTrigger"


def trigger_s(query: StreamingQuery) -> float | None:
    """Seconds between the starts of two batches; None for a query with another kind of trigger."""
    jsq: Any = query._jsq
    try:
        trigger = jsq.streamingQuery().trigger()
        if trigger.getClass().getSimpleName() != _EVERY_SO_OFTEN:
            return None
        return float(trigger.intervalMs()) / 1000.0
    except Py4JError:
        return None  # a query that is gone has none
