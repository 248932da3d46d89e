"""A store in this process: whole cycles for a while, timelines and decisions for the whole run."""

import logging
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import inf
from threading import Lock

from penstock.core.asked.budget import MOST_WINDOWS, Budget, BudgetWindow
from penstock.core.asked.price import Price
from penstock.core.cycle import Cycle, PastCycle
from penstock.core.known.prediction import PredictionError
from penstock.core.plan import Verdict
from penstock.core.ports import PolicyMemory
from penstock.core.run import DecisionRecord, Note, Run, RunInfo, as_of, records_of, with_budgets, with_verdicts
from penstock.core.seen.deeds import Deed
from penstock.core.seen.shares import Pool, pool_of
from penstock.core.seen.view import View
from penstock.store.archive import unknown_run
from penstock.store.timelines import Timelines, moment_of, noted

KEPT_CYCLES = 720  # two hours of 10 s rounds
KEPT_DECISIONS = 10_000

log = logging.getLogger("penstock.store")


class MemoryStore:
    """Keeps the newest `kept_cycles` cycles whole; a web server may read while the loop appends."""

    def __init__(self, run: RunInfo | None = None, kept_cycles: int = KEPT_CYCLES) -> None:
        self._kept_cycles = kept_cycles
        self._lock = Lock()
        self._now = self._empty(run or RunInfo("run", "run", policy="", engine=""))
        self._runs = {self._now.info.id: self._now}

    def begin(self, run: RunInfo) -> RunInfo:
        with self._lock:
            if not self._now.cycles:  # the run that a new store stands ready with makes room
                del self._runs[self._now.info.id]
            known = self._runs.get(run.id)
            if known is not None:
                known.info = replace(run, started_at_s=known.info.started_at_s)
            self._now = self._runs[run.id] = known or self._empty(run)
            return self._now.info

    @property
    def last_at_s(self) -> float | None:
        with self._lock:
            return self._now.cycles[-1].at_s if self._now.cycles else None

    def reprice(self, price: Price | None) -> None:
        with self._lock:
            self._now.info = replace(self._now.info, price=price)

    def append(self, cycle: Cycle) -> None:
        with self._lock:
            self._now.append(cycle)

    def announce(self, cycle: Cycle) -> None:
        self.append(cycle)

    def check_ours(self) -> None:
        """It is: no other process sees this memory."""

    def last_memory(self, policy: str, memory_type: type[PolicyMemory]) -> PolicyMemory | None:
        memory = self._now.memories.get(policy)
        if memory is not None and not isinstance(memory, memory_type):
            log.warning("the memory of policy %s is not a %s; starting afresh", policy, memory_type.__name__)
            return None
        return memory

    def past_cycles(self, decided_from_s: float, before_s: float) -> tuple[PastCycle, ...]:
        with self._lock:
            kept = tuple(self._now.cycles)
        decided = (cycle.at_s for cycle in kept if cycle.plan.decisions and cycle.at_s >= decided_from_s)
        from_s = min(decided, default=inf) - before_s
        return tuple(PastCycle(cycle.view, cycle.plan.decisions) for cycle in kept if cycle.at_s >= from_s)

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> tuple[BudgetWindow, ...]:
        with self._lock:
            found: dict[float, BudgetWindow] = {}
            for run in self._runs.values():
                if run.info.name == self._now.info.name:
                    found |= run.windows.get((job, asked.windows_s), {})
            return tuple(one for one in found.values() if at_epoch_s - asked.over_s <= one.from_s <= at_epoch_s)

    def cycles(self, run_id: str) -> tuple[Cycle, ...]:
        """The whole cycles that are kept, oldest first."""
        with self._lock:
            return tuple(self._found(run_id).cycles)

    def runs(self) -> tuple[RunInfo, ...]:
        return tuple(found.info for found in self._runs.values())

    def read_run(self, run_id: str) -> Run:
        with self._lock:
            return self._found(run_id).run()

    def views(self, run_id: str) -> Iterator[View]:
        return (cycle.view for cycle in self.cycles(run_id))

    def close(self) -> None:
        """Nothing to let go of."""

    def _empty(self, run: RunInfo) -> "_Remembered":
        return _Remembered(run, deque(maxlen=self._kept_cycles))

    def _found(self, run_id: str) -> "_Remembered":
        if run_id not in self._runs:
            raise unknown_run(run_id, self.runs())
        return self._runs[run_id]


