"""Failures of a job: what was lost, and what that cost before rows were worked on again."""

from dataclasses import dataclass
from enum import StrEnum

from penstock.core.units import non_negative


class FailureKind(StrEnum):
    """From the least that can be lost to the most: a query is back in seconds, a driver in minutes."""

    EXECUTOR = "executor"  # the others go on
    QUERY = "query"  # its driver lives and starts it again
    DRIVER = "driver"  # the whole application; on engines without a driver, the whole job


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure in two parts: while nobody has noticed it the job still processes, then it stands still.

    What came while it stood still is to be caught up with, and what it did since its last checkpoint: `unsaved_s`
    before the stop, where an ill job could not complete any. `kind` is None where nobody can say.
    """

    kind: FailureKind | None
    stop_s: float
    detect_s: float = 0.0
    unsaved_s: float = 0.0

    def __post_init__(self) -> None:
        non_negative(self.stop_s, "stop_s")
        non_negative(self.detect_s, "detect_s")
        non_negative(self.unsaved_s, "unsaved_s")

    def recovery_s(self, use: float) -> float:
        """Roughly, at an even rate that takes such a share of the capacity: enough to compare failures.

        >>> Failure(FailureKind.QUERY, stop_s=40.0, detect_s=60.0).recovery_s(use=0.5)
        140.0
        """
        return self.detect_s + (self.stop_s + self.unsaved_s * use) / max(1e-3, 1.0 - use)
