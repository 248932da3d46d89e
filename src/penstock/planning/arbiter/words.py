"""Why: the arbiter's decisions in one sentence that a tenant understands."""

import numpy as np
from numpy.typing import NDArray

from penstock.core.levers import Partitions, Trigger
from penstock.core.naming import named
from penstock.core.seen.view import View
from penstock.planning.arbiter.candidates import restarted
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.search import Found
from penstock.planning.words import missed, none_missed

_NOTHING = 1e-6


def why(view: View, fleet: Fleet, found: Found) -> str:
    """Whom it is for, and by what means."""
    now, soon = found.outcome.settled[0] - found.now.settled[0], found.outcome.utility[0] - found.now.utility[0]
    place = int(np.argmax(now if np.max(now) > _NOTHING else soon))
    means = _means(fleet, found, place)
    fewer = float((fleet.weights - found.best.weights[0]).sum())
    if fleet.follows and fewer > 0.0 and max(now[place], soon[place]) <= _NOTHING:
        return f"{fewer:.0f} slots fewer meet all targets, even with some more rows: executors are given back"
    if max(now[place], soon[place]) <= _NOTHING or not means:
        if bool(np.any(found.best.triggers < fleet.trigger_s)):
            return "batches begin as often as configured again: no job loses by it"
        if bool(np.any(found.best.bounds > fleet.bounds)):
            return "bounds that hold nothing back are removed, so that they do not once the load rises"
        return f"{_named(fleet, found.best.weights[0] < fleet.weights)} needs fewer slots"
    # What is worth a turn though nobody gains by it now is for what may come.
    ahead = "" if now[place] > _NOTHING else "; this helps while code warms up, or once more rows arrive"
    return f"{missed(view.job(fleet.names[place]))}; {means}{ahead}"


def resting(view: View, gain: float) -> str:
    """Why nothing is turned, where so little utility more would be had."""
    missing = [job.name for job in view.jobs if job.utility is not None and not job.met]
    if not missing:
        return none_missed(view)
    return f"{named(missing)} below target; no other shares or bounds would give {100 * gain:.1f} % more or better"


def _means(fleet: Fleet, found: Found, favoured: int) -> str:
    others = np.arange(fleet.size) != favoured
    bounded = (found.best.bounds[0] < fleet.bounds) & others
    parts = [*_of_restarts(fleet, found), *_of_triggers(fleet, found, favoured)]
    if found.best.weights[0, favoured] > fleet.weights[favoured]:
        parts.append("it gets more slots")
    elif bool(np.any((found.best.weights[0] < fleet.weights) & others)):
        parts.append("others get fewer slots")
    elif bool(np.any(more := (found.best.weights[0] > fleet.weights) & others)):
        parts.append(f"{_named(fleet, more)} gets more slots, so that its batches release them sooner")
    if bounded.any():
        parts.append(f"batches of {_named(fleet, bounded)} get smaller, so that cores and slots become free sooner")
    if found.best.bounds[0, favoured] > fleet.bounds[favoured]:
        parts.append("its own batches may get larger")
    elif found.best.bounds[0, favoured] < fleet.bounds[favoured]:
        parts.append("its own batches get smaller, so that each ends sooner")
    return ", and ".join(parts)


def _of_triggers(fleet: Fleet, found: Found, favoured: int) -> list[str]:
    """Whose batches begin more or less often while it runs, and what for."""
    every_s, in_stride = found.best.triggers[0], fleet.in_stride
    seldom, often = in_stride & (every_s > fleet.trigger_s), in_stride & (every_s < fleet.trigger_s)
    parts = []
    if seldom.any():
        parts.append(f"batches of {_named(fleet, seldom)} begin less often, because each has a fixed cost")
    if often.any():
        its_own = np.flatnonzero(often).tolist() == [favoured]
        parts.append(f"{'its own batches' if its_own else f'batches of {_named(fleet, often)}'} begin more often")
    return parts


def _named(fleet: Fleet, which: NDArray[np.bool_]) -> str:
    return named([fleet.names[place] for place in np.flatnonzero(which)])


def _of_restarts(fleet: Fleet, found: Found) -> list[str]:
    """What starts again, and what for."""
    parts = []
    for place in np.flatnonzero(restarted(fleet, found.best)[0]):
        name, every_s = fleet.names[place], float(found.best.triggers[0, place])
        if every_s != fleet.trigger_s[place]:
            turn = Trigger(name, float(fleet.trigger_s[place]), every_s).text
            parts.append(f"{name} restarts with another {turn}")
        else:
            turn = Partitions(name, round(fleet.parts[place]), round(float(found.best.parts[0, place]))).text
            parts.append(f"{name} restarts with other state partitions, {turn}: each of them is a task of every batch")
    return parts
