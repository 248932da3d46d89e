"""What a turn waits for: the last one to show, costs to be known, the same step to be found again, and enough gain."""

import numpy as np
from numpy.typing import NDArray

from penstock.core.known.prediction import PredictionError
from penstock.core.seen.view import View
from penstock.planning.arbiter.candidates import RESTART_S, Settings, restarted
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.learning import arrivals_of
from penstock.planning.arbiter.memory import ArbiterMemory
from penstock.planning.arbiter.outcome import HORIZON_S
from penstock.planning.arbiter.search import MANY
from penstock.planning.arbiter.sharing import paced
from penstock.planning.arbiter.taking_back import came
from penstock.planning.arrivals import same_arrivals

_KNOWN_AFTER_S = 90.0  # since a job was first seen: until then costs fall, and are no reason to start it again
_RESTARTED_AGAIN_AFTER_S = 600.0
_SECONDED_AFTER_S = 5.0  # later on another step under the same load is to be found worth a turn for so long
_FIRST_MINUTE_S = 60.0
_SAME_LOAD = 0.15  # of a rate
_APART_S = 0.2  # rounds begin some hundredths of a second after they are due, now more, now less
_LONGEST_SETTLE_S = 20.0
_BAND, _BAND_OF = 0.02, 2  # the error that is taken for granted before any was seen, as if of so many comparisons


def settling(view: View, fleet: Fleet, memory: ArbiterMemory) -> bool:
    """Whether the last turn has not shown yet what it gives.

    One that could turn shares alone was no choice against any other lever: as soon as these can be turned they are.
    """
    acted = memory.acted
    if acted is None or (acted.shares_alone and not fleet.shares_alone):
        return False
    return view.at_s < acted.settled_s - _APART_S


def settles_s(fleet: Fleet, settings: Settings) -> float:
    """Two batches of the slowest job that is turned, once what waits for it is worked off."""
    found = paced(fleet, settings, HORIZON_S)
    every_s = np.maximum(
        settings.triggers[0], found.fixed_s[0] / np.maximum(1.0 - found.row_s[0] * fleet.arrivals, 0.1)
    )
    again = restarted(fleet, settings)[0]
    turned = (settings.weights[0] != fleet.weights) | (settings.bounds[0] != fleet.bounds) | again
    turned |= settings.triggers[0] != fleet.trigger_s
    return float(
        min(_LONGEST_SETTLE_S, 2.0 * np.max(every_s[turned], initial=1.0) + (RESTART_S if again.any() else 0.0))
    )


def seconded(view: View, fleet: Fleet, memory: ArbiterMemory, *, seen: bool) -> bool:
    """Whether another step under the same load was found worth a turn before, or need not be.

    What a batch takes varies, and with it what is foretold of the next one. A first step, or one that has not come, is
    no such chance at the start, nor where somebody misses something; nor is what is gained by those who miss something
    (`seen`) while costs still fall as they do after a start.
    """
    stands = memory.acted is not None and came(fleet, memory.acted)
    if view.at_s - (memory.since_s or 0.0) < _FIRST_MINUTE_S and (seen or not stands):
        return True
    if not stands and not all(job.met for job in fleet.jobs):
        return True
    known = memory.acted if memory.acted is not None and stands else memory.rested
    if known is not None and not same_arrivals(known.arrivals_rps, arrivals_of(memory.costs), _SAME_LOAD):
        return True
    return memory.wanted_s is not None and view.at_s - memory.wanted_s >= _SECONDED_AFTER_S


def cold(view: View, fleet: Fleet, memory: ArbiterMemory) -> bool:
    """Whether any job is seen for so short that its costs may still be those of cold code."""
    return any(view.at_s - memory.costs[name].first_seen_s < _KNOWN_AFTER_S for name in fleet.names)


def may_restart(view: View, fleet: Fleet, memory: ArbiterMemory) -> NDArray[np.bool_]:
    """The jobs that may start again: what they cost is known, nothing is settling, and none did lately."""
    if settling(view, fleet, memory) or cold(view, fleet, memory) or fleet.size > MANY:
        return np.zeros(fleet.size, dtype=bool)
    since_s = [view.at_s - memory.restarted_s.get(name, -np.inf) for name in fleet.names]
    return np.array(since_s) >= _RESTARTED_AGAIN_AFTER_S


def band(fleet: Fleet, memory: ArbiterMemory, touched: NDArray[np.bool_]) -> float:
    """The error to be reckoned with, in utility: a second turn is for more than that.

    The first one has nothing to lose: nobody chose how the levers stand.
    """
    if memory.acted is None or (memory.acted.shares_alone and not fleet.shares_alone):
        return 0.0
    jobs = [fleet.jobs[place] for place in np.flatnonzero(touched)]
    off = [(memory.errors.get(job.name, PredictionError(job.name, 0.0, 0)), job.max_utility) for job in jobs]
    return sum(worth * (error.share * error.of + _BAND * _BAND_OF) / (error.of + _BAND_OF) for error, worth in off)
