"""What a policy foretells of tenants, and how far off it has been: every decision is made on a prediction.

A figure that nobody foretold, or that was absent when the decision was made, is None.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Foretold:
    """What a decision expects of one tenant; `was_` is the same before it, as things stood."""

    job: str
    latency_s: float | None
    juice: float | None
    utility: float
    was_latency_s: float | None
    was_juice: float | None
    was_utility: float

    @property
    def gain(self) -> float:
        """What it wins, or loses, of utility."""
        return self.utility - self.was_utility


@dataclass(frozen=True, slots=True)
class Error:
    """The running record of a policy's own error about one tenant.

    `share` is the mean distance between the utility foretold and the one that came, as a share of the tenant's
    maximum, over `of` comparisons.
    """

    job: str
    share: float
    of: int
