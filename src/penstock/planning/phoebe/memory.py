"""What is remembered of each job: its rates, what was measured of it, what failures and reconfigurations cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.evidence import Observation
from penstock.core.failures import Failure
from penstock.planning.rates import RateHistory


@dataclass(frozen=True, slots=True)
class JobMemory:
    """One job."""

    rates: RateHistory = RateHistory()
    evidence: tuple[Observation, ...] = ()  # from its service, oldest first
    looked_at_s: float | None = None  # when it was last evaluated
    disturbed_since_s: float | None = None  # by that, and not yet back to normal
    disturbances_s: tuple[float, ...] = ()  # how long reconfigurations disturbed it
    last_downtime_s: float | None = None  # as last told, so that each is counted once
    downtimes_s: tuple[float, ...] = ()  # as memories told them before failures had kinds
    failures: tuple[Failure, ...] = ()  # since then, oldest first

    @property
    def seen(self) -> tuple[Failure, ...]:
        """All failures that are remembered."""
        return (*(Failure(None, downtime_s) for downtime_s in self.downtimes_s), *self.failures)


@dataclass(frozen=True, slots=True)
class PhoebeMemory:
    """All jobs by name."""

    jobs: Mapping[str, JobMemory] = field(default_factory=dict)


def mean_or(values: tuple[float, ...], default: float) -> float:
    """The mean of what was seen, or what is assumed until something was."""
    return sum(values) / len(values) if values else default
