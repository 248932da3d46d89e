"""Trials on real Spark: one task on one slot, and what its worker used meanwhile."""

import contextlib
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from penstock.core.seen.trial import Measured, Task, Trial
from penstock.engines.spark.profiling.application import SlotApplication, slot_application
from penstock.engines.spark.profiling.cores import Cores
from penstock.engines.spark.profiling.crew import crew
from penstock.engines.spark.profiling.exchange import ChunkReport, Exchange
from penstock.engines.spark.profiling.flow import TupleFlow
from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.engines.spark.profiling.watch import WorkerWatch
from penstock.errors import EngineError
from penstock.local.spark import standalone

_DRAINED_WITHIN_S = 60.0
_POINTS = 16  # of latency over a trial: enough for a slope, few enough to hold some tuples each


class TrialRunner:
    """Does one trial after the other on one worker. Threads stay from trial to trial until another number is wanted."""

    def __init__(self, task: Task, application: SlotApplication, core: int, settings: TrialSettings) -> None:
        self._task = task
        self._spark = application.spark
        self._workers = application.workers
        self._core = core
        self._settings = settings
        self._threads: int | None = None
        self._exchange: Exchange | None = None
        self._open = ExitStack()

    def run(self, trial: Trial) -> Measured:
        """One trial."""
        exchange = self._with_threads(trial.threads)
        begin_s, end_s = self._settings.warm_up_s, self._settings.length_s
        watch = WorkerWatch(self._workers, self._core, begin_s, end_s)
        reports = exchange.run(trial.rate_rps, end_s, _DRAINED_WITHIN_S)
        seen = watch.result()
        (used,) = seen.workers
        within = [report for report in reports if begin_s <= report.at_s < end_s]
        return Measured(
            trial=trial,
            latency_s=latency_points(within, begin_s, end_s),
            processed_rps=sum(report.count for report in within) / (end_s - begin_s),
            cpu_share=used.cpu_share,
            memory_share=self._settings.memory_share(used.memory_bytes),
            others_share=seen.others_share,
        )

    def close(self) -> None:
        """Let the threads end."""
        self._open.close()
        self._exchange, self._threads = None, None

    def _with_threads(self, threads: int) -> Exchange:
        if self._exchange is None or self._threads != threads:
            self.close()
            flow = TupleFlow.of_one(self._task.name, threads)
            self._exchange = self._open.enter_context(crew(self._spark, flow, {self._task.name: self._task}))
            self._threads = threads
        return self._exchange


@contextmanager
def trial_runner(task: Task, cores: Cores, most_threads: int, settings: TrialSettings) -> Iterator[TrialRunner]:
    """A runner with a worker of its own on the slot's core, until the end of the block."""
    with slot_application([standalone.WorkerToStart(most_threads, cores.slot)]) as application:
        runner = TrialRunner(task, application, cores.slot, settings)
        try:
            yield runner
        finally:
            with contextlib.suppress(EngineError):  # what failed in a thread is known by then
                runner.close()


def latency_points(reports: Sequence[ChunkReport], begin_s: float, end_s: float) -> tuple[tuple[float, float], ...]:
    """Mean latency of what was done in each of equal parts of the window; parts with nothing are left out."""
    width = (end_s - begin_s) / _POINTS
    sums: dict[int, tuple[int, float]] = {}
    for report in reports:
        part = min(_POINTS - 1, math.floor((report.at_s - begin_s) / width))
        count, latency_s = sums.get(part, (0, 0.0))
        sums[part] = (count + report.count, latency_s + report.latency_sum_s)
    return tuple((begin_s + (part + 0.5) * width, total / count) for part, (count, total) in sorted(sums.items()))
