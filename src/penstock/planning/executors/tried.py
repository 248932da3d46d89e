"""How a trial goes, by what is measured: nobody takes its executors for less than it is to gain, as long as they help.

                  what waits is younger than two minutes ago: two minutes more
two minutes with  it is not: claims decide again, and by these the executors go back to whom they help
what was tried    it is no longer late: the same
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from penstock.core.seen.view import JobView
from penstock.planning.executors.awaited import is_behind

_JUDGED_AFTER_S = 120.0  # two batches with more executors, where one takes a minute


@dataclass(frozen=True, slots=True)
class ExecutorsTried:
    """When it was tried; what waited then, in seconds of arrivals, or when it was last judged; whether it helps.

    `first` is while its first batch had not ended: what it claims after that may be tried in its own right.
    """

    at_s: float
    since_s: float
    waits_s: float | None = None
    helps: bool = True
    first: bool = False

    def after(self, jobs: Sequence[JobView], at_s: float, comes: bool) -> "ExecutorsTried":
        """A round later; `comes` is while executors of the trial are yet to come: they cannot have helped.

        >>> ExecutorsTried(0.0, 0.0).after([], at_s=10.0, comes=True)
        ExecutorsTried(at_s=0.0, since_s=10.0, waits_s=None, helps=True, first=False)
        """
        waits_s = waits_for_s(jobs)
        if not self.helps:
            return self
        if comes:
            return replace(self, since_s=at_s, waits_s=waits_s)
        if all(is_behind(job) is False for job in jobs):
            return replace(self, helps=False)
        if at_s < self.since_s + _JUDGED_AFTER_S:
            return self
        if self.waits_s is None or (waits_s is not None and waits_s < self.waits_s):
            return replace(self, since_s=at_s, waits_s=waits_s)
        return replace(self, helps=False)


def waits_for_s(jobs: Sequence[JobView]) -> float | None:
    """How many seconds of arrivals wait, where most do; None where nobody can say."""
    found = [
        job.figures.backlog_rows / job.figures.arrival_rps
        for job in jobs
        if job.figures.backlog_rows is not None and job.figures.arrival_rps
    ]
    return max(found, default=None)
