"""The arbiter: one decision over all jobs that share slots, made on what it would give, and checked against what came.

    batches that ended -> costs -> what any shares and bounds would give -> the best
          gain > what is worth a turn?    yes: turn all of them at once, and wait until that has shown
                                          no:  rest; bounds that hold nothing back are loosened

It waits as long as the slowest of the jobs that it turned needs to settle, unless much is to be gained at once. What
made utility fall although a rise was foretold is taken back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from penstock.core.levers import WHOLE, BatchBound, Move, Partitions, Slots, Trigger
from penstock.core.naming import named
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.prediction import Foretold, PredictionError
from penstock.core.shares import shares_pool
from penstock.core.states import UNSEEN, state_of
from penstock.core.view import JobView, View
from penstock.planning.arbiter.candidates import RESTART_S, Settings, present, restarted, rows_of
from penstock.planning.arbiter.coming import remembered
from penstock.planning.arbiter.coming_back import coming_back
from penstock.planning.arbiter.costs import TELLING, JobCosts, learnt
from penstock.planning.arbiter.fleet import Fleet, fleet_of
from penstock.planning.arbiter.giving_back import as_often_as_said, loosened, with_fewer_slots
from penstock.planning.arbiter.hungry import SERVED_FOR_S, hungry, served_first
from penstock.planning.arbiter.memory import Acted, ArbiterMemory, Expected
from penstock.planning.arbiter.outcome import HORIZON_S, CandidateOutcomes, looked_ahead_s
from penstock.planning.arbiter.restarts import with_a_restart
from penstock.planning.arbiter.rested import rested
from penstock.planning.arbiter.search import MANY, Found, search
from penstock.planning.arbiter.settings import ArbiterSettings
from penstock.planning.arbiter.sharing import paced
from penstock.planning.arbiter.shortfall import shortfall
from penstock.planning.arbiter.taking_back import SAME_ARRIVALS, begun, came, shows, to_be_taken_back, undoing
from penstock.planning.arbiter.words import why
from penstock.planning.arrivals import same_arrivals, same_rate

_COMPARED_AFTER_S = 60.0  # utilities are over windows: Henge's juice looks back a minute
_AGAIN_AFTER_S = 60.0  # in a dry run, or where tenants are asked first, what is decided does not come
_WARY_S = 120.0
_EARLY_S = 4.0  # after which shares are turned, though batches of some are awaited yet
_SOON_S, _LEARNS_FOR_S = 2.0, 60.0  # while batches are awaited that tell of costs, a round comes sooner
_KNOWN_AFTER_S = 90.0  # since a job was first seen: until then costs fall, and are no reason to start it again
_RESTARTED_AGAIN_AFTER_S = 600.0
_SECONDED_AFTER_S = 5.0  # later on another step under the same load is to be found worth a turn for so long
_FIRST_MINUTE_S = 60.0
_LOOKS_AGAIN = "another step seems worth a turn; one slow batch is no reason for it, so the next round looks again"
_SAME_LOAD = 0.15  # of a rate
_URGENT = 5.0  # times what is worth a turn: so much is not waited with until the last turn has settled
_LONGEST_SETTLE_S = 20.0
_DRAGS = 2.0  # times its first batch
_BIAS_KEPT = 0.6  # of a job's bias, when another batch has ended
_ERROR_KEPT = 0.8
_BAND, _BAND_OF = 0.02, 2  # the error that is taken for granted before any was seen, as if of so many comparisons
# Where a bound hurts it is loosened at once; one that hurts nobody is in no hurry, and costs move for minutes.
_EASED_AFTER_S = 180.0
_SHORTFALL_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class Arbiter:
    """Shares and bounds of all jobs together, on costs learnt from their batches."""

    settings: ArbiterSettings = ArbiterSettings()
    name: str = "arbiter"

    def start(self) -> ArbiterMemory:
        """Nothing was seen yet."""
        return ArbiterMemory()

    def decide(self, view: View, memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory]:
        """One round."""
        memory = _looked_at(view, memory)
        fleet = fleet_of(view, memory.costs, memory.foretold(view.at_s))
        waiting = _awaited(view, memory.costs)
        since_s = view.at_s - (memory.since_s or 0.0)
        if fleet is None or (waiting and since_s < min(_EARLY_S, self.settings.patience_s)):
            names = ", ".join(waiting[:3]) + (" and more" if len(waiting) > 3 else "")
            note = f"learning what batches cost; awaiting those of {names or 'all jobs'}"
            return Plan(note=note, again_s=_SOON_S if since_s < _LEARNS_FOR_S else None), memory
        if waiting and since_s < self.settings.patience_s:
            fleet = fleet.of_shares_alone
        memory = _with_bias(fleet, memory)
        memory = _compared(view, memory)
        fleet = fleet.corrected(memory.costs)
        plan, memory = self._decided(view, fleet, memory)
        errors = tuple(memory.errors[name] for name in sorted(memory.errors))
        again_s = _SOON_S if waiting and since_s < _LEARNS_FOR_S else None
        return replace(plan, errors=errors, shortfall=memory.shortfall, again_s=again_s), memory

    def _decided(self, view: View, fleet: Fleet, memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory]:
        acted = memory.acted
        if acted is not None and to_be_taken_back(view, fleet, acted, _arrivals(memory.costs), self.settings):
            off, until_s = acted.foretold - view.utility, view.at_s + _WARY_S
            memory = replace(memory, acted=None, expected=None, wary_until_s=until_s, wary_of=off)
            return Plan((undoing(view, acted),)), memory
        unfed = hungry(fleet, memory.costs, view.at_s)
        if view.at_s < memory.served_until_s and not set(memory.served).isdisjoint(unfed):
            return Plan(note=f"awaiting the first batches of {', '.join(unfed)}"), memory
        new = tuple(name for name in unfed if memory.served.count(name) <= memory.costs[name].batches)
        if new:
            return _serve(view, fleet, new, memory)
        if acted is not None and not came(fleet, acted) and view.at_s < acted.at_s + _AGAIN_AFTER_S:
            return Plan(note="what was decided has not come: somebody else has the last word"), memory
        if memory.rested is not None:
            least = self._worth_a_turn(view, fleet, memory, np.ones(fleet.size, dtype=bool))
            if memory.rested.holds(view, fleet, _arrivals(memory.costs), least):
                return Plan(note=memory.rested.note), memory
        ahead_s = looked_ahead_s(fleet, self.settings.horizon_s)
        found = search(fleet, ahead_s)
        found = with_a_restart(fleet, found, _may_restart(view, fleet, memory), ahead_s)
        memory = self._with_shortfall(view, fleet, found, memory)
        settling = _settling(view, fleet, memory)
        gain = found.gain(np.array([not job.met for job in fleet.jobs]))
        least = self._worth_a_turn(view, fleet, memory, found.touched(fleet.values))
        if gain > (_URGENT * least if settling else least):
            if gain > _URGENT * least or _seconded(view, fleet, memory):
                return self._act(view, fleet, found, memory)
            memory = replace(_expecting(view, fleet, found.now, memory), rested=None)
            return Plan(note=_LOOKS_AGAIN), replace(memory, wanted_s=memory.wanted_s or view.at_s)
        memory = replace(memory, wanted_s=None)
        eased = None if settling else _eased(view, fleet, found, memory)
        if eased is not None:
            return self._act(view, fleet, eased, memory)
        memory = _expecting(view, fleet, found.now, memory)
        note = "waiting until the last turn has shown" if settling else _resting(view, gain / fleet.max_utility)
        if settling or _cold(view, fleet, memory):
            return Plan(note=note), replace(memory, rested=None)
        nothing = rested(view, fleet, _arrivals(memory.costs), note, gain, least)
        return Plan(note=note), replace(memory, rested=nothing)

    def _worth_a_turn(self, view: View, fleet: Fleet, memory: ArbiterMemory, touched: NDArray[np.bool_]) -> float:
        """How much utility a turn is to bring: more than the errors that were seen with the jobs that it touches."""
        least = max(self.settings.least_gain * fleet.max_utility, _band(fleet, memory, touched))
        if view.at_s < memory.wary_until_s:
            return max(2.0 * least, memory.wary_of)  # or it would be tempted by what has just misled it
        return least

    def _with_shortfall(self, view: View, fleet: Fleet, found: Found, memory: ArbiterMemory) -> ArbiterMemory:
        """Said from the first look on, and looked at anew each minute: what is learnt of costs changes it."""
        looked_s = memory.shortfall_at_s
        if looked_s is not None and view.at_s - looked_s < _SHORTFALL_EVERY_S:
            return memory
        text = shortfall(view, fleet, found, self.settings.horizon_s)
        return replace(memory, shortfall=text, shortfall_at_s=view.at_s)

    def _act(self, view: View, fleet: Fleet, found: Found, memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory]:
        moves = moves_to(fleet, found.best)
        if not moves:
            return Plan(note="nothing to turn"), memory
        foretold = _foretold(fleet, found, memory.starts.mean_s)
        gain = float(found.outcome.settled.sum() - found.now.settled.sum())
        decision = Decision(
            Reason.RECONFIGURED,
            moves,
            why(view, fleet, found),
            view.at_s,
            view.utility,
            min(view.max_utility, max(0.0, view.utility + gain)),
            foretold,
        )
        came_s = view.at_s + _settles_s(fleet, found.best)
        arrivals = _arrivals(memory.costs)
        total = float(found.outcome.settled.sum())
        left_alone = float(found.now.settled.sum())
        acted = Acted(view.at_s, came_s, moves, view.utility, left_alone, total, arrivals, fleet.shares_alone)
        again = {fleet.names[place]: view.at_s for place in np.flatnonzero(restarted(fleet, found.best)[0])}
        return Plan((decision,)), replace(
            memory,
            acted=acted,
            rested=None,
            wanted_s=None,
            expected=_expectation(view, fleet, found.outcome, memory),
            restarted_s={**memory.restarted_s, **again},
        )


def _serve(view: View, fleet: Fleet, names: tuple[str, ...], memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory]:
    """Those first of whom too little is known, once for each batch: it ends then, or is left to the others' gaps."""
    first = names[: int(fleet.slots)]
    because = f"too few batches of {', '.join(first)} have ended: served first, to learn what its rows cost"
    moves = moves_to(fleet, served_first(fleet, first))
    decision = Decision(Reason.RECONFIGURED, moves, because, view.at_s, view.utility)
    served = (*memory.served, *first)
    memory = replace(memory, served=served, served_until_s=view.at_s + SERVED_FOR_S, acted=None, expected=None)
    return Plan((decision,) if moves else ()), memory


