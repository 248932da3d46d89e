"""Fitting: what of a batch's slot time its tasks cost, and what its rows.

    slot time of a batch = tasks x task_s + rows x row_s

Where all batches have about as many rows the two terms cannot be told apart: then a task is taken to cost what tasks
of Spark cost by experience, and the rest is the rows'.
"""

from collections.abc import Iterable
from dataclasses import dataclass

KEPT = 0.75  # of what was known, when a batch ends: four batches on, a third is left
TASK_S = 0.01  # a task's own slot time, where nothing tells: starting it, sending its result
TASK_TRUST = 0.02  # of that experience, in batches
LEAST_S = 1e-4  # of slot time in a batch: less is not measured


@dataclass(frozen=True, slots=True)
class Squares:
    """Fading sums of a least-squares fit of slot time on tasks and rows, each batch relative to its own size."""

    tasks_tasks: float = 0.0
    tasks_rows: float = 0.0
    rows_rows: float = 0.0
    tasks_busy: float = 0.0
    rows_busy: float = 0.0

    def with_batch(self, tasks: float, rows: float, busy_s: float) -> "Squares":
        """One batch more; what was known before fades."""
        return self.with_batches([(tasks, rows, busy_s)])

    def with_batches(
        self, batches: Iterable[tuple[float, float, float]], said_s: list[float] | None = None
    ) -> "Squares":
        """More batches; `said_s` gets what each would have taken by what was known before it."""
        tt, tr, rr, tb, rb = self.tasks_tasks, self.tasks_rows, self.rows_rows, self.tasks_busy, self.rows_busy
        for tasks, rows, busy_s in batches:
            if said_s is not None:
                task_s, row_s = _solved(tt, tr, rr, tb, rb)
                said_s.append(tasks * task_s + rows * row_s)
            trust = 1.0 / max(busy_s, LEAST_S) ** 2
            of_tasks, of_rows = trust * tasks, trust * rows
            tt, tr, rr = KEPT * tt + of_tasks * tasks, KEPT * tr + of_tasks * rows, KEPT * rr + of_rows * rows
            tb, rb = KEPT * tb + of_tasks * busy_s, KEPT * rb + of_rows * busy_s
        return Squares(tt, tr, rr, tb, rb)

    def costs(self) -> tuple[float, float]:
        """Seconds of slot time for a task and for a row; neither is negative."""
        return _solved(self.tasks_tasks, self.tasks_rows, self.rows_rows, self.tasks_busy, self.rows_busy)


def _solved(
    tasks_tasks: float, tasks_rows: float, rows_rows: float, tasks_busy: float, rows_busy: float
) -> tuple[float, float]:
    prior = TASK_TRUST * tasks_tasks
    tt, tb = tasks_tasks + prior, tasks_busy + prior * TASK_S
    determinant = tt * rows_rows - tasks_rows**2
    if determinant <= 0.0 or rows_rows <= 0.0:
        return (tb / tt if tt > 0 else TASK_S), 0.0
    task_s = (tb * rows_rows - tasks_rows * rows_busy) / determinant
    row_s = (rows_busy - task_s * tasks_rows) / rows_rows
    if task_s < 0.0:
        return 0.0, max(0.0, rows_busy / rows_rows)
    if row_s < 0.0:
        return (tb / tt), 0.0
    return task_s, row_s
