"""Shortfall: that no shares and bounds meet all intents, said at once, with what would: slots to buy, targets to relax.

no shares meet all intents: fraud (mean latency <= 2s) needs up to 10 slots instead of 8 (one more executor, 0.40 EUR an
hour); with the present slots fraud could meet 3.4s; the best shares give 83 % of all utility
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.core.asked.intents import Juice, Latency
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.naming import NAMED, named
from penstock.core.seen.view import View
from penstock.core.units import text_of_seconds
from penstock.planning.arbiter.candidates import blocks, present, tasks_of
from penstock.planning.arbiter.fleet import Fleet, offered_slots
from penstock.planning.arbiter.outcome import CandidateOutcomes, lived
from penstock.planning.arbiter.search import MANY, Found, bound_steps, search
from penstock.planning.arbiter.sharing import Conditions, pace

MET = 0.97  # of a tenant's utility: what is foretold is not known to the last digit
_SURELY = 0.95  # of that: batches are looked at in steps, by which what is quicker may be foretold to be a little later
_OLD = 0.5  # of a latency: it is its source's, then, more than anybody's who shares slots
_TIMES = (1.25, 1.5, 2.0, 3.0)  # the slots that there are


def shortfall(view: View, fleet: Fleet, found: Found, horizon_s: float) -> str:
    """Who stays below what was asked under the best there is, and what would do; empty where nobody does."""
    missing = _missing(fleet, found.outcome)
    if not missing:
        return ""
    intents = {job.name: job.intent for job in fleet.jobs}
    asked = named([f"{name} ({intents[name].text()})" for name in missing])
    share = 100.0 * float(found.outcome.settled.sum()) / fleet.max_utility
    parts = [f"no shares meet all intents: {asked} {_needs(view, fleet, missing, horizon_s)}"]
    kept = [text for text in (_could_keep(fleet, found.outcome, name) for name in missing[:NAMED]) if text]
    if kept:
        parts.append(f"with the present slots {' and '.join(kept)}")
    return "; ".join([*parts, f"the best shares give {share:.0f} % of all utility"])


def _missing(fleet: Fleet, outcome: CandidateOutcomes) -> list[str]:
    """The most valuable first."""
    below = [fleet.jobs[place] for place in np.flatnonzero(outcome.settled[0] < MET * fleet.values)]
    return [job.name for job in sorted(below, key=lambda job: (-job.max_utility, job.name))]


def _could_keep(fleet: Fleet, outcome: CandidateOutcomes, name: str) -> str:
    """The target that the job would meet under the best there is, rounded to what is easier to keep."""
    place = fleet.names.index(name)
    kinds = {type(objective) for objective in fleet.jobs[place].intent.objectives}
    if kinds == {Latency} and float(outcome.juice[0, place]) >= MET:  # no target holds while a backlog grows
        latency_s, older_s = float(outcome.latency_s[0, place]), float(fleet.older_s[place])
        old = f" (its rows come {text_of_seconds(round(older_s, 1))} old)" if older_s > _OLD * latency_s else ""
        return f"{name} could meet {text_of_seconds(_two_digits(latency_s))}{old}"
    share = math.floor(20.0 * float(outcome.juice[0, place])) / 20.0
    return f"{name} could process {share:g} of its input" if kinds == {Juice} and share > 0 else ""


def _two_digits(value: float) -> float:
    unit = 10.0 ** (math.floor(math.log10(max(value, 1e-3))) - 1)
    return math.ceil(value / unit) * unit


def _needs(view: View, fleet: Fleet, missing: list[str], horizon_s: float) -> str:
    have = round(fleet.slots)
    cores = float(fleet.cores_for(np.array([fleet.slots]))[0])
    places = np.flatnonzero(np.isin(fleet.names, missing))
    most = math.ceil(_TIMES[-1] * have)
    # A whole search takes long, and is of no use where somebody lacks more than all slots together could give.
    hopeless = _hopeless(_larger(fleet, most, cores * most / have), places, horizon_s)
    for slots in () if hopeless else (math.ceil(times * have) for times in _TIMES):
        if _all_met_with(_larger(fleet, slots, cores * slots / have), horizon_s):
            # On the cores that are there already more slots may be of no use.
            alone = _all_met_with(_larger(fleet, slots, cores), horizon_s)
            with_cores = "" if alone else ", on more cores"
            need = "needs" if len(missing) == 1 else "need"
            return f"{need} up to {slots} slots instead of {have}{with_cores}{_bought(view, slots - have)}"
    return f"would miss them even with {most} slots instead of {have}"


def _larger(fleet: Fleet, slots: int, cores: float) -> Fleet:
    """The same on so many slots and cores; no limit of a tenant's own is lifted."""
    limits = [job.figures.max_threads for job in fleet.jobs]
    weights = {limit: SlotLimits(max_slots=limit).most_weight(slots, fleet.size) for limit in set(limits)}
    most = np.array([float(weights[limit]) for limit in limits])
    return replace(fleet, slots=float(slots), follows=False, held=float(slots), cores=cores, most=most)


def _all_met_with(larger: Fleet, horizon_s: float) -> bool:
    """Whether nobody stays below."""
    found = search(larger, horizon_s) if larger.size <= MANY else search(larger, horizon_s, rounds=1)
    return not _missing(larger, found.outcome)


def _hopeless(larger: Fleet, places: NDArray[np.intp], horizon_s: float) -> bool:
    """Whether any of these stays below with a slot and a core for each of its tasks at once, whatever its bound."""
    bounds = np.concatenate([bound_steps(larger, horizon_s).T, larger.bounds[None, :]])
    some = (places[which] for which in blocks(len(places), len(bounds)))
    return any(_stays_below(larger.part(which), bounds[:, which], horizon_s) for which in some)


def _stays_below(alone: Fleet, bounds: Floats, horizon_s: float) -> bool:
    settings = replace(present(alone).times(len(bounds)), bounds=bounds)
    slots = np.maximum(1.0, tasks_of(alone, settings))
    met = Conditions(slots, np.ones_like(slots), np.zeros_like(slots))
    ahead = alone.ahead(alone.futures[0])
    settled = lived(ahead, settings, pace(ahead, settings, met), horizon_s).settled.max(axis=0)
    return bool(np.any(settled < _SURELY * MET * alone.values))


def _bought(view: View, slots: float) -> str:
    """What that is in executors, where they tell how many slots each has, and in money, where slots have a price."""
    offered, executors = offered_slots(view)
    parts = []
    if executors:
        each = offered / executors
        more = math.ceil(slots / each)
        slots = more * each
        parts.append("one more executor" if more == 1 else f"{more} more executors")
    if view.slot_price is not None:
        parts.append(f"{view.slot_price.text(view.slot_price.of(slots))} an hour")
    return f" ({', '.join(parts)})" if parts else ""