def _may_restart(view: View, fleet: Fleet, memory: ArbiterMemory) -> NDArray[np.bool_]:
    """The jobs that may start again: what they cost is known, nothing is settling, and none did lately."""
    if _settling(view, fleet, memory) or _cold(view, fleet, memory) or fleet.size > MANY:
        return np.zeros(fleet.size, dtype=bool)
    since_s = [view.at_s - memory.restarted_s.get(name, -np.inf) for name in fleet.names]
    return np.array(since_s) >= _RESTARTED_AGAIN_AFTER_S


def _settling(view: View, fleet: Fleet, memory: ArbiterMemory) -> bool:
    """Whether the last turn has not shown yet what it gives.

    One that could turn shares alone was no choice against any other lever: as soon as these can be turned they are.
    """
    acted = memory.acted
    if acted is None or (acted.shares_alone and not fleet.shares_alone):
        return False
    return view.at_s < acted.settled_s


def _seconded(view: View, fleet: Fleet, memory: ArbiterMemory) -> bool:
    """Whether another step under the same load was found worth a turn before, or need not be.

    What a batch takes varies, and with it what is foretold of the next one. A first step, one that has not come, or one
    while costs still fall as they do after a start, is no such chance.
    """
    acted = memory.acted
    if acted is None or not came(fleet, acted) or view.at_s - (memory.since_s or 0.0) < _FIRST_MINUTE_S:
        return True
    if not same_arrivals(acted.arrivals_rps, _arrivals(memory.costs), _SAME_LOAD):
        return True
    return memory.wanted_s is not None and view.at_s - memory.wanted_s >= _SECONDED_AFTER_S


