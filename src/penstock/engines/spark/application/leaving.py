"""Executors that leave: what they hold moves to others first, and those that take too long are ended.

    lives -- let go of --> leaves: runs its last tasks, sends shuffle files and cached blocks away --> gone
                              |
                              +-- not within the time ----------------------------> ended -----------> gone

Which ones leave is decided once: whoever is asked again while some of them are still there asks no others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

LEAVES_WITHIN_S = 30.0  # 2 to 11 s where nothing else runs; a batch that lasts longer is done again elsewhere


@dataclass(frozen=True, slots=True)
class Parting:
    """Who is to be asked to leave now, who is to be ended, and since when each of those that leave does so."""

    asked: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    since_s: Mapping[str, float] = field(default_factory=dict)


def parting(
    living: Sequence[str], stay: int, since_s: Mapping[str, float], now: float, within_s: float = LEAVES_WITHIN_S
) -> Parting:
    """So many of the living are to stay; the youngest go, and those that leave already are among them.

    >>> first = parting(["1", "2", "10"], 2, {}, now=0.0)
    >>> first.asked, parting(["1", "2", "10"], 1, first.since_s, now=1.0).asked
    (('10',), ('2',))
    >>> parting(["1", "2", "10"], 2, first.since_s, now=30.0).ended
    ('10',)
    """
    leaving = {one: since_s[one] for one in living if one in since_s}
    others = sorted((one for one in living if one not in leaving), key=int, reverse=True)
    asked = tuple(others[: max(0, len(living) - stay - len(leaving))])
    leaving |= dict.fromkeys(asked, now)
    ended = tuple(one for one, since in leaving.items() if now - since >= within_s)
    return Parting(tuple(one for one in asked if one not in ended), ended, leaving)
