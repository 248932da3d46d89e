"""What an application would make of more slots, or fewer: the utility of all its jobs, by how many there are.

It is what its agent tells a coordinator, who divides executors by it. Shares stay as they are meanwhile: how slots are
used inside is the application's own affair, and what is found better there it does. Bounds stay too, or are loosened:
batches that were bounded for want of slots would keep more slots from being worth anything, and so from coming.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from penstock.core.seen.figures import JobFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.candidates import Settings, joined, present
from penstock.planning.arbiter.costs import TELLING, JobCosts, as_of
from penstock.planning.arbiter.fleet import Fleet, fleet_of
from penstock.planning.arbiter.memory import ArbiterMemory
from penstock.planning.arbiter.outcome import HORIZON_S, foretell, looked_ahead_s

# Executors come and go within half a minute: what is not enough for good shows in two minutes.
_HORIZON_S = 3.0 * HORIZON_S
# Times that, two hours: they make an application several times as quick, so one that is minutes late is worth them,
# though nothing of it shows within a minute.
_FURTHEST = 60.0
_NEW_S = 60.0  # as long as it is lent executors by its share


def utility_by_slots(view: View, memory: ArbiterMemory, counts: Sequence[int]) -> tuple[float, ...]:
    """The utility with so many slots each; empty while nothing is known of what batches cost.

    Cores come and go with slots. Of jobs that nobody can foretell, what they have now is taken for what they will have.
    It is told in the worth that was stated: the coordinator reckons with error budgets itself, and they count once.
    """
    view = replace(view, jobs=tuple(map(_as_stated, view.jobs)))
    figures = {job.name: job.figures for job in view.jobs}
    costs = {name: as_of(one, figures[name], view.at_s) for name, one in memory.costs.items() if name in figures}
    fleet = fleet_of(view, costs, memory.foretold(view.at_s))
    if fleet is None or all(_begins(costs[name], figures[name]) for name in fleet.names):
        return ()
    known = frozenset(fleet.names)
    others = sum(job.utility or 0.0 for job in view.jobs if job.name not in known)
    return tuple(others + _utility(fleet, float(count)) for count in counts)


def _begins(costs: JobCosts, job: JobFigures) -> bool:
    """Whether its first batch is all that is known, which has a query's own start in it; for a minute at most."""
    return costs.batches < TELLING and job.up_s is not None and job.up_s < _NEW_S


def _as_stated(job: JobView) -> JobView:
    if job.urgency == 1.0:
        return job
    return replace(
        job, intent=job.stated, utility=None if job.utility is None else job.utility / job.urgency, spent=None
    )


def _utility(fleet: Fleet, slots: float) -> float:
    cores = max(0.05, fleet.cores * slots / fleet.held)
    such = replace(fleet, slots=slots, follows=False, held=slots, cores=cores)
    found = foretell(such, _as_bounded_or_looser(fleet, slots), looked_ahead_s(such, _HORIZON_S, _FURTHEST))
    # Both how it gets there, with what waits worked off, and where it comes to rest.
    return float((0.5 * (found.total + found.settled.sum(axis=1))).max())


def _as_bounded_or_looser(fleet: Fleet, slots: float) -> Settings:
    """How levers stand; where batches are bounded also with bounds as much larger as there are more slots, and none."""
    now = present(fleet)
    loose = np.where(fleet.can_bound, fleet.own_bounds, fleet.bounds)
    larger = np.minimum(loose, fleet.bounds * max(1.0, slots / fleet.held))
    different = np.unique(np.stack([fleet.bounds, larger, loose]), axis=0)
    return joined([replace(now, bounds=bounds[None, :]) for bounds in different])
