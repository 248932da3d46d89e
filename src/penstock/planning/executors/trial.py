"""A trial: who is late and foretold to stay so with any number of executors gets those that help nobody else.

Costs that were learnt on a busy machine, or while code was new, are several times what they will be. And a tenth of
what rows cost decides whether whoever is minutes late ever catches up: then it says that no number of executors helps,
and by that nobody would ever try. So it is tried, the most valuable first, up to its share by worth: with executors
that nobody holds, and with those without which others that are worth less foretell to do as well. By what it says of
them itself, they go back as soon as anybody else gains by them. Each is tried once in ten minutes.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from penstock.core.seen.view import JobView
from penstock.planning.executors.awaited import is_behind
from penstock.planning.executors.claims import Claim, TenantsOf
from penstock.planning.executors.first_batches import (
    could_lend,
    kept_for_new,
    most_first,
    shares_by_worth,
    works_on_its_first,
    worth_together,
)

AGAIN_AFTER_S = 600.0
_NEXT_TO_NOTHING = 0.1  # of what its tenants could have


@dataclass(frozen=True, slots=True)
class ExecutorsTrial:
    """Who is tried, and what each is to hold then."""

    name: str
    target: Mapping[str, int]


def trial_of(
    claims: Sequence[Claim], tenants: TenantsOf, resting: Set[str], recent: Set[str], slots: int
) -> ExecutorsTrial | None:
    """None where there is nobody to try, or nothing to try it with.

    Nobody gives or gets who was moved a moment ago (`resting`); `recent` are those that were tried not long ago.
    """
    shares = shares_by_worth(tenants, claims, slots)
    free = slots - sum(max(claim.now, claim.least) * claim.cores for claim in claims)
    free = max(0, free - kept_for_new(tenants, claims, slots))
    for claim in sorted(claims, key=lambda one: (-worth_together(tenants[one.name]), one.name)):
        lacks = shares[claim.name] - claim.now
        if lacks <= 0 or claim.name in resting | recent or not _nobody_knows_better(claim, tenants[claim.name]):
            continue
        worth = worth_together(tenants[claim.name])
        others = [one for one in claims if one.name not in resting and worth_together(tenants[one.name]) < worth]
        lend = most_first(others, {one.name: could_lend(one) for one in others}, lacks * claim.cores - free)
        lent = sum(lend.get(one.name, 0) * one.cores for one in others)
        more = min(lacks, (free + lent) // claim.cores)
        if more > 0:
            target = {one.name: one.now - lend.get(one.name, 0) for one in claims}
            return ExecutorsTrial(claim.name, {**target, claim.name: claim.now + more})
    return None


def _nobody_knows_better(claim: Claim, jobs: Sequence[JobView]) -> bool:
    """Whether it works on its first batch, or is late and says that it will be with any number of executors."""
    if not claim.worth:
        return any(map(works_on_its_first, jobs))
    hopeless = claim.most_utility < _NEXT_TO_NOTHING * worth_together(jobs)
    return hopeless and any(is_behind(job) is True for job in jobs)
