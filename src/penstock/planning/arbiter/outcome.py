"""The outcome of any shares and bounds: what every tenant would have over the next seconds."""

from dataclasses import dataclass

import numpy as np

from penstock.planning.arbiter.fleet import Fleet, Floats
from penstock.planning.arbiter.horizon import course
from penstock.planning.arbiter.sharing import Pace, conditions, pace
from penstock.planning.arbiter.worth import worth

HORIZON_S = 40.0
DOWN_S = 15.0  # from a failure until a query works on rows again, where none was seen


@dataclass(frozen=True, slots=True)
class Settings:
    """A candidate for every row: each job's weight in its pool, and the bound of its batches."""

    weights: Floats
    bounds: Floats

    def __len__(self) -> int:
        return len(self.weights)

    def row(self, place: int) -> "Settings":
        """One of them, as the only one."""
        return Settings(self.weights[place : place + 1], self.bounds[place : place + 1])


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of every candidate (first axis) and job: utility over the horizon, latency and juice once it has settled."""

    utility: Floats
    settled: Floats  # utility once it has settled
    latency_s: Floats
    juice: Floats

    def row(self, place: int) -> "Outcome":
        """Of one candidate, as the only one."""
        rows = slice(place, place + 1)
        return Outcome(self.utility[rows], self.settled[rows], self.latency_s[rows], self.juice[rows])

    @property
    def total(self) -> Floats:
        """Of all jobs together."""
        total: Floats = self.utility.sum(axis=1)
        return total


def present(fleet: Fleet) -> Settings:
    """How all levers stand."""
    return Settings(fleet.weights[None, :].copy(), fleet.bounds[None, :].copy())


def foretell(fleet: Fleet, settings: Settings, horizon_s: float = HORIZON_S) -> Outcome:
    """What each candidate would give, over the futures that are thought of."""
    found = [_in_future(fleet.ahead(future), settings, horizon_s) for future in fleet.futures]
    utility = sum(
        (future.likely * one.utility for one, future in zip(found, fleet.futures, strict=True)),
        np.zeros_like(settings.bounds),
    )
    return Outcome(utility, found[0].settled, found[0].latency_s, found[0].juice)


def _in_future(ahead: Fleet, settings: Settings, horizon_s: float) -> Outcome:
    found = pace(ahead, conditions(ahead, settings.weights, settings.bounds, horizon_s))
    lived = course(ahead, found, settings.bounds, horizon_s)
    judged = worth(ahead.objectives, lived, recovery_s(ahead, found, settings.bounds))
    return Outcome(judged.utility, judged.settled, judged.latency_s, judged.juice)


def recovery_s(fleet: Fleet, found: Pace, bounds: Floats) -> Floats:
    """How long after a failure a job would be back to normal: its downtime, and working off what came meanwhile."""
    rows = np.minimum(bounds, np.maximum(fleet.arrivals * DOWN_S, 1.0))
    most_rps = rows / np.maximum(np.maximum(found.took_s(rows), 1e-6), np.where(bounds <= rows, fleet.trigger_s, 0.0))
    down_s = np.array([job.figures.downtime_s or DOWN_S for job in fleet.jobs])
    spare_rps = most_rps - fleet.arrivals
    behind_s = np.where(spare_rps > 0, fleet.arrivals * down_s / np.maximum(spare_rps, 1e-9), np.inf)
    recovery: Floats = down_s + behind_s
    return recovery