@dataclass(slots=True)
class _Remembered:
    """All that is kept of one run."""

    info: RunInfo
    cycles: deque[Cycle]
    timelines: Timelines = field(default_factory=Timelines)
    decisions: deque[DecisionRecord] = field(default_factory=lambda: deque(maxlen=KEPT_DECISIONS))
    verdicts: deque[Verdict] = field(default_factory=lambda: deque(maxlen=KEPT_DECISIONS))
    notes: deque[Note] = field(default_factory=lambda: deque(maxlen=KEPT_DECISIONS))
    errors: deque[Note] = field(default_factory=lambda: deque(maxlen=KEPT_DECISIONS))
    deeds: deque[Deed] = field(default_factory=lambda: deque(maxlen=KEPT_DECISIONS))
    shortfalls: deque[Note] = field(default_factory=lambda: deque(maxlen=KEPT_DECISIONS))
    prediction_errors: tuple[PredictionError, ...] = ()
    memories: dict[str, PolicyMemory] = field(default_factory=dict)
    windows: dict[tuple[str, float], dict[float, BudgetWindow]] = field(
        default_factory=dict
    )  # of budgets, by job and length

    def append(self, cycle: Cycle) -> None:
        if self.cycles and self.cycles[-1].at_s == cycle.at_s:
            self._take_back(self.cycles.pop())
        else:
            self.timelines.add(moment_of(cycle.view))
        self.cycles.append(cycle)
        self.decisions.extend(records_of(cycle))
        self.verdicts.extend(cycle.plan.verdicts)
        noted(self.notes, cycle.at_s, cycle.note)
        noted(self.errors, cycle.at_s, cycle.error or "")
        self.deeds.extend(cycle.view.deeds)
        noted(self.shortfalls, cycle.at_s, cycle.plan.shortfall)
        self.prediction_errors = cycle.plan.errors or self.prediction_errors
        self.memories[cycle.policy] = cycle.memory
        for job in cycle.view.jobs:
            if job.spent is not None and job.window is not None:
                kept = self.windows.setdefault((job.name, job.spent.asked.windows_s), {})
                kept[job.window.from_s] = job.window
                if len(kept) > MOST_WINDOWS:
                    del kept[min(kept)]

    def run(self) -> Run:
        lines = self.timelines
        decisions = with_verdicts(tuple(self.decisions), tuple(self.verdicts))
        return Run(
            info=self.info,
            at_s=tuple(lines.at_s),
            utility=tuple(lines.utility),
            max_utility=tuple(lines.max_utility),
            jobs=with_budgets(lines.jobs(), self.cycles[-1].view if self.cycles else None),
            machines=lines.machines(),
            decisions=as_of(decisions, lines.at_s[-1], goes_on=False) if len(lines.at_s) else decisions,
            notes=tuple(self.notes),
            errors=tuple(self.errors),
            deeds=tuple(self.deeds),
            shortfalls=tuple(self.shortfalls),
            prediction_errors=self.prediction_errors,
            pool=pool_of(self.cycles[-1].view) if self.cycles else Pool(),
            possible_utility=tuple(lines.possible_utility),
        )

    def _take_back(self, cycle: Cycle) -> None:
        """The cycle was announced, and now comes with what came of it."""
        for _ in cycle.plan.decisions:
            self.decisions.pop()
        for _ in cycle.plan.verdicts:
            self.verdicts.pop()
        for notes in (self.notes, self.errors, self.shortfalls):
            if notes and notes[-1].at_s == cycle.at_s:
                notes.pop()
        for _ in cycle.view.deeds:
            self.deeds.pop()