def _cold(view: View, fleet: Fleet, memory: ArbiterMemory) -> bool:
    """Whether any job is seen for so short that its costs may still be those of cold code."""
    return any(view.at_s - memory.costs[name].first_seen_s < _KNOWN_AFTER_S for name in fleet.names)


def _band(fleet: Fleet, memory: ArbiterMemory, touched: NDArray[np.bool_]) -> float:
    """The error to be reckoned with, in utility: a second turn is for more than that.

    The first one has nothing to lose: nobody chose how the levers stand.
    """
    if memory.acted is None or (memory.acted.shares_alone and not fleet.shares_alone):
        return 0.0
    jobs = [fleet.jobs[place] for place in np.flatnonzero(touched)]
    off = [(memory.errors.get(job.name, PredictionError(job.name, 0.0, 0)), job.max_utility) for job in jobs]
    return sum(worth * (error.share * error.of + _BAND * _BAND_OF) / (error.of + _BAND_OF) for error, worth in off)


# What was learnt


def _looked_at(view: View, memory: ArbiterMemory) -> ArbiterMemory:
    """The memory with what the batches since tell, of the jobs that are there."""
    figures = {job.name: job.figures for job in view.jobs if shares_pool(job.figures)}
    names = tuple(figures)
    costs = {name: learnt(memory.costs.get(name), found, view.at_s) for name, found in figures.items()}
    executors = {dial.job: dial for dial in view.levers if dial.kind == "executors" and dial.job == WHOLE}
    memory = replace(
        memory,
        costs=costs,
        coming=remembered(memory.coming, _arrivals(costs), view.at_s),
        starts=memory.starts.seen(executors, view.at_s),
        acted=None if memory.acted is None else begun(memory.acted, costs, view.utility),
    )
    if names == memory.jobs:
        return memory
    return replace(memory, jobs=names, since_s=view.at_s, acted=None, expected=None)


