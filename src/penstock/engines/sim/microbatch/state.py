"""A job's present in the simulation: what runs, what waits, and what it has used so far."""

import math
from collections import deque
from dataclasses import replace

import numpy as np

from penstock.core.seen.batches import TOLD, BatchFigures
from penstock.engines.first_batches import FirstBatches, SmallBatch, TakenBatch, loosened
from penstock.engines.lost_executors import JobLoss
from penstock.engines.sim.microbatch.arrivals import ArrivalCurve
from penstock.engines.sim.microbatch.batch import BatchReport, OpenBatch
from penstock.engines.sim.microbatch.ledger import Ledger
from penstock.engines.sim.microbatch.spec import MicroBatchJob

_DRAWN_AT_ONCE = 1024


class JobState:
    """Everything that changes about one job. It has at most one open batch, and that at most one open stage."""

    __slots__ = (
        "_drawn",
        "_random",
        "_since_s",
        "arrivals",
        "batch",
        "batch_order",
        "batch_s",
        "busy_s",
        "cpu_rate",
        "cpu_s",
        "down_for",
        "down_until_s",
        "ended",
        "first",
        "first_bound",
        "ledger",
        "life",
        "loss",
        "min_share",
        "name",
        "planned",
        "present",
        "processed",
        "report",
        "running",
        "share_s",
        "share_slots",
        "spec",
        "threads",
        "trigger",
        "up_since_s",
        "waiting",
        "weight",
    )

    def __init__(self, spec: MicroBatchJob, seed: tuple[int, int]) -> None:
        self.spec = spec
        self.name = spec.name
        self.arrivals = ArrivalCurve(spec.arrivals, spec.starts_at_s, spec.ends_at_s)
        self.threads = spec.threads
        self.min_share = 0
        self.weight = 1
        self.share_slots = 0.0
        self.present = False
        self.up_since_s = spec.starts_at_s
        self.down_until_s = -math.inf
        self.down_for = ""  # why, in a word
        self.planned: MicroBatchJob | None = None  # what it becomes when its open batch is committed
        self.life = 0  # rises with each failure; news from an earlier life is ignored
        self.loss: JobLoss | None = None  # of machines, the last that came while it ran
        self.trigger = 0  # number of the last trigger that was due
        self.batch: OpenBatch | None = None
        self.batch_order = 0
        self.report: BatchReport | None = None  # of the last batch
        self.ended: deque[BatchFigures] = deque(maxlen=TOLD)
        self.first: FirstBatches | None = None  # while they are small
        self.first_bound: int | None = None  # of the batch that opens next
        self.waiting = 0  # tasks of the open stage that have no slot yet
        self.running = 0
        self.processed = 0
        self.busy_s = 0.0
        self.cpu_s = 0.0
        self.cpu_rate = 0.0
        self.share_s = 0.0
        self.batch_s = 0.0
        self._since_s = spec.starts_at_s
        self.ledger = Ledger(spec.starts_at_s)
        # A stream of its own: what one job's tasks draw does not depend on what others do.
        self._random = np.random.default_rng(seed)
        self._drawn: list[float] = []

    @property
    def wanted(self) -> MicroBatchJob:
        """The job as it is to be: what it awaits, else what it is."""
        return self.spec if self.planned is None else self.planned

    @property
    def opened(self) -> int:
        """Rows of the open batch."""
        return 0 if self.batch is None else self.batch.rows

    def accrue(self, now: float) -> None:
        """Add up what was used since the last change; call before each change."""
        elapsed = now - self._since_s
        self.busy_s += self.running * elapsed
        self.cpu_s += self.cpu_rate * elapsed
        self.share_s += self.share_slots * elapsed
        if self.batch is not None and self._since_s >= self.down_until_s:
            self.batch_s += elapsed
        self._since_s = now

    @property
    def bound(self) -> int | None:
        """Of the batch that opens next."""
        return self.first_bound if self.spec.max_rows_per_batch is None else self.spec.max_rows_per_batch

    def be_bounded(self, rows: int | None) -> None:
        """By whoever governs: from the next batch on."""
        self.first, self.first_bound = None, None
        self.spec = replace(self.spec, max_rows_per_batch=rows)
        self.planned = None if self.planned is None else replace(self.planned, max_rows_per_batch=rows)

    def be_cut(self, rows: int | None) -> None:
        """By whoever governs: from the next batch on, tasks that read have so many rows at most."""
        self.spec = replace(self.spec, max_rows_per_task=rows)
        self.planned = None if self.planned is None else replace(self.planned, max_rows_per_task=rows)

    def begin_every(self, seconds: float) -> None:
        """By whoever governs: once the batch is over, or the wait, that is under way."""
        self.spec = replace(self.spec, trigger_s=seconds)
        self.planned = None if self.planned is None else replace(self.planned, trigger_s=seconds)

    def begin_small(self, rows: int, now: float, slots: int) -> None:
        """With what it opens next."""
        number = self._next_number + (0 if self.batch is None else 1)
        self.first, self.first_bound = FirstBatches.of(self.name, SmallBatch(rows, number), now, slots), rows

    def loosen(self, left_rows: int, now: float) -> None:
        """A batch has ended: the one after next may be larger, for the next one opens before that is set."""
        first, ended = self.first, self.ended[-1]
        self.first_bound = None if first is None else first.rows
        if first is None:
            return
        found = loosened(first, TakenBatch(ended.number, ended.rows, left_rows, ended.busy_s or 0.0), now)
        self.first = first if found is None else found.first

    @property
    def _next_number(self) -> int:
        return self.ended[-1].number + 1 if self.ended else 0

    def tell(self, left_rows: int) -> None:
        """Keep the last batch's figures for whoever looks."""
        if self.report is not None:
            self.ended.append(self.report.figures(self._next_number, left_rows))

    def next_noise(self, sigma: float) -> float:
        """The factor on a duration: lognormal with mean 1."""
        if sigma == 0.0:
            return 1.0
        if not self._drawn:
            self._drawn = [float(value) for value in self._random.standard_normal(_DRAWN_AT_ONCE)]
        return math.exp(sigma * self._drawn.pop() - sigma**2 / 2.0)
