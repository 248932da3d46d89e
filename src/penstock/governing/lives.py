"""The lives of an application: executors get other memory with another application only, in which the run goes on.

governing -- memory is asked for --> this round is recorded --> queries end between two batches --> the session ends
    ^                                                                                                     |
    |        as the life before left them: jobs, slots, bounds, the loop's memory, clock and record       |
    +------ an executor came <-- started with that memory; where none comes in time, with the old one <---+

Where executors are to have what they had, the slots of the life before are waited for once the run is ours: another
driver that is there yet holds them, and gives them up when the run is taken from it.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import SparkSession

from penstock.core.units import size_mib
from penstock.engines.hand import ANSWERS_WITHIN_S
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.starting import called
from penstock.engines.spark.jvm.live import ping
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.errors import EngineError, OutageError, told
from penstock.governing.controller import Controller

COMES_WITHIN_S = 60.0  # an executor of another size: 2 to 4 s on a warm machine, 15 s where eight start at once
_TOGETHER_S = 5.0  # so long after one the next one comes, if it does
_LOOK_EVERY_S = 0.2

_log = logging.getLogger("penstock")


@dataclass(frozen=True, slots=True)
class Life:
    """What a life of the application begins with."""

    jobs: Sequence[Job]
    memory_mib: int | None = None  # of each executor; None: as its settings say
    before_mib: int | None = None  # what executors had in the life before
    slots: int = 0  # that they offered: jobs get theirs again of as many as are there
    run_id: str | None = None  # of the run that goes on
    earlier: Controller | None = None  # who governed the life before


class MemoryWish:
    """Other memory, to be had in the next life: `ends` is called when it is asked for."""

    def __init__(self, not_given: Collection[int], ends: Callable[[], None] = lambda: None) -> None:
        self._not_given = not_given
        self.ends = ends
        self.mib: int | None = None

    def ask(self, mib: int) -> None:
        """End this life for it; an EngineError where that was in vain before."""
        if mib in self._not_given:
            raise EngineError(f"no executor of {mib:,} MiB came when this run asked for it last; ask for less")
        self.mib = mib
        self.ends()


@dataclass(frozen=True, slots=True)
class StartedApplication:
    """A session that was started; `instead` says in words why its executors do not have the memory they were to.

    `awaited` are the slots that are to come yet, at the latest `within_s` after somebody waits for them.
    """

    spark: SparkSession
    instead: str | None = None
    awaited: int = 0
    within_s: float = COMES_WITHIN_S

    def slots_came(self) -> None:
        """Wait for them, so that jobs begin with what they had; with those that are there where they do not come."""
        if self.awaited:
            _slots_came(self.spark, self.awaited, self.within_s)


class Applications:
    """Starts one application after the other; `start` takes what Spark is told. Executors are to come `within_s`."""

    def __init__(
        self,
        start: Callable[[Mapping[str, object]], SparkSession],
        conf: Mapping[str, object],
        within_s: float = COMES_WITHIN_S,
    ) -> None:
        self._start = start
        self._conf = conf
        self._said_mib = size_mib(conf.get("spark.executor.memory", "1g"), "spark.executor.memory")
        self._within_s = within_s
        self.not_given: set[int] = set()

    @contextmanager
    def started(self, life: Life) -> Iterator[StartedApplication]:
        """The application of this life, which ends with the block."""
        application = self._started(life)
        try:
            yield application
        finally:
            _end(application.spark)

    def _started(self, life: Life) -> StartedApplication:
        wanted = life.memory_mib
        if wanted in (None, life.before_mib, self._said_mib):
            return StartedApplication(self._with(wanted), awaited=life.slots, within_s=self._within_s)
        try:
            return StartedApplication(self._with_executors(wanted, life.slots))
        except (EngineError, OutageError) as error:
            self.not_given.add(wanted)
            _log.warning("%s; it is started again with the memory that executors had", error)
            return StartedApplication(self._with(life.before_mib), str(error), life.slots, self._within_s)

    def _with_executors(self, mib: int, slots: int) -> SparkSession:
        """Started, and an executor came; else nothing is left of it but an EngineError."""
        spark = self._with(mib)
        if _slots_came(spark, slots, self._within_s):
            return spark
        spark.stop()
        raise EngineError(f"no executor of {mib:,} MiB came within {self._within_s:.0f} s")

    def _with(self, mib: int | None) -> SparkSession:
        return self._start(self._conf if mib is None else {**self._conf, "spark.executor.memory": f"{mib}m"})


def _end(spark: SparkSession) -> None:
    """End the session, if its JVM still answers: one that stands still would keep us for ever."""
    try:
        called("Spark", lambda: ping(spark), ANSWERS_WITHIN_S)
        spark.stop()
    except Exception as error:
        _log.warning("the application was not ended in order: %s", told(error))


def _slots_came(spark: SparkSession, slots: int, within_s: float) -> int:
    """How many did, at the latest then: of larger executors fewer may fit, and those that come, come together."""
    reader = ExecutorReader(spark.sparkContext)
    began_s = last_s = time.monotonic()
    there = 0
    while there < max(1, slots):
        now_s, before = time.monotonic(), there
        there = sum(executor.slots for executor in reader.read())
        last_s = now_s if there != before else last_s
        if now_s - began_s > within_s or (there and now_s - last_s > _TOGETHER_S):
            break
        time.sleep(_LOOK_EVERY_S)
    return there
