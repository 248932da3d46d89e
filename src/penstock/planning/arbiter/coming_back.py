"""When tenants that are late come back to what they ask for, under the shares and bounds that were chosen.

Batch after batch is looked at as far as it takes, a few times the horizon: until the last one that is late is over.
Executors that come for it come later; meanwhile all goes on as it stands.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.core.run import late_for_s
from penstock.planning.arbiter.candidates import Settings, columns, present
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.horizon import course
from penstock.planning.arbiter.sharing import paced
from penstock.planning.arbiter.worth import lateness

_FARTHER = (1.0, 4.0, 16.0)  # times the horizon: batches are looked at the less finely, the farther


def coming_back(fleet: Fleet, best: Settings, horizon_s: float, start_s: float) -> Mapping[str, tuple[float, float]]:
    """The target, and the seconds until it is kept for good, of each job that is late now and comes back to it.

    `start_s` is how long executors take to come, where some do.
    """
    late = {job.name: target_s for job in fleet.jobs if (target_s := late_for_s(job)) is not None}
    if not late:
        return {}
    waits_s = start_s if float(fleet.slots_for(best.weights.sum(axis=1))[0]) > fleet.held else 0.0
    then = _after(fleet, waits_s)
    back_s, awaited = np.full(fleet.size, np.inf), np.flatnonzero(np.isin(fleet.names, list(late)))
    for times in _FARTHER:
        if not len(awaited):
            break
        back_s[awaited] = _back_s(then, best, awaited, times * horizon_s)
        awaited = awaited[np.isinf(back_s[awaited])]
    found = dict(zip(fleet.names, (waits_s + back_s).tolist(), strict=True))
    return {name: (target_s, found[name]) for name, target_s in late.items() if np.isfinite(found[name])}


def _after(fleet: Fleet, waits_s: float) -> Fleet:
    """The same once it has gone on for so long as it stands."""
    if waits_s <= 0.0:
        return fleet
    ahead, now = fleet.ahead(fleet.futures[0]), present(fleet)
    return replace(fleet, backlog=course(ahead, paced(ahead, now, waits_s), now, waits_s).waiting[0])


def _back_s(fleet: Fleet, best: Settings, jobs: NDArray[np.intp], horizon_s: float) -> Floats:
    """Of each of these jobs the seconds until the last batch that is late is over; infinite where one is to the end."""
    ahead = fleet.ahead(fleet.futures[0])
    there = columns(paced(ahead, best, horizon_s), jobs)
    some = ahead.part(jobs)
    found = course(some, there, columns(best, jobs), horizon_s)
    back_s = np.full(some.size, np.inf)
    first_s = found.counts_s[: some.size]
    for alike in some.objectives:
        if alike.kind == "latency":
            which, in_targets = lateness(alike, found)
            over = which[(in_targets > 1.0) & (found.counts_s[which] > 0.0)]
            last_s = np.zeros(some.size)
            np.maximum.at(last_s, found.cells[over], found.until_s[over])
            # Where none is late any more, the first one says so.
            then_s = np.where(last_s >= horizon_s - 1e-6, np.inf, np.maximum(last_s, first_s))
            back_s[alike.jobs] = then_s[alike.jobs]
    return back_s
