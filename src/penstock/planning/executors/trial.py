"""A trial: who is late, and of whom nobody knows whether executors help, gets some to find that out.

Costs that were learnt on a busy machine, or while code was new, are several times what they will be. And a tenth of
what rows cost decides whether whoever is minutes late ever catches up: then it says that no number of executors helps,
and by that nobody would ever try. So it is tried, the most valuable first, up to its share by worth: with executors
that nobody holds, and with those of others that are worth less.

    it may help at even chances   what it is to gain is half of what it is worth, once it has its share
    givers                        do as well without by their own word; or hold more than their share by worth, and
                                  lose less than that gain by all that they say and still wait for
    then                          nobody takes them for less than that gain while what waits gets younger
    once it does not, or is back  claims decide again, and by these they go back

Each is tried once in ten minutes.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from penstock.core.seen.view import JobView
from penstock.planning.executors.awaited import is_behind
from penstock.planning.executors.claims import Claim, TenantsOf
from penstock.planning.executors.division import divided
from penstock.planning.executors.first_batches import (
    could_lend,
    kept_for_new,
    shares_by_worth,
    works_on_its_first,
    worth_together,
)

AGAIN_AFTER_S = 600.0
_NEXT_TO_NOTHING = 0.1  # of what its tenants could have
_CHANCE = 0.5  # that executors help one of whom nobody knows


@dataclass(frozen=True, slots=True)
class ExecutorsTrial:
    """Who is tried, and what each is to hold then."""

    name: str
    target: Mapping[str, int]


def trial_of(
    claims: Sequence[Claim],
    tenants: TenantsOf,
    resting: Set[str],
    recent: Set[str],
    slots: int,
    move_costs: float = 0.0,
) -> ExecutorsTrial | None:
    """None where there is nobody to try, or nothing to try it with.

    Nobody gives or gets who was moved a moment ago (`resting`); `recent` are those that were tried not long ago.
    """
    shares = shares_by_worth(tenants, claims, slots)
    held = sum(max(claim.now, claim.least) * claim.cores for claim in claims)
    room = max(held, slots - kept_for_new(tenants, claims, slots))
    for claim in sorted(claims, key=lambda one: (-worth_together(tenants[one.name]), one.name)):
        jobs = tenants[claim.name]
        if claim.name in resting | recent or shares[claim.name] <= claim.now or not _nobody_knows_better(claim, jobs):
            continue
        target = divided([_in_trial(one, claim, tenants, shares, resting) for one in claims], room, move_costs)
        if target[claim.name] > claim.now:
            return ExecutorsTrial(claim.name, target)
    return None


def gain_of(jobs: Sequence[JobView]) -> float:
    """What a trial of these is to gain: nobody knows whether it does."""
    return _CHANCE * worth_together(jobs)


def _in_trial(one: Claim, tried: Claim, tenants: TenantsOf, shares: Mapping[str, int], resting: Set[str]) -> Claim:
    """What each counts for in it: nobody gets any but who is tried, and that one gives none."""
    jobs = tenants[tried.name]
    if one.name == tried.name:
        gains = ((one.now, 0.0), (shares[one.name], gain_of(jobs)))
        return replace(one, least=one.now, most=shares[one.name], worth=gains, unsure=0.0, awaited=0.0, own=None)
    gives = one.worth and one.name not in resting and worth_together(tenants[one.name]) < worth_together(jobs)
    spared = one.now - could_lend(one)
    keeps = min(spared, shares[one.name]) if tried.worth else spared  # nobody is to lose by one that has not told yet
    least = max(1, one.least, keeps) if gives else one.now
    return replace(one, least=min(least, one.now), most=one.now, own=None)


def _nobody_knows_better(claim: Claim, jobs: Sequence[JobView]) -> bool:
    """Whether it works on its first batch, or is late and says that it will be with any number of executors."""
    if not claim.worth:
        return any(map(works_on_its_first, jobs))
    hopeless = claim.most_utility < _NEXT_TO_NOTHING * worth_together(jobs)
    return hopeless and any(is_behind(job) is True for job in jobs)