def _awaited(view: View, costs: Mapping[str, JobCosts]) -> list[str]:
    """The jobs that run and of which too little is known yet."""
    return [
        job.name
        for job in view.jobs
        if shares_pool(job.figures)
        and job.figures.trouble is None
        and costs[job.name].batches < TELLING
        and not _drags(job, costs[job.name], view.at_s)
    ]


def _drags(job: JobView, costs: JobCosts, at_s: float) -> bool:
    """Whether its second batch takes far longer than its first: it takes what came meanwhile, and so will the third.

    What is done before that one begins keeps it short; to wait for the second one is to let it take minutes of rows.
    """
    trigger = job.figures.lever("trigger")
    every_s = float(trigger.now or 0.0) if trigger is not None else 0.0
    return costs.batches > 0 and costs.took_s > every_s and at_s - costs.ended_s > _DRAGS * costs.took_s


def _with_bias(fleet: Fleet, memory: ArbiterMemory) -> ArbiterMemory:
    """How long stages took over how long they were foretold to, of batches that ran under the levers as they stand."""
    found = paced(fleet.as_it_was, present(fleet), HORIZON_S)
    costs = dict(memory.costs)
    acted_s = memory.acted.at_s if memory.acted is not None else -np.inf
    fixed_s, row_s = (found.fixed_s[0] - found.aside_s).tolist(), found.row_s[0].tolist()
    for place, name in enumerate(fleet.names):
        one = costs[name]
        if not one.fresh:
            continue
        staged = one.staged
        if one.fresh_since_s >= acted_s:  # else they ran, in part, under other levers
            foretold_s = one.fresh * fixed_s[place] + row_s[place] * one.fresh_rows
            off = min(max(one.fresh_staged_s / max(foretold_s, 1e-6), 0.25), 4.0)
            staged = min(max(staged * off ** (1.0 - _BIAS_KEPT**one.fresh), 0.3), 3.0)
        costs[name] = replace(one, fresh=0, fresh_rows=0.0, fresh_staged_s=0.0, staged=staged)
    return replace(memory, costs=costs)


