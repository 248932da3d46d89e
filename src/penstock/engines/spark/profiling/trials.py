"""Trials on real Spark: one task on one slot, and what its worker used meanwhile."""

import contextlib
import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from penstock.core.trial import Measured, Task, Trial
from penstock.core.units import positive
from penstock.engines.spark import standalone
from penstock.engines.spark.profiling import processes
from penstock.engines.spark.profiling.application import SlotApplication, slot_application
from penstock.engines.spark.profiling.cores import Cores
from penstock.engines.spark.profiling.crew import crew
from penstock.engines.spark.profiling.exchange import Exchange, Report
from penstock.engines.spark.profiling.flow import Flow
from penstock.errors import ConfigError, EngineError

_MB = 1_000_000
_DRAINED_WITHIN_S = 60.0
_POINTS = 16  # of latency over a trial: enough for a slope, few enough to hold some tuples each
_IDLE_S = 2.0
_PLATFORM_GENERATIONS = 2  # the executor's JVM, and the daemon that forks its Python workers


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """How a trial is done."""

    length_s: float = 6.0  # the paper: 12 minutes, of which up to 5 are warm-up
    warm_up_s: float = 1.5
    slot_memory_mb: float = 3500.0  # what counts as all of a slot's memory: the paper's machines have 3.5 GB a core

    def __post_init__(self) -> None:
        for field in ("length_s", "warm_up_s", "slot_memory_mb"):
            positive(getattr(self, field), field)
        if self.warm_up_s >= self.length_s:
            raise ConfigError("warm_up_s", self.warm_up_s, f"it must be less than the trial's {self.length_s:g} s")


@dataclass(frozen=True, slots=True)
class Used:
    """What the worker's processes used over a while, and what others used of its core."""

    cpu_share: float
    memory_bytes: int
    others_share: float = 0.0


class TrialRunner:
    """Does one trial after the other on one worker. Threads stay from trial to trial until another number is wanted."""

    def __init__(self, task: Task, application: SlotApplication, core: int, settings: TrialSettings) -> None:
        self._task = task
        self._spark = application.spark
        self._worker = application.workers[0]
        self._core = core
        self._settings = settings
        self._threads: int | None = None
        self._exchange: Exchange | None = None
        self._open = ExitStack()
        self._base = self._measured_base()

    def run(self, trial: Trial) -> Measured:
        """One trial."""
        exchange = self._with_threads(trial.threads)
        settings = self._settings
        watch = _Watch(self._worker, self._core, settings.warm_up_s, settings.length_s)
        reports = exchange.run(trial.rate_rps, settings.length_s, _DRAINED_WITHIN_S)
        used = watch.result()
        window_s = settings.length_s - settings.warm_up_s
        within = [report for report in reports if settings.warm_up_s <= report.at_s < settings.length_s]
        return Measured(
            trial=trial,
            latency_s=latency_points(within, settings.warm_up_s, settings.length_s),
            processed_rps=sum(report.count for report in within) / window_s,
            cpu_share=max(0.0, used.cpu_share - self._base.cpu_share),
            others_share=used.others_share,
            memory_share=max(0, used.memory_bytes - self._base.memory_bytes) / (settings.slot_memory_mb * _MB),
        )

    def close(self) -> None:
        """Let the threads end."""
        self._open.close()
        self._exchange, self._threads = None, None

    def _with_threads(self, threads: int) -> Exchange:
        if self._exchange is None or self._threads != threads:
            self.close()
            flow = Flow.of_one(self._task.name, threads)
            tasks = {self._task.name: self._task}
            self._exchange = self._open.enter_context(crew(self._spark, flow, tasks))
            self._threads = threads
        return self._exchange

    def _measured_base(self) -> Used:
        """After one small job, so that the executor and its Python daemon are there. The workers that the daemon
        forks belong to threads, not to the platform."""
        self._spark.sparkContext.parallelize(range(1), 1).count()
        return _Watch(self._worker, self._core, 0.0, _IDLE_S, _PLATFORM_GENERATIONS).result()


@contextmanager
def trial_runner(task: Task, cores: Cores, most_threads: int, settings: TrialSettings) -> Iterator[TrialRunner]:
    """A runner with a worker of its own on the slot's core, until the end of the block."""
    with slot_application([standalone.Worker(most_threads, cores.slot)]) as application:
        runner = TrialRunner(task, application, cores.slot, settings)
        try:
            yield runner
        finally:
            with contextlib.suppress(EngineError):  # what failed in a thread is known by then
                runner.close()


def latency_points(reports: Sequence[Report], begin_s: float, end_s: float) -> tuple[tuple[float, float], ...]:
    """Mean latency of what was done in each of equal parts of the window; parts with nothing are left out."""
    width = (end_s - begin_s) / _POINTS
    sums: dict[int, tuple[int, float]] = {}
    for report in reports:
        part = min(_POINTS - 1, math.floor((report.at_s - begin_s) / width))
        count, latency_s = sums.get(part, (0, 0.0))
        sums[part] = (count + report.count, latency_s + report.latency_sum_s)
    return tuple((begin_s + (part + 0.5) * width, total / count) for part, (count, total) in sorted(sums.items()))


class _Watch:
    """Looks at the processes of the worker at the beginning and the end of a window, while a trial runs."""

    def __init__(
        self, worker: standalone.Process, core: int, begin_s: float, end_s: float, generations: int | None = None
    ) -> None:
        self._worker = worker
        self._core = core
        self._generations = generations
        self._begin_s, self._end_s = begin_s, end_s
        self._found: Used | None = None
        self._origin_s = time.monotonic()
        self._looking = threading.Thread(target=self._look, name="watch", daemon=True)
        self._looking.start()

    def result(self) -> Used:
        self._looking.join()
        if self._found is None:
            raise EngineError("the worker's processes could not be looked at; are they there still?")
        return self._found

    def _look(self) -> None:
        self._sleep_until(self._begin_s)
        pids = self._pids()
        busy_before_s, first, first_at = self._busy_s(), processes.cpu(pids), time.monotonic()
        self._sleep_until(self._end_s)
        busy_after_s, last, last_at = self._busy_s(), processes.cpu(pids), time.monotonic()
        window_s = last_at - first_at
        own_s, all_s = last.cpu_s - first.cpu_s, busy_after_s - busy_before_s
        self._found = Used(own_s / window_s, processes.memory_bytes(pids), max(0.0, all_s - own_s) / window_s)

    def _busy_s(self) -> float:
        return processes.core_busy_s(self._core)

    def _pids(self) -> tuple[int, ...]:
        return processes.below(self._worker.pid, self._generations)

    def _sleep_until(self, at_s: float) -> None:
        time.sleep(max(0.0, self._origin_s + at_s - time.monotonic()))
