"""A planned restart: a query ends right after a batch was committed and starts again as a changed job.

Shares move while a query runs. What a query is built with does not: the bound of its batches, the partitions of its
operators. The checkpoint carries it over, so nothing is lost and no state is counted twice.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import RestartError
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.jvm.stops import stop
from penstock.engines.spark.watch.instructions import COMMITS_WITHIN_S
from penstock.errors import first_line

# A next batch may come at once, and is begun when its offsets are written down, which takes some 30 ms.
_LOOK_EVERY_S = 0.005


def restarted(spark: SparkSession, query: StreamingQuery, before: Job, after: Job) -> StreamingQuery:
    """The query of the changed job; when that does not start, as it was before, and a RestartError.

    It is stopped between two batches where it can be: a sink that keeps no account gets no row twice.
    """
    between_batches(query, last_batch(query), COMMITS_WITHIN_S)
    stop(query)
    try:
        return start_query(spark, after)
    except Exception as error:  # a tenant's own code may raise anything
        why = f"{after.name}: it continues unchanged; {first_line(error)}"
        raise RestartError(why, start_query(spark, before)) from error


def between_batches(query: StreamingQuery, last: int | None, within_s: float) -> bool:
    """Wait until no batch runs or one after `last` was committed, and say whether that came in time."""
    deadline = time.monotonic() + within_s
    java: Any = query
    while query.isActive and java._jsq.status().isTriggerActive() and last_batch(query) == last:
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_EVERY_S)
    return True


def end_between_batches(queries: Iterable[StreamingQuery], within_s: float = COMMITS_WITHIN_S) -> None:
    """End queries, each as soon as a batch of its own is committed; what takes too long or cannot end yet runs on."""
    waiting = [(query, last_batch(query)) for query in queries]
    deadline = time.monotonic() + within_s
    while waiting and time.monotonic() < deadline:
        ready = [query for query, last in waiting if between_batches(query, last, within_s=0.0)]
        for query in ready:
            with suppress(Exception):  # it may have begun another one; who ends them for good tells of it
                query.stop()
        waiting = [(query, last) for query, last in waiting if query not in ready]
        time.sleep(_LOOK_EVERY_S)


def last_batch(query: StreamingQuery) -> int | None:
    """The number of the last batch that was committed by this run."""
    java: Any = query  # whose own words take no JSON
    progress = java._jsq.lastProgress()
    return None if progress is None else int(progress.batchId())
