"""The last failure of a job: its query's or its driver's, or an executor's that it ran on without."""

from dataclasses import dataclass

from penstock.core.seen.failures import FailureKind
from penstock.engines.lost_executors import JobLoss
from penstock.engines.spark.jobs.restarts import Attempts


@dataclass(frozen=True, slots=True)
class LastFailure:
    """As far as it is known; `downtime_s` is None as long as nobody can say what it costs."""

    lost: FailureKind | None = None
    at_s: float | None = None
    downtime_s: float | None = None
    short_s: float | None = None
    short_of: float | None = None
    slowed: float | None = None


def last_failure(attempts: Attempts, loss: JobLoss | None) -> LastFailure:
    """Of both the later one; a query that is down has failed last in any case.

    While one lasts, the downtime of that before would be taken for its own. A lost executor is no downtime.
    """
    if attempts.down_since_s is not None:
        return LastFailure(attempts.down_by, attempts.failed_s)
    if loss is None or (attempts.failed_s is not None and attempts.failed_s > loss.since_s):
        return LastFailure(attempts.lost, attempts.failed_s, attempts.downtime_s)
    if loss.short_s is None:
        return LastFailure(FailureKind.EXECUTOR, loss.since_s)
    return LastFailure(FailureKind.EXECUTOR, loss.since_s, 0.0, loss.short_s, loss.threads, loss.slowed)
