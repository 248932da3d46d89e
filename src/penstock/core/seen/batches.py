"""Batches that ended: what each took of time, slots and cores. From these a policy learns what a job's rows cost."""

from dataclasses import dataclass

MOST = 1e18  # rows, or seconds: of more no sum of squares is a number
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
    waited_s: float | None = None  # how old its rows were when it began, in the mean, where they themselves tell

    @property
    def is_measured(self) -> bool:
        """Whether all that is known of it are figures: of one that never ends nothing can be learnt, nor after it.

        >>> BatchFigures(0, 1.0, 0.1, 5.0, left_rows=float("inf")).is_measured
        False
        """
        # A loop takes half as long as a generator, and there may be 100,000 batches.
        for value in (self.ended_s, self.took_s, self.rows, self.left_rows, self.busy_s, self.cpu_s, self.staged_s):
            if value is not None and not abs(value) <= MOST:
                return False
        return self.waited_s is None or abs(self.waited_s) <= MOST

    @property
    def began_s(self) -> float:
        """When it took its rows, on the snapshot's clock."""
        return self.ended_s - self.took_s

    @property
    def aside_s(self) -> float | None:
        """Time that it spent off the slots: planning, offsets, commit."""
        return None if self.staged_s is None else max(0.0, self.took_s - self.staged_s)
