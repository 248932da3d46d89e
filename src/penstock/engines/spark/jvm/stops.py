"""Stops: a query is told to end, and waited for no longer than its session's stopTimeout.

Spark interrupts a batch that runs. Python that waits for something within `foreachBatch` does not hear that, and
without a limit whoever told the query to end would wait for as long as that does.
"""

from py4j.protocol import Py4JJavaError
from pyspark.sql.streaming.query import StreamingQuery

from penstock.errors import EngineError, first_line

_TOO_LONG = "java.util.concurrent.TimeoutException"


def stop(query: StreamingQuery) -> None:
    """End it; an EngineError where a batch of its own cannot be interrupted and goes on."""
    try:
        query.stop()
    except Py4JJavaError as error:
        if not first_line(error).startswith(_TOO_LONG):
            raise
        raise EngineError(
            f"{query.name}: it was told to stop, and its batch cannot be interrupted; no other batch begins, and its "
            "query can be started again once that one has ended"
        ) from error
