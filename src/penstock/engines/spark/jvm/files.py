"""Files that wait: what a file source has listed and not yet taken, which Spark's progress does not tell.

Spark keeps the listing of its last look at the directory in a private field of the source; it is read by
reflection. Files that came after that look are not counted, so this is a lower bound.
"""

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jvm.class_homes import homes_of
from penstock.engines.spark.jvm.private_fields import value_of
from penstock.engines.spark.watch.files import WaitingFiles

_FILE_SOURCES = frozenset(homes_of("FileStreamSource"))


def waiting_files(query: StreamingQuery) -> WaitingFiles | None:
    """Of this query's first bounded file source; None where it has none, or Spark keeps no listing of it.

    An unbounded file source takes all that there is in one batch: nothing waits.
    """
    try:
        sources = query._jsq.streamingQuery().sources()
        found = [_waiting(sources.apply(place)) for place in range(sources.size())]
    except Py4JError:
        return None  # the query ended meanwhile, or is not a micro-batch one
    return next((waiting for waiting in found if waiting is not None), None)


def _waiting(source: Any) -> WaitingFiles | None:
    if source.getClass().getName() not in _FILE_SOURCES:
        return None
    bound = value_of(source, "maxFilesPerBatch")
    if bound is None or not bound.isDefined():
        return None
    unread = value_of(source, "unreadFiles")
    return WaitingFiles(0 if unread is None else int(unread.size()), int(bound.get()))
