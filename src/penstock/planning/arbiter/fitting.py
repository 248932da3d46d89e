"""Fitting: what of a batch's slot time its tasks cost, and what its rows.

    slot time of a batch = tasks x task_s + rows x row_s

Where all batches have about as many rows the two terms cannot be told apart: then a task is taken to cost what tasks
of Spark cost by experience, and the rest is the rows'.
"""

from typing import NamedTuple

import numpy as np

from penstock.core.arrays import Floats, Numbers

KEPT = 0.75  # of what was known, when a batch ends: four batches on, a third is left
TASK_S = 0.01  # a task's own slot time, where nothing tells: starting it, sending its result
TASK_TRUST = 0.02  # of that experience, in batches
LEAST_S = 1e-4  # of slot time in a batch: less is not measured
NO_SQUARES = (0.0,) * 5  # of a job without batches


class Squares(NamedTuple):
    """Fading sums of a least-squares fit of slot time on tasks and rows, each batch relative to its own size.

    Numbers of one job, or columns of many.
    """

    tasks_tasks: Numbers
    tasks_rows: Numbers
    rows_rows: Numbers
    tasks_busy: Numbers
    rows_busy: Numbers

    @classmethod
    def of_batch(cls, tasks: Numbers, rows: Numbers, busy_s: Numbers) -> "Squares":
        """Of one batch; those of several are added up, each fading as others follow."""
        trust = 1.0 / np.maximum(busy_s, LEAST_S) ** 2
        of_tasks, of_rows = trust * tasks, trust * rows
        return cls(of_tasks * tasks, of_tasks * rows, of_rows * rows, of_tasks * busy_s, of_rows * busy_s)

    def costs(self) -> tuple[Floats, Floats]:
        """Seconds of slot time for a task and for a row; neither is negative."""
        prior = TASK_TRUST * self.tasks_tasks
        tasks_tasks, tasks_busy = self.tasks_tasks + prior, self.tasks_busy + prior * TASK_S
        determinant = tasks_tasks * self.rows_rows - self.tasks_rows**2
        apart = (determinant > 0.0) & (self.rows_rows > 0.0)
        rows_rows = np.where(apart, self.rows_rows, 1.0)
        task_s = (tasks_busy * rows_rows - self.tasks_rows * self.rows_busy) / np.where(apart, determinant, 1.0)
        row_s = (self.rows_busy - task_s * self.tasks_rows) / rows_rows
        of_tasks_alone = np.logical_not(apart) | ((task_s >= 0.0) & (row_s < 0.0))
        alone_s = np.where(tasks_tasks > 0.0, tasks_busy / np.where(tasks_tasks > 0.0, tasks_tasks, 1.0), TASK_S)
        row_s = np.where(task_s < 0.0, np.maximum(0.0, self.rows_busy / rows_rows), row_s)
        return (
            np.where(of_tasks_alone, alone_s, np.maximum(0.0, task_s)),
            np.where(of_tasks_alone, 0.0, row_s),
        )
