"""Who leads, of several coordinators: a lease that must be renewed, and an epoch that only rises.

Kept in a database or in a Kubernetes API server; whoever leads shows it to those that it orders about.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Leader:
    """Who leads in which epoch; `ours` where it is whoever asked.

    `lapsed` is the place of the one before where its lease ran out: it ended without letting go, or stood still.
    """

    holder: str
    place: str
    epoch: int
    ours: bool
    lapsed: str | None = None


class Lease(Protocol):
    """One lease, asked for by one coordinator."""

    def take(self, lease_s: float) -> Leader:
        """Begin to lead, or go on with it, for so long; where somebody else leads, who it is.

        An OutageError where nobody can say.
        """

    def release(self) -> None:
        """Let another lead at once."""

    def close(self) -> None:
        """Let go of what keeps it; the lease itself is left as it is."""
