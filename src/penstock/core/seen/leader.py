"""Who leads, of several coordinators: a lease that must be renewed, and an epoch that only rises.

Kept in a database or in a Kubernetes API server; whoever leads shows it to those that it orders about.
"""

from dataclasses import dataclass
from typing import Protocol

_LATEST = 2**52  # a later one nobody hands out: messages hold whole numbers up to 2**53
# An agent may say that it obeys a later epoch than ours, and it is believed up to here: of one that lies
# with a larger number no epoch would be left for anybody.
LATEST_HEEDED = 2**50
LONGEST_S = 86_400.0  # a lease is seconds: one that is said to go on for longer was damaged, or its clock was set back


@dataclass(frozen=True, slots=True)
class Leader:
    """Who leads in which epoch; `ours` where it is whoever asked.

    `lapsed` is the place of the one before where its lease ran out: it ended without letting go, or stood still.
    `rose`: it was ours all the time, and goes on in an epoch above the one that was asked for.
    """

    holder: str
    place: str
    epoch: int
    ours: bool
    lapsed: str | None = None
    rose: bool = False


class Lease(Protocol):
    """One lease, asked for by one coordinator."""

    def take(self, lease_s: float, above: int = 0) -> Leader:
        """Begin to lead, or go on with it, for so long; where somebody else leads, who it is.

        Whoever leads does so in an epoch above `above`.
        An OutageError where nobody can say.
        """

    def release(self) -> None:
        """Let another lead at once."""

    def close(self) -> None:
        """Let go of what keeps it; the lease itself is left as it is."""


def next_epoch(known: int, now_s: float) -> int:
    """The epoch after `known`, begun at `now_s`, in seconds since 1970.

    By the clock, since `known` may not be all: a new store, or one from a backup, has not heard of epochs that agents
    obey already, and what comes later is later than these too as long as the clock is right. By `known` where that is
    wrong: among those of one store an epoch rises whatever the clock says.

    >>> next_epoch(1, 1_795_000_000.5), next_epoch(1_795_000_000, 1_794_996_400.0)
    (1795000000, 1795000001)

    Where `known` can be none, for somebody has written into what keeps it, the clock is all there is.

    >>> next_epoch(2**60, 1_795_000_000.0), next_epoch(-7, 0.0)
    (1795000000, 1)
    """
    return max(known + 1 if known < _LATEST else 1, int(now_s), 1)
