"""What penstock would have said of a failure the moment before it: from its stored memory, by its own models."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.config.profiles import read_profile
from penstock.core.known.batch_recovery import Batches, batch_recovery_time
from penstock.core.known.recovery import recovery_time
from penstock.core.seen.failures import FailureKind
from penstock.planning.phoebe.memory import PhoebeMemory
from penstock.planning.phoebe.outlook import outlook_of
from penstock.planning.phoebe.settings import PhoebeSettings
from penstock.store.gallery import Gallery
from penstock.store.open import find_run, open_store

_CURVE_S = 5.0
_CURVE_POINTS = 120
# Until one of the kind was seen: guesses.
FIRST_DOWNTIME_S: Mapping[str, float] = {"executor": 8.0, "query": 6.0, "driver": 60.0}
_LONGEST_DOWNTIME_S = 600.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """Before the failure: the rates to come, the capacity, and what recovery would take."""

    scaleout: int
    rate_rps: float
    capacity_rps: float
    checkpoint_s: float
    batches: Batches | None
    into_s: float  # since its last batch began
    curve: tuple[float, ...]  # rows a second, one for each five seconds from the failure on
    downtime_s: float  # the mean of those of its kind so far
    worst_s: float  # what the policy plans with: the longest downtime of any kind, a batch that is nearly done
    own_s: float | None  # what the policy itself foretells of that kind, as in its metrics

    @property
    def expected_s(self) -> float:
        """With the downtime that such failures had so far."""
        return self.recovery_s(self.downtime_s)

    def recovery_s(self, downtime_s: float) -> float:
        """With another downtime."""
        if self.batches is None:
            return recovery_time(self._rate, self.capacity_rps, self.checkpoint_s, downtime_s).total
        return batch_recovery_time(self._rate, self.capacity_rps, self.batches, downtime_s, self.into_s).total

    def downtime_of(self, recovered_s: float) -> float:
        """The downtime that explains a recovery: what such a failure really costs, cold starts included."""
        low_s, high_s = 0.0, _LONGEST_DOWNTIME_S
        while high_s - low_s > 0.1:
            middle_s = (low_s + high_s) / 2.0
            low_s, high_s = (middle_s, high_s) if self.recovery_s(middle_s) < recovered_s else (low_s, middle_s)
        return low_s

    def _rate(self, at_s: float) -> float:
        place = min(max(0.0, at_s) / _CURVE_S, len(self.curve) - 1.0)
        low = math.floor(place)
        return self.curve[low] + (self.curve[min(low + 1, len(self.curve) - 1)] - self.curve[low]) * (place - low)


def predicted(
    store: Path, job: str, kind: str, seen: Mapping[str, Sequence[float]], settings: PhoebeSettings, into_s: float
) -> Prediction | None:
    """From the newest cycle that is stored; None where nothing is known of the job just then.

    `seen` has the downtimes of each kind of failure so far; `into_s` is how long ago its last batch began.
    """
    opened = open_store(store, create=False)
    try:
        run = find_run(opened, "last")
        newest = Gallery(opened.database, run.id).newest()
        opened.begin(run)
        memory = opened.last_memory("phoebe", PhoebeMemory)
    finally:
        opened.close()
    if newest is None or memory is None or job not in memory.jobs:
        return None
    view = newest.view.job(job)
    outlook = outlook_of(view, memory.jobs[job], newest.view.at_s, settings)
    if outlook is None:
        return None
    ahead = outlook.ahead
    curve = tuple(ahead.curve(_CURVE_S * place) for place in range(_CURVE_POINTS))
    known = seen.get(kind) or (FIRST_DOWNTIME_S[kind],)
    return Prediction(
        scaleout=view.figures.threads,
        rate_rps=curve[0],
        capacity_rps=ahead.model.capacity.at(view.figures.threads),
        checkpoint_s=ahead.checkpoint_s,
        batches=ahead.batches,
        into_s=into_s,
        curve=curve,
        downtime_s=sum(known) / len(known),
        worst_s=ahead.recovery_s(view.figures.threads),
        own_s=ahead.kind_s(FailureKind(kind), view.figures.threads),
    )


def numbers_of(speed: float) -> dict[str, Any]:
    """The paper's numbers in the time of a load that is played faster."""
    return {
        "interval_s": 600.0 / speed,
        "bin_s": 120.0 / speed,
        "step_s": 60.0 / speed,
        "least_history": 8,
        "downtime_s": 60.0,
        "disturbance_s": 5.0,
    }


def settings_of(speed: float, profile: Path) -> PhoebeSettings:
    """Those of the run, as the policy has them."""
    return PhoebeSettings(profiles={profile.stem: read_profile(profile)}, **numbers_of(speed))
