"""Rigs: the same tests of the engine on the fake and on a real application."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.levers import Move
from penstock.core.plan import Step, StepOutcome
from penstock.core.seen.figures import JobFigures
from penstock.engines.spark.application.lock import KEY
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, FakeWriter
from penstock.engines.spark.jobs.job import Job, JobFunction, Writer
from penstock.engines.spark.jvm.features import can_cut_state
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.port import Spark
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.helpers import counting, of, quick, rates
from tests.patience import eventually

# However long the machine stands still, the lease of who does not end is his.
SETTINGS = SparkSettings(window_s=20.0, lease_s=3600.0)


class Rig(Protocol):
    """An application, and jobs for it."""

    spark: Spark
    clocks: Clocks
    quick: JobFunction  # a light stateless job
    counting: JobFunction  # one that counts by key
    dies: JobFunction  # with its first batch, of bad row 7
    cuts_state: bool  # into other partitions

    def live(self) -> None:
        """Let queries do something."""

    def start_foreign(self, name: str) -> None:
        """Somebody else starts a query of that name, outside every pool."""

    def take_over(self) -> None:
        """Another controller has the application from now on."""


@dataclass
class Opened:
    """A rig with its engines, which are closed at the end."""

    rig: Rig
    engines: list[SparkEngine] = field(default_factory=list)

    def engine(self, *jobs: Job, settings: SparkSettings = SETTINGS) -> SparkEngine:
        """One that has opened, and started its jobs."""
        made = self.begun(*jobs, settings=settings)
        made.start(wait=True)
        return made

    def begun(self, *jobs: Job, settings: SparkSettings = SETTINGS) -> SparkEngine:
        """One that has opened, and has begun to start its jobs."""
        made = SparkEngine(self.rig.spark, jobs, settings, self.rig.clocks)
        made.open()
        self.engines.append(made)
        made.start()
        return made

    def observed(self, engine: SparkEngine, job: str, ready: Callable[[JobFigures], object]) -> JobFigures:
        """The job's figures, once `ready` finds in them what it looks for."""

        def look() -> JobFigures | None:
            self.rig.live()
            engine.tend()
            figures = of(engine.observe(self.rig.clocks.even()), job)
            return figures if ready(figures) else None

        return eventually(look)

    def run_id(self, name: str) -> str:
        """Of the running query of that name."""
        return next(self._runs(name))

    def running(self, name: str) -> str | None:
        """The run of the query of that name, if one runs."""
        return next(self._runs(name), None)

    def _runs(self, name: str) -> Iterator[str]:
        return (query.runId for query in self.rig.spark.queries() if query.name == name)

    def close(self) -> None:
        for engine in self.engines:
            engine.close(stop_jobs=True)


def turned(engine: SparkEngine, *moves: Move) -> StepOutcome:
    """What came of one step of these moves."""
    return engine.apply([Step(moves[0].job, moves)]).steps[0]


def failing_in(starts: set[int], good: JobFunction, error: str = "no credentials") -> JobFunction:
    """A job whose starts of these numbers fail."""
    numbers: list[int] = []

    def job(session: SparkSession) -> Writer:
        numbers.append(len(numbers) + 1)
        if numbers[-1] in starts:
            raise ValueError(error)
        return good(session)

    return job


def raises(session: SparkSession) -> Writer:
    raise ValueError("no such topic: payments")


def leaves(session: SparkSession) -> Writer:
    raise SystemExit(0)


class FakeRig:
    """The fake: batches are committed as somebody looks."""

    def __init__(self, fake: FakeSpark | None = None) -> None:
        self.fake = fake or FakeSpark(slots=4)
        self.spark: Spark = self.fake
        self.clocks = self.fake.clocks
        self.quick = _made_of(FakeWriter())
        self.counting = _made_of(FakeWriter(partitions=2, stages=(("Scan", 2), ("StateStoreSave", 2))))
        self.dies = _made_of(FakeWriter(fails="org.apache.spark.SparkRuntimeException: bad row 7"))
        self.cuts_state = True

    def live(self) -> None:
        self.fake.pass_time(0.5)
        self.fake.commit_all()

    def start_foreign(self, name: str) -> None:
        self.fake.start_foreign(name)

    def take_over(self) -> None:
        self.fake.taken_over()


class SparkRig:
    """A real application."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self.session = spark
        self.spark: Spark = LiveSpark(spark)
        self.clocks = Clocks()
        self.quick: JobFunction = quick
        self.counting: JobFunction = counting(checkpoint)
        self.dies: JobFunction = _dies
        self.cuts_state = can_cut_state()

    def live(self) -> None:
        """They do by themselves."""

    def start_foreign(self, name: str) -> None:
        quick(self.session).queryName(name).start()

    def take_over(self) -> None:
        self._properties.put(self._key, "another@9999999999.0")

    def free(self) -> None:
        """Nobody has it."""
        self._properties.remove(self._key)

    @property
    def _properties(self) -> Any:
        return self.session.sparkContext._jvm.java.lang.System.getProperties()  # type: ignore[union-attr]

    @property
    def _key(self) -> str:
        return f"{KEY}.{self.session.sparkContext.applicationId}"


@contextmanager
def fake_rig(fake: FakeSpark | None = None) -> Iterator[Opened]:
    opened = Opened(FakeRig(fake))
    yield opened
    opened.close()


@contextmanager
def spark_rig(spark: SparkSession, checkpoint: str) -> Iterator[Opened]:
    rig = SparkRig(spark, checkpoint)
    opened = Opened(rig)
    try:
        yield opened
    finally:
        opened.close()
        rig.free()
        for query in spark.streams.active:
            query.stop()


def _made_of(writer: FakeWriter) -> JobFunction:
    return cast(JobFunction, lambda session: writer)


def _dies(spark: SparkSession) -> DataStreamWriter:
    rows = rates(spark, 50).select(functions.raise_error(functions.lit("bad row 7")))
    return rows.writeStream.format("noop").trigger(processingTime="100 milliseconds")
