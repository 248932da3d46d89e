"""Executors that nothing helps now stand by where a rise of load would cost the most: in calm, when nothing else moves.

Who gives keeps what does as well for it now, and a move is to gain as much in a rise, on average, as any other is to
gain at once.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import ceil

from penstock.core.seen.view import JobView
from penstock.planning.executors.claims import Claim, TenantsOf
from penstock.planning.executors.reserve import FEARED, SEEN_S, reserve_of
from penstock.planning.executors.rises import UsualLoad


def in_calm(
    claims: Sequence[Claim], tenants: TenantsOf, resting: Set[str], loads: Mapping[str, UsualLoad], starts_s: float
) -> tuple[Claim, ...]:
    """What each claims for a rise alone; empty where it is not calm.

    It is not as long as anybody is late, or nobody knows what executors are worth to somebody: they may need those that
    nothing helps. Who was moved a moment ago keeps what it has.
    """
    if any(one.awaited > one.unsure or not one.worth for one in claims):
        return ()
    return tuple(
        replace(one, worth=())
        if one.name in resting
        else _for_a_rise(one, tenants[one.name], loads.get(one.name), SEEN_S + starts_s)
        for one in claims
    )


def _for_a_rise(claim: Claim, tenants: Sequence[JobView], load: UsualLoad | None, answered_s: float) -> Claim:
    rises = FEARED if load is None else load.rises
    reserve = replace(reserve_of(claim.worth, claim.now, tenants), rises=rises, answered_s=answered_s)
    least = max(claim.least, min(claim.now, ceil(reserve.enough)))
    return replace(claim, least=least, worth=((float(claim.now), claim.utility(claim.now)),), reserve=reserve)
