"""Objectives of many tenants, those alike together: what is asked in the same shape is judged at once."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from penstock.core.asked.intents import Intent, Latency, Objective, Recovery
from penstock.core.asked.shapes import Shape

ObjectiveKind = Literal["latency", "juice", "recovery"]


@dataclass(frozen=True, slots=True)
class Objectives:
    """Objectives of one kind and shape: whose, with which target, and worth how much; the last three are alike long.

    `part` says which latency of a batch's rows is meant: 0 its newest row's, 1 its oldest's, a half the mean.
    """

    kind: ObjectiveKind
    shape: Shape
    part: float
    jobs: NDArray[np.intp]
    targets: NDArray[np.float64]
    worth: NDArray[np.float64]

    def of(self, places: NDArray[np.intp], size: int) -> "Objectives":
        """Those of the jobs at these places, of so many; a job that is there twice has its own twice."""
        where = np.full(size, -1)
        where[self.jobs] = np.arange(len(self.jobs))
        found = where[places]
        mine = np.flatnonzero(found >= 0)
        return replace(self, jobs=mine, targets=self.targets[found[mine]], worth=self.worth[found[mine]])


def grouped(intents: Iterable[Intent]) -> tuple[Objectives, ...]:
    """All objectives of these intents, which are the jobs' in their order."""
    # By place in its intent, too, so that nobody is in a group twice.
    found: dict[tuple[int, ObjectiveKind, Shape, float], list[tuple[int, float, float]]] = {}
    for job, intent in enumerate(intents):
        whole = sum(objective.utility for objective in intent.objectives)
        for place, objective in enumerate(intent.objectives):
            worth = objective.utility * intent.max_utility / whole
            key = (place, _kind(objective), objective.shape, _part(objective))
            found.setdefault(key, []).append((job, _target(objective), worth))
    return tuple(
        Objectives(
            *key[1:],
            np.array([one[0] for one in rows]),
            np.array([one[1] for one in rows]),
            np.array([one[2] for one in rows]),
        )
        for key, rows in found.items()
    )


def _kind(objective: Objective) -> ObjectiveKind:
    if isinstance(objective, Latency):
        return "latency"
    return "recovery" if isinstance(objective, Recovery) else "juice"


def _part(objective: Objective) -> float:
    percentile = objective.percentile if isinstance(objective, Latency) else None
    return 0.5 if percentile is None else percentile / 100.0


def _target(objective: Objective) -> float:
    return objective.target_s if isinstance(objective, Latency | Recovery) else objective.target
