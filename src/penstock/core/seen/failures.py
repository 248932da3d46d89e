"""Failures of a job: what was lost, and what that cost before rows were worked on again."""

from dataclasses import dataclass
from enum import StrEnum

from penstock.core.units import non_negative
from penstock.errors import ConfigError


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

    Who lost one executor of several need not stand still: it goes on short of one until `short_s` after the failure,
    when another has come in its place, and the others do `slowed` of what they did while that one starts beside them.
    An executor may carry more than one unit of its scale-out, or a part of one, if others use it too: `short_of`.
    """

    kind: FailureKind | None
    stop_s: float
    detect_s: float = 0.0
    unsaved_s: float = 0.0
    short_s: float = 0.0
    slowed: float = 1.0
    short_of: float = 1.0

    def __post_init__(self) -> None:
        non_negative(self.stop_s, "stop_s")
        non_negative(self.detect_s, "detect_s")
        non_negative(self.unsaved_s, "unsaved_s")
        non_negative(self.short_s, "short_s")
        non_negative(self.short_of, "short_of")
        if not 0.0 <= self.slowed <= 1.0:
            raise ConfigError("slowed", self.slowed, "write a share of the usual speed, from 0 to 1")

    def kept(self, scaleout: int) -> float:
        """The share of the capacity of such a scale-out that is left meanwhile.

        >>> Failure(FailureKind.EXECUTOR, 0.0, short_s=20.0, slowed=0.8).kept(4)
        0.6000000000000001
        >>> Failure(FailureKind.EXECUTOR, 0.0, short_s=20.0, short_of=2.0).kept(4)
        0.5
        """
        return self.slowed * max(0.0, scaleout - self.short_of) / max(1, scaleout)

    def recovery_s(self, use: float, scaleout: int = 1) -> float:
        """Roughly, at an even rate that takes such a share of the capacity: enough to compare failures.

        >>> Failure(FailureKind.QUERY, stop_s=40.0, detect_s=60.0).recovery_s(use=0.5)
        140.0
        >>> Failure(FailureKind.EXECUTOR, 0.0, short_s=20.0, slowed=0.8).recovery_s(use=0.9, scaleout=4)
        80.0
        """
        lost_s = self.stop_s
        kept = self.kept(scaleout)
        if self.short_s > self.stop_s and kept < use:
            lost_s += (1.0 - kept) * (self.short_s - self.stop_s)
        return self.detect_s + (lost_s + self.unsaved_s * use) / max(1e-3, 1.0 - use)
