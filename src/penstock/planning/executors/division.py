"""The division of a cluster's cores among applications that gives most utility together: exact, by their claims.

A table over applications and cores (a knapsack): for each application in turn, and each number of cores that those so
far may have, the best number of executors. 1,000 applications on 4,000 cores take some tenths of a second.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import gcd

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.planning.executors.claims import Claim

_LACKS = 1e9  # of utility, for each executor less than the least that an application needs: no utility makes up for it
_ALL_COUNTS = 24  # so many numbers of executors are all looked at; of more those at which its worth bends


def divided(claims: Sequence[Claim], cores: int, move_costs: float = 0.0) -> Mapping[str, int]:
    """Executors of each application. Whoever says nothing keeps what it has, within its least and its most.

    Executors move for more than what is not known of their worth: those concerned gain more together than all of them
    may be wrong by (`Claim.unsure`), than givers still wait for (`Claim.awaited`), and `move_costs` of utility for each
    executor more or less. Nobody is taken below what it needs, and what an application has below that is not taken
    either. What somebody needs to live at all, or what there is no room for, is moved whatever that gains. Of those
    that work off their starts none gets what another of them keeps as its own (`Claim.own`).

    >>> fraud = Claim("fraud", 1, 1, 4, worth=((1, 0.0), (3, 40.0)))
    >>> clicks = Claim("clicks", 3, 1, 4, worth=((1, 9.0), (3, 10.0)))
    >>> divided([fraud, clicks], 4)
    {'fraud': 3, 'clicks': 1}
    """
    if not claims:
        return {}
    found = _best(claims, cores, move_costs)
    if not _takes_own(claims, found, cores):
        return found
    ways = _givers_keep_theirs(claims), _takers_get_none(claims)
    tried = [_best(way, cores, move_costs) for way in ways]
    return max(tried, key=lambda target: sum(_value(claim, target[claim.name], move_costs) for claim in claims))


def _takes_own(claims: Sequence[Claim], target: Mapping[str, int], cores: int) -> bool:
    """Whether those that work off their starts would get more than is free and than others give of what is not own.

    Not where there is room for less than all hold: then somebody has to give in any case.
    """
    free = cores - sum(claim.now * claim.cores for claim in claims)
    if free < 0 or sum(claim.own is not None for claim in claims) < 2:
        return False
    given = sum(max(0, claim.now - max(_own(claim), target[claim.name])) * claim.cores for claim in claims)
    starting = [claim for claim in claims if claim.own is not None]
    return sum(max(0, target[claim.name] - claim.now) * claim.cores for claim in starting) > free + given


def _own(claim: Claim) -> int:
    return min(claim.now, claim.own or 0)


def _givers_keep_theirs(claims: Sequence[Claim]) -> list[Claim]:
    return [replace(claim, least=max(claim.least, _own(claim))) for claim in claims]


def _takers_get_none(claims: Sequence[Claim]) -> list[Claim]:
    return [
        claim if claim.own is None else replace(claim, most=max(claim.least, min(claim.most, claim.now)))
        for claim in claims
    ]


def _best(claims: Sequence[Claim], cores: int, move_costs: float) -> dict[str, int]:
    unit = reduce(gcd, (claim.cores for claim in claims))
    needed = sum(_lowest(claim) * claim.cores for claim in claims)
    room = max(cores, needed) // unit
    options = [_options(claim, room * unit) for claim in claims]
    best: Floats = np.zeros(room + 1)
    chosen: list[NDArray[np.intp]] = []
    for claim, counts in zip(claims, options, strict=True):
        takes = [count * claim.cores // unit for count in counts]
        best, places = _with_one_more(best, takes, [_value(claim, count, move_costs) for count in counts])
        chosen.append(places)
    return _read_back(claims, options, chosen, unit, room)


def _lowest(claim: Claim) -> int:
    """What it keeps whatever happens."""
    return min(claim.now, claim.least if claim.worth else claim.most)


def _options(claim: Claim, cores: int) -> list[int]:
    """The numbers of executors that it may come to, those that change least first."""
    lowest, most = _lowest(claim), min(claim.most, cores // claim.cores)
    if not claim.worth:
        counts = set(range(lowest, max(lowest, min(claim.least, most)) + 1))
    elif most - lowest <= _ALL_COUNTS:
        counts = set(range(lowest, most + 1))
    else:
        bends = {int(executors) for executors, _ in claim.worth}
        counts = {n for n in (lowest, claim.least, claim.now, most, *bends) if lowest <= n <= most}
    return sorted(counts or {lowest}, key=lambda count: (abs(count - claim.now), count))


def _value(claim: Claim, count: int, move_costs: float) -> float:
    lacks = max(0, claim.least - count)
    unsure = claim.unsure if count != claim.now else 0.0
    awaited = claim.awaited if count < claim.now else 0.0
    worth = claim.utility(count) + claim.reserve.value(count)
    return worth - unsure - awaited - move_costs * abs(count - claim.now) - _LACKS * lacks


def _with_one_more(before: Floats, takes: Sequence[int], values: Sequence[float]) -> tuple[Floats, NDArray[np.intp]]:
    """The best of those before and one more, which takes so much from them for that value; and which it then takes.

    Of several that give the same it is the first: what changes least.
    """
    best, places = np.full_like(before, -np.inf), np.zeros(len(before), dtype=np.intp)
    for place, (taken, value) in enumerate(zip(takes, values, strict=True)):
        left = before[: max(0, len(before) - taken)] + value
        better = left > best[taken:]
        np.copyto(best[taken:], left, where=better)
        np.copyto(places[taken:], place, where=better)
    return best, places


def _read_back(
    claims: Sequence[Claim], options: Sequence[Sequence[int]], chosen: Sequence[NDArray[np.intp]], unit: int, room: int
) -> dict[str, int]:
    found: dict[str, int] = {}
    left = room
    for claim, counts, places in reversed(list(zip(claims, options, chosen, strict=True))):
        count = counts[int(places[left])]
        found[claim.name] = count
        left -= count * claim.cores // unit
    return {claim.name: found[claim.name] for claim in claims}
