"""The last failure of a job: its query's or its driver's, or an executor's that it ran on without."""

from penstock.engines.lost_executors import JobLoss, LastFailure
from penstock.engines.spark.jobs.restarts import Attempts


def last_failure(attempts: Attempts, loss: JobLoss | None) -> LastFailure:
    """Of both the later one; a query that is down has failed last in any case.

    While one lasts, the downtime of that before would be taken for its own.
    """
    if attempts.down_since_s is not None:
        return LastFailure(attempts.down_by, attempts.failed_s)
    if loss is None or (attempts.failed_s is not None and attempts.failed_s > loss.since_s):
        return LastFailure(attempts.lost, attempts.failed_s, attempts.downtime_s)
    return loss.failure