def _compared(view: View, memory: ArbiterMemory) -> ArbiterMemory:
    """The running errors with what was foretold and has come, or not."""
    expected, acted = memory.expected, memory.acted
    if expected is None or view.at_s < expected.due_s:
        return memory
    if acted is not None and not shows(acted, view.at_s):
        return memory
    arrivals, errors = _arrivals(memory.costs), dict(memory.errors)
    for job in view.jobs:
        name = job.name
        foretold, rate_rps = expected.utilities.get(name), arrivals.get(name)
        if foretold is None or job.utility is None:
            continue
        if rate_rps is not None and not same_rate(expected.arrivals_rps.get(name, 0.0), rate_rps, SAME_ARRIVALS):
            continue
        off = abs(job.utility - foretold) / max(job.max_utility, 1e-9)
        known = errors.get(name)
        share = off if known is None else _ERROR_KEPT * known.share + (1.0 - _ERROR_KEPT) * off
        errors[name] = PredictionError(name, share, 1 if known is None else known.of + 1)
    return replace(memory, errors=errors, expected=None)


def _arrivals(costs: Mapping[str, JobCosts]) -> dict[str, float]:
    return {name: one.arrival_rps for name, one in costs.items() if one.arrival_rps is not None}


# What is expected


def _expecting(view: View, fleet: Fleet, now: CandidateOutcomes, memory: ArbiterMemory) -> ArbiterMemory:
    """With what is foretold of leaving all as it is, where nothing else is to be compared."""
    if memory.expected is not None:
        return memory
    return replace(memory, expected=_expectation(view, fleet, now, memory))


def _expectation(view: View, fleet: Fleet, outcome: CandidateOutcomes, memory: ArbiterMemory) -> Expected:
    utilities = dict(zip(fleet.names, outcome.settled[0].tolist(), strict=True))
    return Expected(view.at_s, view.at_s + _COMPARED_AFTER_S, utilities, _arrivals(memory.costs))


def _foretold(fleet: Fleet, found: Found, start_s: float) -> tuple[Foretold, ...]:
    then, now = found.outcome, found.now
    columns = (then.latency_s, then.juice, then.settled, now.latency_s, now.juice, now.settled)
    all_jobs = map(Foretold, fleet.names, *(column[0].tolist() for column in columns))
    back = coming_back(fleet, found.best, HORIZON_S, start_s)
    return tuple(
        replace(one, target_s=back[one.job][0], back_s=back[one.job][1]) if one.job in back else one for one in all_jobs
    )


def _settles_s(fleet: Fleet, settings: Settings) -> float:
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


# What is done


def moves_to(fleet: Fleet, best: Settings) -> tuple[Move, ...]:
    """The moves from how the levers stand, job by job."""
    moves: list[Move] = []
    for place, name in enumerate(fleet.names):
        before, after = round(fleet.weights[place]), round(float(best.weights[0, place]))
        if before != after:
            moves.append(Slots(name, before, after))
        was, bound = rows_of(fleet.bounds[place]), rows_of(best.bounds[0, place])
        if was != bound:
            moves.append(BatchBound(name, was, bound))
        every_s, parts = float(best.triggers[0, place]), round(float(best.parts[0, place]))
        if every_s != fleet.trigger_s[place]:
            moves.append(Trigger(name, float(fleet.trigger_s[place]), every_s))
        if parts != round(fleet.parts[place]):
            moves.append(Partitions(name, round(fleet.parts[place]), parts))
    return tuple(moves)


def _eased(view: View, fleet: Fleet, found: Found, memory: ArbiterMemory) -> Found | None:
    """What nobody needs any more: bounds that hold nothing back, waits between batches, and executors."""
    acted_s = memory.acted.at_s if memory.acted is not None else memory.since_s or 0.0
    if view.at_s - acted_s < _EASED_AFTER_S:
        return None
    return loosened(fleet, found) or as_often_as_said(fleet, found) or with_fewer_slots(fleet, found)


def _resting(view: View, gain: float) -> str:
    missing = [job.name for job in view.jobs if job.utility is not None and not job.met]
    unseen = [job.name for job in view.jobs if state_of(job) in UNSEEN]
    if not missing and unseen:
        return f"nobody is seen to miss what was asked; nobody knows of {named(unseen)}"
    if not missing:
        return "everyone has what they asked for"
    return f"{named(missing)} below target; no other shares or bounds would give {100 * gain:.1f} % more or better"
