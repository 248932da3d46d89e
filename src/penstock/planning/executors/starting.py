"""Applications that work off what waited when they began: none of them gives its share by worth to another.

What such a one says of executors is of its backlog: for a while it may say that no number of them helps it much, and it
needs them all the same, to come back at all. So does the other one, whose claim is as early. Until one of them has
caught up with its start, their shares by worth decide between them, and claims decide over what either holds beyond.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from penstock.core.seen.view import JobView
from penstock.planning.executors.awaited import is_behind
from penstock.planning.executors.claims import Claim, TenantsOf
from penstock.planning.executors.first_batches import has_begun, is_new, shares_by_worth


def starting_after(before: Set[str], claims: Iterable[Claim], tenants: TenantsOf) -> frozenset[str]:
    """Those that work off their starts now; `before` are those that did a round ago."""
    return frozenset(claim.name for claim in claims if _starts(claim, tenants[claim.name], claim.name in before))


def _starts(claim: Claim, jobs: Sequence[JobView], did: bool) -> bool:
    """Whether its first batches have not told yet, or it has been late ever since."""
    if not claim.worth:
        return any(map(is_new, jobs))
    return (did or has_begun(jobs)) and any(is_behind(job) is True for job in jobs)


def with_own(claims: tuple[Claim, ...], tenants: TenantsOf, starting: Set[str], slots: int) -> tuple[Claim, ...]:
    """The claims, with what those that work off their starts keep from one another."""
    if len(starting) < 2:
        return claims
    shares = shares_by_worth(tenants, claims, slots)
    return tuple(replace(one, own=shares[one.name]) if one.name in starting else one for one in claims)
