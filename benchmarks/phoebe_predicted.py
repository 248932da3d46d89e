"""What penstock would have said of a failure the moment before it: from its stored memory, by its own models."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.config.profiles import read_profile
from penstock.core.recovery import recovery_time
from penstock.planning.phoebe.memory import PhoebeMemory
from penstock.planning.phoebe.outlook import outlook_of
from penstock.planning.phoebe.settings import PhoebeSettings
from penstock.store.gallery import Gallery
from penstock.store.open import find_run, open_store

_CURVE_S = 5.0
_CURVE_POINTS = 120
# Until one of the kind was seen: guesses.
FIRST_DOWNTIME_S: Mapping[str, float] = {"executor": 8.0, "query": 6.0, "driver": 60.0}


@dataclass(frozen=True, slots=True)
class Prediction:
    """Before the failure: the rates to come, the capacity, and what recovery would take."""

    scaleout: int
    rate_rps: float
    capacity_rps: float
    checkpoint_s: float
    curve: tuple[float, ...]  # rows a second, one for each five seconds from the failure on
    downtime_s: float  # the mean of those of its kind so far
    expected_s: float
    worst_s: float  # what the policy plans with: the longest downtime of any kind

    def recovery_s(self, downtime_s: float) -> float:
        """With another downtime."""
        return _recovery(self.curve, self.capacity_rps, self.checkpoint_s, downtime_s)


def predicted(
    store: Path, job: str, kind: str, seen: Mapping[str, Sequence[float]], settings: PhoebeSettings
) -> Prediction | None:
    """From the newest cycle that is stored; None where nothing is known of the job just then."""
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
    capacity = ahead.model.capacity.at(view.figures.threads)
    known = seen.get(kind) or (FIRST_DOWNTIME_S[kind],)
    downtime_s = sum(known) / len(known)
    return Prediction(
        scaleout=view.figures.threads,
        rate_rps=curve[0],
        capacity_rps=capacity,
        checkpoint_s=ahead.checkpoint_s,
        curve=curve,
        downtime_s=downtime_s,
        expected_s=_recovery(curve, capacity, ahead.checkpoint_s, downtime_s),
        worst_s=ahead.recovery_s(view.figures.threads),
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


def _recovery(curve: Sequence[float], capacity_rps: float, checkpoint_s: float, downtime_s: float) -> float:
    def rate(at_s: float) -> float:
        place = min(max(0.0, at_s) / _CURVE_S, len(curve) - 1.0)
        low = math.floor(place)
        return curve[low] + (curve[min(low + 1, len(curve) - 1)] - curve[low]) * (place - low)

    return recovery_time(rate, capacity_rps, checkpoint_s, downtime_s).total
