"""Starts: a job's query in its own pool, with what it needs of the session."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs.checkpoint_lock import lock_checkpoint
from penstock.engines.spark.jobs.job import Job, Writer
from penstock.engines.spark.jobs.modes import LongLived
from penstock.engines.spark.jobs.starting import FUNCTION_WITHIN_S, Patience, called
from penstock.engines.spark.jvm.checkpoint_files import CheckpointFiles, location_of
from penstock.engines.spark.jvm.lags import LaggedSession
from penstock.engines.spark.jvm.pools import COMMON_POOL, POOL_PROPERTY
from penstock.engines.spark.jvm.quantum import BoundedSession
from penstock.engines.spark.jvm.real_time import FORMAT_CONF, PARTITIONS_CONF, as_real_time, long_lived
from penstock.engines.spark.jvm.rewriting import kept_partitions, mend
from penstock.engines.spark.jvm.routing.starting import built
from penstock.errors import EngineError

_SESSION = threading.RLock()  # held while a query starts: what is set of the session for one is not for another
_PATIENCE = Patience()


def start_query(
    spark: SparkSession, job: Job, once: bool = False, within_s: float | None = FUNCTION_WITHIN_S
) -> StreamingQuery:
    """Start the job's query in its pool; `once` runs what is left of an unfinished batch, then ends.

    Its function has so long to return, or longer where it took long before; None where nobody else waits for it.
    """
    with _pool_of(spark, job), session_of(spark, job, within_s):
        return _started(spark, job, once, within_s)


def tasks_of(
    spark: SparkSession, job: Job, as_left: bool = False, within_s: float | None = FUNCTION_WITHIN_S
) -> tuple[LongLived, ...]:
    """The tasks that the job would keep in real-time mode, all at once; an EngineError when it does not qualify.

    `as_left`: behind its shuffles it has as many as its checkpoint says, where there is one.
    """
    if job.real_time is None:
        return ()
    with session_of(spark, job, within_s):
        made = _made(spark, job, within_s)
        if isinstance(made, StreamingQuery):
            made.stop()
            raise EngineError(f"{job.name}: return the writer instead of a started query; penstock sets its mode")
        location = location_of(spark, made, job.name) if as_left else None
        kept = None if location is None else kept_partitions(spark, location)
        return long_lived(spark, job.name, made, kept)


@contextmanager
def session_of(spark: SparkSession, job: Job, within_s: float | None = FUNCTION_WITHIN_S) -> Iterator[None]:
    """What the job needs of the session, at its start: the query keeps its own copy."""
    wanted = {} if job.real_time is None else {FORMAT_CONF: "2"}
    partitions = job.partitions if job.real_time is None else job.real_time.tasks
    if partitions is not None:
        wanted[PARTITIONS_CONF] = str(partitions)
    if not wanted:
        yield
        return
    with _session_for(job, within_s):
        before = {key: spark.conf.get(key, None) for key in wanted}
        try:
            for key, value in wanted.items():
                spark.conf.set(key, value)
            yield
        finally:
            for key, kept in before.items():
                spark.conf.unset(key) if kept is None else spark.conf.set(key, kept)


@contextmanager
def _pool_of(spark: SparkSession, job: Job) -> Iterator[None]:
    """What this thread starts runs in the job's pool."""
    context = spark.sparkContext
    context.setLocalProperty(POOL_PROPERTY, job.name if job.own_pool else COMMON_POOL)
    try:
        yield
    finally:
        context.setLocalProperty(POOL_PROPERTY, None)  # type: ignore[arg-type]


def _started(spark: SparkSession, job: Job, once: bool, within_s: float | None) -> StreamingQuery:
    made = _made(spark, job, within_s)
    with _session_for(job, within_s):
        return _running(spark, job, once, made)


@contextmanager
def _session_for(job: Job, within_s: float | None) -> Iterator[None]:
    waits_s = -1.0 if within_s is None else _PATIENCE.of_any(within_s)
    if not _SESSION.acquire(timeout=waits_s):
        raise EngineError(f"{job.name}: the start of another job has had the session for {waits_s:g} s")
    try:
        yield
    finally:
        _SESSION.release()


def _running(spark: SparkSession, job: Job, once: bool, made: Writer) -> StreamingQuery:
    if isinstance(made, StreamingQuery):
        return _checked(made, job, once)
    location = location_of(spark, made, job.name)
    if location is not None:
        local = CheckpointFiles(spark, location).local
        if local is not None:
            lock_checkpoint(local, job.name)
        mend(spark, location)  # what a crash left
    named = made.queryName(job.name)
    if once:
        return named.trigger(once=True).start()
    if job.real_time is not None:
        return as_real_time(named, job.real_time.batch_s).start()
    if job.trigger_s is not None:
        named = named.trigger(processingTime=f"{round(job.trigger_s * 1000)} milliseconds")
    return named.start()


def _made(spark: SparkSession, job: Job, within_s: float | None) -> Writer:
    function = job.function
    if function is None:
        raise EngineError(f"{job.name}: penstock did not start this query, so it cannot start it again")
    session: SparkSession = spark
    if job.max_rows_per_batch is not None or job.max_files_per_batch is not None:
        session = BoundedSession(spark, job.max_rows_per_batch, job.max_files_per_batch)
    elif job.real_time is not None:
        session = LaggedSession(spark)
    make: Callable[[], Writer] = partial(built, spark, job.name, _PATIENCE.timed(job.name, partial(function, session)))

    def in_its_pool() -> Writer:
        with _pool_of(spark, job):
            return make()

    waits_s = None if within_s is None else _PATIENCE.of(job.name, within_s)
    made = make() if waits_s is None else called(f"{job.name}: its function", in_its_pool, waits_s, _dropped)
    if not isinstance(made, (DataStreamWriter, StreamingQuery)):
        raise EngineError(
            f"{job.name}: its function returned {type(made).__name__}; return a DataStreamWriter, such as "
            "df.writeStream.format(...), or a started StreamingQuery"
        )
    return made


def _dropped(made: Writer) -> None:
    """It came when nobody waited any more, and the job was started in another way."""
    if isinstance(made, StreamingQuery):
        made.stop()


def _checked(query: StreamingQuery, job: Job, once: bool) -> StreamingQuery:
    if once:
        query.stop()
        raise EngineError(f"{job.name}: return the writer instead of a started query, so that it can be repartitioned")
    if query.name is not None and query.name != job.name:
        query.stop()
        raise EngineError(f"{job.name}: its function started a query named {query.name!r}; leave the name out")
    return query
