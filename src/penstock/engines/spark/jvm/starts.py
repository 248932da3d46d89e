"""Starts: a job's query in its own pool, with what it needs of the session."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs.job import Job, Writer
from penstock.engines.spark.jobs.modes import LongLived
from penstock.engines.spark.jobs.session_turns import SessionTurns
from penstock.engines.spark.jobs.starting import FUNCTION_WITHIN_S, Patience, called
from penstock.engines.spark.jvm.checkpoint_files import location_of
from penstock.engines.spark.jvm.lags import LaggedSession
from penstock.engines.spark.jvm.pools import COMMON_POOL, POOL_PROPERTY
from penstock.engines.spark.jvm.quantum import BoundedSession
from penstock.engines.spark.jvm.real_time import FORMAT_CONF, PARTITIONS_CONF, as_real_time, long_lived
from penstock.engines.spark.jvm.rewriting import kept_partitions, mend
from penstock.engines.spark.jvm.routing.starting import built
from penstock.engines.spark.jvm.single_writer import make_ours, once_known, runs_there
from penstock.errors import EngineError

# Who keeps others from starting may do so for so long: a function that has the session alone, and Spark's own part of a
# start, which reads the checkpoint and asks the sink. On a machine with a load of 20 that took a minute.
STARTS_WITHIN_S = 300.0
_TURNS = SessionTurns()  # what is set of the session for one query is not for another
_PATIENCE = Patience()


def start_query(
    spark: SparkSession, job: Job, once: bool = False, within_s: float | None = FUNCTION_WITHIN_S
) -> StreamingQuery:
    """Start the job's query in its pool; `once` runs what is left of an unfinished batch, then ends.

    Its function has so long to return, or longer where it took long before; None where nobody else waits for it, unless
    it has the session alone. So is it with another driver that may live on its checkpoint.
    """

    def start() -> StreamingQuery:
        with _pool_of(spark, job), _session_of(spark, job, within_s):
            return _started(spark, job, once, within_s)

    return once_known(start, waits=within_s is None)


def tasks_of(
    spark: SparkSession, job: Job, as_left: bool = False, within_s: float | None = FUNCTION_WITHIN_S
) -> tuple[LongLived, ...]:
    """The tasks that the job would keep in real-time mode, all at once; an EngineError when it does not qualify.

    `as_left`: behind its shuffles it has as many as its checkpoint says, where there is one.
    """
    if job.real_time is None:
        return ()
    return once_known(partial(_tasks_of, spark, job, as_left, within_s), waits=within_s is None)


def _tasks_of(spark: SparkSession, job: Job, as_left: bool, within_s: float | None) -> tuple[LongLived, ...]:
    with _session_of(spark, job, within_s):
        made = _made(spark, job, within_s)
        if isinstance(made, StreamingQuery):
            made.stop()
            raise EngineError(f"{job.name}: return the writer instead of a started query; penstock sets its mode")
        location = location_of(spark, made, job.name) if as_left else None
        kept = None if location is None else _kept(spark, job, location)
        return long_lived(spark, job.name, made, kept)


def _kept(spark: SparkSession, job: Job, location: str) -> int | None:
    make_ours(spark, location, job.name)  # what a crash left there is mended
    return kept_partitions(spark, location)


@contextmanager
def _session_of(spark: SparkSession, job: Job, within_s: float | None) -> Iterator[None]:
    """What the job needs of the session, at its start: the query keeps its own copy."""
    wanted = _settings_of(job)
    if not wanted:
        yield
        return
    with _turn_of(job, within_s, alone=True):
        before = {key: spark.conf.get(key, None) for key in wanted}
        try:
            for key, value in wanted.items():
                spark.conf.set(key, value)
            yield
        finally:
            for key, kept in before.items():
                spark.conf.unset(key) if kept is None else spark.conf.set(key, kept)


def own_session(spark: SparkSession, job: Job) -> SparkSession:
    """A copy of the session with what the job needs, for work of ours: nobody else waits for it."""
    own = type(spark)(spark.sparkContext, spark._jsparkSession.cloneSession())
    for key, value in _settings_of(job).items():
        own.conf.set(key, value)
    return own


def _settings_of(job: Job) -> Mapping[str, str]:
    wanted = {} if job.real_time is None else {FORMAT_CONF: "2"}
    partitions = job.partitions if job.real_time is None else job.real_time.tasks
    return wanted if partitions is None else {**wanted, PARTITIONS_CONF: str(partitions)}


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

    def in_its_pool() -> StreamingQuery:
        with _pool_of(spark, job):
            return _running(spark, job, once, made)

    with _turn_of(job, within_s, alone=False):
        return called(f"{job.name}: its start in Spark", in_its_pool, STARTS_WITHIN_S, _dropped)


def _turn_of(job: Job, within_s: float | None, alone: bool) -> AbstractContextManager[None]:
    return _TURNS.had(job.name, alone, None if within_s is None else _PATIENCE.of_any(within_s))


def _running(spark: SparkSession, job: Job, once: bool, made: Writer) -> StreamingQuery:
    if isinstance(made, StreamingQuery):
        return _checked(made, job, once)
    location = location_of(spark, made, job.name)
    writer = _timed(made.queryName(job.name), job, once)
    if location is None:
        return writer.start()
    files = make_ours(spark, location, job.name)
    mend(spark, location)  # what a crash left
    query = writer.start()
    runs_there(files, query)
    return query


def _timed(named: DataStreamWriter, job: Job, once: bool) -> DataStreamWriter:
    if once:
        return named.trigger(once=True)
    if job.real_time is not None:
        return as_real_time(named, job.real_time.batch_s)
    if job.trigger_s is not None:
        return named.trigger(processingTime=f"{round(job.trigger_s * 1000)} milliseconds")
    return named


def _made(spark: SparkSession, job: Job, within_s: float | None) -> Writer:
    function = job.function
    if function is None:
        raise EngineError(f"{job.name}: penstock did not start this query, so it cannot start it again")
    session: SparkSession = spark
    if job.max_rows_per_batch is not None or job.max_files_per_batch is not None:
        session = BoundedSession(spark, job.max_rows_per_batch, job.max_files_per_batch)
    elif job.real_time is not None:
        session = LaggedSession(spark)
    make: Callable[[], Writer] = partial(
        built, spark, job.name, _PATIENCE.timed(job.name, partial(function, session)), partial(make_ours, spark)
    )

    def in_its_pool() -> Writer:
        with _pool_of(spark, job):
            return make()

    waits_s = _function_within_s(job, within_s)
    made = make() if waits_s is None else called(f"{job.name}: its function", in_its_pool, waits_s, _dropped)
    if not isinstance(made, (DataStreamWriter, StreamingQuery)):
        raise EngineError(
            f"{job.name}: its function returned {type(made).__name__}; return a DataStreamWriter, such as "
            "df.writeStream.format(...), or a started StreamingQuery"
        )
    return made


def _function_within_s(job: Job, within_s: float | None) -> float | None:
    if within_s is None:
        return STARTS_WITHIN_S if _settings_of(job) else None
    return _PATIENCE.of(job.name, within_s)


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
