"""The outcome of any shares and bounds: what every tenant would have over the next seconds."""

from dataclasses import dataclass, fields

import numpy as np

from penstock.core.arrays import Floats
from penstock.planning.arbiter.candidates import Settings, blocks, columns
from penstock.planning.arbiter.fleet import DOWN_S, Fleet
from penstock.planning.arbiter.horizon import course
from penstock.planning.arbiter.sharing import Pace, paced
from penstock.planning.arbiter.worth import CandidateWorth, utilities, worth

HORIZON_S = 40.0
FURTHEST = 4.0  # times the horizon, where backlogs are older than that


@dataclass(frozen=True, slots=True)
class CandidateOutcomes:
    """Of every candidate (first axis) and job: utility over the horizon, latency and juice once it has settled."""

    utility: Floats
    founded: Floats  # utility over those futures that something speaks for
    settled: Floats  # utility once it has settled
    latency_s: Floats
    juice: Floats

    def row(self, place: int) -> "CandidateOutcomes":
        """Of one candidate, as the only one."""
        rows = slice(place, place + 1)
        return CandidateOutcomes(
            self.utility[rows], self.founded[rows], self.settled[rows], self.latency_s[rows], self.juice[rows]
        )

    @property
    def total(self) -> Floats:
        """Of all jobs together."""
        total: Floats = self.utility.sum(axis=1)
        return total


def looked_ahead_s(fleet: Fleet, horizon_s: float, furthest: float = FURTHEST) -> float:
    """How far it looks ahead, at most so many times the horizon: to whoever sees seconds, a backlog of minutes is not
    worth working off.

    Only where a latency is asked for: what of the input is processed has nothing to do with how old it is.
    """
    age_s = fleet.backlog / fleet.arrivals
    oldest_s = max(
        (float(age_s[alike.jobs].max()) for alike in fleet.objectives if alike.kind == "latency"), default=0.0
    )
    return min(max(horizon_s, 2.0 * oldest_s), furthest * horizon_s)


def foretell(fleet: Fleet, settings: Settings, horizon_s: float = HORIZON_S) -> CandidateOutcomes:
    """What each candidate would give, over the futures that are thought of."""
    ahead, all_settings = fleet.in_all_futures(len(settings)), settings.again(len(fleet.futures))
    found = lived(ahead, all_settings, paced(ahead, all_settings, horizon_s, len(fleet.futures)), horizon_s)
    by_future = found.utility.reshape(len(fleet.futures), len(settings), fleet.size)
    likely = np.array([future.likely for future in fleet.futures])
    founded = np.where([future.feared for future in fleet.futures], 0.0, likely)
    first = slice(len(settings))
    return CandidateOutcomes(
        utility=np.tensordot(likely, by_future, 1),
        founded=np.tensordot(founded / founded.sum(), by_future, 1),
        settled=found.settled[first],
        latency_s=found.latency_s[first],
        juice=found.juice[first],
    )


def totals(fleet: Fleet, settings: Settings, horizon_s: float) -> Floats:
    """Only the utility of all jobs together that each candidate would give, for many to be compared by."""
    ahead, all_settings = fleet.in_all_futures(len(settings)), settings.again(len(fleet.futures))
    found = paced(ahead, all_settings, horizon_s, len(fleet.futures))
    utility = np.concatenate(
        [
            gained(ahead.part(jobs), columns(all_settings, jobs), columns(found, jobs), horizon_s)
            for jobs in blocks(ahead.size, len(all_settings))
        ],
        axis=1,
    )
    likely = np.array([future.likely for future in fleet.futures])
    total: Floats = np.tensordot(likely, utility.reshape(len(likely), len(settings), fleet.size), 1).sum(axis=1)
    return total


def lived(ahead: Fleet, settings: Settings, found: Pace, horizon_s: float) -> CandidateWorth:
    """What that pace is worth to each job over the horizon, under every candidate."""
    parts = [
        _lived(ahead.part(jobs), columns(settings, jobs), columns(found, jobs), horizon_s)
        for jobs in blocks(ahead.size, len(settings))
    ]
    names = [one.name for one in fields(CandidateWorth)]
    return CandidateWorth(*(np.concatenate([getattr(part, name) for part in parts], axis=1) for name in names))


def _lived(ahead: Fleet, settings: Settings, found: Pace, horizon_s: float) -> CandidateWorth:
    batches = course(ahead, found, settings, horizon_s)
    return worth(ahead.objectives, batches, lambda: recovery_s(ahead, found, settings))


def gained(ahead: Fleet, settings: Settings, found: Pace, horizon_s: float) -> Floats:
    """Only the utility of it, of as many jobs as are looked at at once."""
    batches = course(ahead, found, settings, horizon_s)
    return utilities(ahead.objectives, batches, lambda: recovery_s(ahead, found, settings))


def recovery_s(fleet: Fleet, found: Pace, settings: Settings) -> Floats:
    """How long after a failure a job would be back to normal: its downtime, and working off what came meanwhile."""
    bounds = settings.bounds
    rows = np.minimum(bounds, np.maximum(fleet.arrivals * DOWN_S, 1.0))
    most_rps = rows / np.maximum(np.maximum(found.took_s(rows), 1e-6), np.where(bounds <= rows, settings.triggers, 0.0))
    spare_rps = most_rps - fleet.arrivals
    behind_s = np.where(spare_rps > 0, fleet.arrivals * fleet.down_s / np.maximum(spare_rps, 1e-9), np.inf)
    recovery: Floats = fleet.down_s + behind_s
    return recovery
