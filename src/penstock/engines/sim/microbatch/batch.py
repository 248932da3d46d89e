"""A batch: the rows it took, the stage it is in, and what its stages took when it is done."""

import math
from dataclasses import dataclass

from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import StageFigures
from penstock.engines.sim.microbatch.spec import MicroBatchJob


@dataclass(frozen=True, slots=True)
class BatchReport:
    """A finished batch: its rows, its phases, and each stage in detail."""

    ended_s: float
    rows: int
    duration_s: float
    phases_s: dict[str, float]
    stages: tuple[StageFigures, ...]
    cpu_s: float
    waited_s: float  # its rows before it began, in the mean

    def figures(self, number: int, left_rows: int) -> BatchFigures:
        """As an engine tells of it."""
        return BatchFigures(
            number=number,
            ended_s=self.ended_s,
            took_s=self.duration_s,
            rows=self.rows,
            left_rows=left_rows,
            stages=len(self.stages),
            tasks=sum(stage.tasks for stage in self.stages),
            busy_s=sum(stage.busy_s or 0.0 for stage in self.stages),
            cpu_s=self.cpu_s,
            staged_s=self.phases_s["stages"],
            waited_s=self.waited_s if self.rows else None,
        )


class OpenBatch:
    """An open batch: it has taken its rows and runs its stages one after another."""

    __slots__ = (
        "busy_s",
        "cpu_s",
        "done",
        "left",
        "newest_s",
        "oldest_s",
        "rows",
        "stage",
        "stage_from_s",
        "stages_from_s",
        "started_s",
        "tasks",
        "used_cpu_s",
        "wait_s",
    )

    def __init__(self, rows: int, oldest_s: float, newest_s: float, started_s: float) -> None:
        self.rows = rows
        self.oldest_s = oldest_s  # when its first and its last row arrived
        self.newest_s = newest_s
        self.restart(started_s)

    def restart(self, started_s: float) -> None:
        """Begin it again with the same rows, as the offset log has them."""
        self.started_s = started_s
        self.stages_from_s = started_s
        self.stage = -1
        self.tasks = 0  # of the open stage
        self.left = 0  # those of them that are not done
        self.cpu_s = 0.0  # of each task of the open stage, before noise
        self.wait_s = 0.0
        self.busy_s = 0.0  # of the open stage's tasks that are done
        self.stage_from_s = started_s  # and after the last one the commit
        self.used_cpu_s = 0.0  # of all tasks that are done
        self.done: list[StageFigures] = []

    def open_next_stage(self, spec: MicroBatchJob, now: float) -> bool:
        """Go on to the next stage; False when there is none left."""
        self.stage += 1
        self.stage_from_s = now
        if self.stage >= len(spec.stages):
            return False
        stage = spec.stages[self.stage]
        self.busy_s = 0.0
        self.left = self.tasks = self._tasks_of(spec)
        per_task = rows_into(spec, self.stage, self.rows) / self.tasks
        self.cpu_s = per_task * stage.cpu_s_per_row + stage.task_cpu_s
        self.wait_s = per_task * stage.wait_s_per_row + stage.task_overhead_s
        return True

    def _tasks_of(self, spec: MicroBatchJob) -> int:
        """As many as the open stage has partitions; more where those that read may each read so many rows only."""
        partitions = spec.stages[self.stage].partitions
        if self.stage > 0 or spec.max_rows_per_task is None:
            return partitions
        return max(partitions, math.ceil(self.rows / spec.max_rows_per_task))

    def close_stage(self, spec: MicroBatchJob, now: float, share_slots: float) -> None:
        """Note what the open stage took, now that its last task is done."""
        slot_s = share_slots * (now - self.stage_from_s)
        self.done.append(
            StageFigures(
                name=spec.stages[self.stage].name,
                tasks=self.tasks,
                rows_in=round(rows_into(spec, self.stage, self.rows)),
                rows_out=round(rows_into(spec, self.stage + 1, self.rows)),
                busy_s=self.busy_s,
                capacity=min(1.0, self.busy_s / slot_s) if slot_s > 0 else None,
            )
        )

    def report(self, now: float) -> BatchReport:
        """What it took, now that it is committed."""
        phases = {
            "planning": self.stages_from_s - self.started_s,
            "stages": self.stage_from_s - self.stages_from_s,
            "commit": now - self.stage_from_s,
        }
        waited_s = self.started_s - 0.5 * (self.oldest_s + self.newest_s)
        return BatchReport(now, self.rows, now - self.started_s, phases, tuple(self.done), self.used_cpu_s, waited_s)


def rows_into(spec: MicroBatchJob, stage: int, rows: float) -> float:
    """Rows that reach the stage of this number when `rows` enter the job."""
    for factor in spec.selectivity[:stage]:
        rows *= factor
    return rows
