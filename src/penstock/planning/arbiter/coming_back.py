"""When tenants that are late come back to what they ask for, under the shares and bounds that were chosen.

Batch after batch is looked at as far as it takes, a few times the horizon: until the last one that is late is over.
Executors that come for it come later; meanwhile all goes on as it stands.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.run import late_for_s
from penstock.planning.arbiter.candidates import Settings, present
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
    back_s, awaited = np.full(fleet.size, np.inf), np.isin(fleet.names, list(late))
    for times in _FARTHER:
        if np.isfinite(back_s[awaited]).all():
            break
        back_s = np.where(np.isfinite(back_s), back_s, _back_s(then, best, times * horizon_s))
    found = dict(zip(fleet.names, (waits_s + back_s).tolist(), strict=True))
    return {name: (target_s, found[name]) for name, target_s in late.items() if np.isfinite(found[name])}


def _after(fleet: Fleet, waits_s: float) -> Fleet:
    """The same once it has gone on for so long as it stands."""
    if waits_s <= 0.0:
        return fleet
    ahead, now = fleet.ahead(fleet.futures[0]), present(fleet)
    return replace(fleet, backlog=course(ahead, paced(ahead, now, waits_s), now, waits_s).waiting[0])


def _back_s(fleet: Fleet, best: Settings, horizon_s: float) -> Floats:
    """Of each job the seconds until the last batch that is late is over; infinite where one is late to the end."""
    ahead = fleet.ahead(fleet.futures[0])
    found = course(ahead, paced(ahead, best, horizon_s), best, horizon_s)
    back_s = np.full(fleet.size, np.inf)
    first_s = found.counts_s[: fleet.size]
    for alike in fleet.objectives:
        if alike.kind == "latency":
            which, in_targets = lateness(alike, found)
            over = which[(in_targets > 1.0) & (found.counts_s[which] > 0.0)]
            last_s = np.zeros(fleet.size)
            np.maximum.at(last_s, found.cells[over], found.until_s[over])
            # Where none is late any more, the first one says so.
            then_s = np.where(last_s >= horizon_s - 1e-6, np.inf, np.maximum(last_s, first_s))
            back_s[alike.jobs] = then_s[alike.jobs]
    return back_s
