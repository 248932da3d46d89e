"""Batches that ended: what each took of time, slots and cores. From these a policy learns what a job's rows cost."""

from dataclasses import dataclass

TOLD = 8  # batches of a job at the most in one snapshot, the last ones; a policy meets most of them several times


@dataclass(frozen=True, slots=True)
class BatchFigures:
    """One batch, from its trigger to its commit. What its stages did is None where not all of them were seen.

    Numbers rise by one; they begin anew with another checkpoint. Tasks and slot time are of all stages together.
    """

    number: int
    ended_s: float  # on the snapshot's clock
    took_s: float
    rows: float
    left_rows: float | None = None  # that waited and that it did not take
    stages: int | None = None
    tasks: int | None = None
    busy_s: float | None = None  # of its tasks in slots
    cpu_s: float | None = None  # of its tasks on cores
    staged_s: float | None = None  # in which at least one of its stages was under way, waiting for slots included

    @property
    def aside_s(self) -> float | None:
        """Time that it spent off the slots: planning, offsets, commit."""
        return None if self.staged_s is None else max(0.0, self.took_s - self.staged_s)


@dataclass(frozen=True, slots=True)
class RunningBatch:
    """A batch that has not ended, by its tasks: `tasks` are those of the stages that have begun, of which `ended` have.

    `rows` is all that it took, as far as tasks that ended tell.

    >>> found = RunningBatch(1, 60.0, 12, 3, 27.0, 0.3, 3_000.0)
    >>> found.all_busy_s, found.left
    (108.0, 0.75)
    """

    number: int
    staged_from_s: float  # when its first stage was handed in, on the snapshot's clock
    tasks: int
    ended: int
    busy_s: float  # of those that ended, in slots
    cpu_s: float  # and on cores
    rows: float

    @property
    def all_busy_s(self) -> float:
        """In slots, once all its tasks have ended: they take as long as those that have."""
        return self.busy_s * self.tasks / self.ended

    @property
    def left(self) -> float:
        """The share of it that is still to do."""
        return 1.0 - self.ended / self.tasks
