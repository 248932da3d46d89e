"""Contacts: those from whom a fleet's figures come, and how long ago each was heard."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final, Self

AWAY_S: Final = 30.0  # what a cluster manager said so long ago is no ground to promise executors


@dataclass(frozen=True, slots=True)
class Contacts:
    """`agents_s` is how long ago the agent of each application reported, `cluster_s` how long ago the cluster manager
    said what there is; None, as there are no agents, where nobody is governed but one application.
    """

    agents_s: Mapping[str, float] = field(default_factory=dict)
    cluster_s: float | None = None

    @property
    def cluster_away_s(self) -> float | None:
        """How long the cluster manager has not answered; None while it does."""
        return self.cluster_s if self.cluster_s is not None and AWAY_S < self.cluster_s < inf else None

    def agent_s(self, job: str) -> float | None:
        """Of a tenant, by its name in the fleet: that of its application, or what stands before a stroke in it.

        >>> Contacts({"shop": 75.0}).agent_s("shop/ads"), Contacts({"shop": 75.0}).agent_s("ads")
        (75.0, None)
        """
        while job and job not in self.agents_s:
            job = job.rpartition("/")[0]
        return self.agents_s.get(job)

    def later(self, by_s: float) -> Self:
        """The same where nothing was heard for so much longer."""
        agents_s = {name: heard_s + by_s for name, heard_s in self.agents_s.items()}
        return replace(self, agents_s=agents_s, cluster_s=None if self.cluster_s is None else self.cluster_s + by_s)
