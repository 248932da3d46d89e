"""Applications whose first batch does not end: nobody knows what executors are worth to them before it has.

After an outage it may hold hours of rows, and one executor work on it for as long. What nobody uses goes to them, the
most valuable first, twice as many each time; nobody else is to give anything for what is not known.
"""

from collections.abc import Mapping, Sequence, Set

from penstock.core.view import JobView, View
from penstock.planning.executors.claims import Claim, tenants_of

_BUSY = 0.8  # of its slots' time: who has fewer tasks than that makes no use of more executors


def to_first_batches(view: View, claims: Sequence[Claim], resting: Set[str]) -> Mapping[str, int]:
    """The executors of those who get some of what nobody holds."""
    left = (view.slots or 0) - sum(claim.now * claim.cores for claim in claims)
    waiting = [claim for claim in claims if not claim.worth and claim.name not in resting]
    tenants = tenants_of(view, [claim.name for claim in waiting])
    target = {}
    for claim in sorted(waiting, key=lambda one: -sum(job.max_utility for job in tenants[one.name])):
        more = min(claim.now, claim.most - claim.now, left // claim.cores)
        if more > 0 and any(_works_on_its_first(job) for job in tenants[claim.name]):
            target[claim.name] = claim.now + more
            left -= more * claim.cores
    return target


def _works_on_its_first(job: JobView) -> bool:
    """Once no row has come through for long it is in trouble, too; but its query runs."""
    busy = [unit.capacity for unit in job.figures.operators if unit.capacity is not None]
    return job.figures.up_s is not None and job.utility is None and max(busy, default=0.0) >= _BUSY
