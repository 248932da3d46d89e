"""What an application says that it will have with what it holds, and has not yet: nobody takes that away for less."""

from collections.abc import Sequence

from penstock.core.run import target_latency_s
from penstock.core.seen.view import JobView
from penstock.planning.executors.claims import Claim

_NOT_GIVEN_UP = 0.5  # of what it could have


def awaited(claim: Claim, tenants: Sequence[JobView], most: float) -> float:
    """How much better than it is it says that it will be with what it holds, unless it has worked off what waited.

    While it has not, nobody is sure what mends that: it is not given up for less than half of the most that it said
    lately.
    """
    late = [is_behind(job) for job in tenants]
    if not claim.worth or all(one is False for one in late):
        return 0.0
    still = claim.utility(claim.now) - sum(job.utility or 0.0 for job in tenants)
    return max(still, _NOT_GIVEN_UP * most if any(late) else 0.0)


def is_behind(job: JobView) -> bool | None:
    """Whether what waits is older than it asks for: figures look back for a while, and are late for longer than it."""
    target_s, waiting, arrival_rps = target_latency_s(job), job.figures.backlog_rows, job.figures.arrival_rps
    if target_s is None or waiting is None or not arrival_rps:
        return None
    return waiting > target_s * arrival_rps
