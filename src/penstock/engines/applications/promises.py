"""Promises: who gives is told at once, who takes is promised no more than is free by then.

An executor counts as long as somebody holds it or was promised it. So what is promised and what is held never exceed
what there is together, however late executors go or come.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promised:
    """One application: what it holds, what it was promised, and what it is to have in the end.

    `cores` are those of one executor; `since_s` says since when it waits for more.
    """

    name: str
    cores: int
    held: int
    promised: int
    wanted: int
    since_s: float = 0.0


def promises(standings: Sequence[Promised], cores: int | None) -> dict[str, int]:
    """What each is promised from now on; `cores` are all that they can have together, None where nobody knows.

    >>> clicks, fraud = Promised("clicks", 1, 3, 3, 1), Promised("fraud", 1, 1, 1, 3)
    >>> promises([clicks, fraud], 4)  # clicks has let none go yet
    {'clicks': 1, 'fraud': 1}
    >>> promises([Promised("clicks", 1, 2, 1, 1), fraud], 4)
    {'clicks': 1, 'fraud': 2}
    """
    found = {one.name: min(one.promised, one.wanted) for one in standings}
    if cores is None:
        return found
    free = cores - sum(max(one.held, found[one.name]) * one.cores for one in standings)
    for one in sorted(_wanting(standings), key=lambda one: (one.since_s, one.name)):
        kept = max(one.held, one.promised)  # what it holds over its promise is its own for the asking
        more = min(one.wanted, kept + max(0, free) // one.cores)
        if more > one.promised:
            found[one.name] = more
            free -= max(0, more - kept) * one.cores
    return found


def _wanting(standings: Iterable[Promised]) -> list[Promised]:
    return [one for one in standings if one.wanted > one.promised]
