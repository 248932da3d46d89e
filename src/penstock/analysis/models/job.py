"""All that is known of one job's behaviour, put together from its evidence as it counts now."""

from collections.abc import Sequence
from dataclasses import dataclass

from penstock.analysis.models.capacity import CapacityModel, capacity_model
from penstock.analysis.models.fading import HALF_LIFE_S, faded
from penstock.analysis.models.latency import LatencyModel, latency_model
from penstock.core.seen.evidence import Observation


@dataclass(frozen=True, slots=True)
class JobModel:
    """Capacity, and latency where enough of it was measured."""

    capacity: CapacityModel
    latency: LatencyModel | None

    def keeps_up(self, scaleout: int, rate_rps: float) -> bool:
        """Whether latency at that rate is valid; without a latency model, whether capacity exceeds the rate."""
        if self.latency is not None:
            return self.latency.valid(scaleout, rate_rps)
        return rate_rps < self.capacity.at(scaleout)

    def extrapolates(self, scaleout: int, rate_rps: float) -> bool:
        """Whether it speaks of what was never measured."""
        if self.latency is not None:
            return self.latency.extrapolates(scaleout, rate_rps)
        return self.capacity.extrapolates(scaleout)


def job_model(evidence: Sequence[Observation], now_s: float, half_life_s: float = HALF_LIFE_S) -> JobModel | None:
    """The models that the evidence supports now; None where no capacity was ever seen."""
    weighted = faded(evidence, now_s, half_life_s)
    capacity = capacity_model(weighted)
    return None if capacity is None else JobModel(capacity, latency_model(weighted, capacity))
