"""The arbiter: one decision over all jobs that share slots, made on what it would give, and checked against what came.

    batches that ended -> costs -> what any shares and bounds would give -> the best
          gain > what is worth a turn?    yes: turn all of them at once, and wait until that has shown
                                          no:  rest; bounds that hold nothing back are loosened

It waits as long as the slowest of the jobs that it turned needs to settle, unless much is to be gained at once. Before
it rests while somebody misses something it looks further ahead: a backlog pays only once it is worked off. What made
utility fall although a rise was foretold is taken back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from penstock.core.naming import together
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View
from penstock.planning.arbiter.candidates import restarted
from penstock.planning.arbiter.expecting import compared, expectation, expecting, foretold_of
from penstock.planning.arbiter.fleet import Fleet, fleet_of
from penstock.planning.arbiter.giving_back import as_often_as_said, loosened, with_fewer_slots
from penstock.planning.arbiter.hungry import SERVED_FOR_S, hungry, served_first
from penstock.planning.arbiter.in_a_hurry import first_in_a_hurry
from penstock.planning.arbiter.learning import arrivals_of, awaited, looked_at, untold, with_bias
from penstock.planning.arbiter.memory import Acted, ArbiterMemory
from penstock.planning.arbiter.moves import moves_to
from penstock.planning.arbiter.outcome import FURTHEST, looked_ahead_s
from penstock.planning.arbiter.restarts import with_a_restart
from penstock.planning.arbiter.rested import rested
from penstock.planning.arbiter.search import MANY, Found, search
from penstock.planning.arbiter.settings import ArbiterSettings
from penstock.planning.arbiter.shortfall import shortfall
from penstock.planning.arbiter.sparing import sparing
from penstock.planning.arbiter.taking_back import came, to_be_taken_back, undoing, wary
from penstock.planning.arbiter.waiting import band, cold, may_restart, seconded, settles_s, settling
from penstock.planning.arbiter.words import resting, why

_AGAIN_AFTER_S = 60.0  # in a dry run, or where tenants are asked first, what is decided does not come
_WARY_S = 120.0
_EARLY_S = 4.0  # after which shares are turned, though batches of some are awaited yet
_SOON_S, _LEARNS_FOR_S = 2.0, 60.0  # while batches are awaited that tell of costs, a round comes sooner
_LOOKS_AGAIN = "a change seems worth it; one slow batch is no reason, so the next round checks again"
_NEXT_BATCH = "a miss is predicted from one batch alone; the next batch is awaited"
_URGENT = 5.0  # times what is worth a turn: so much is not waited with until the last turn has settled
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
        memory = looked_at(view, memory)
        fleet = fleet_of(view, memory.costs, memory.foretold(view.at_s))
        waiting = awaited(view, memory.costs)
        since_s = view.at_s - (memory.since_s or 0.0)
        if fleet is None or (waiting and since_s < min(_EARLY_S, self.settings.patience_s)):
            return _learning(view, memory, waiting, _SOON_S if since_s < _LEARNS_FOR_S else None)
        if waiting and since_s < self.settings.patience_s:
            fleet = fleet.of_shares_alone
        memory = with_bias(fleet, memory)
        memory = compared(view, memory)
        fleet = fleet.corrected(memory.costs)
        plan, memory = self._decided(view, fleet, memory)
        errors = tuple(memory.errors[name] for name in sorted(memory.errors))
        again_s = _SOON_S if (waiting or plan.note == _NEXT_BATCH) and since_s < _LEARNS_FOR_S else None
        return replace(plan, errors=errors, shortfall=memory.shortfall, again_s=again_s), memory

    def _decided(self, view: View, fleet: Fleet, memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory]:
        return self._unsearched(view, fleet, memory) or self._searched(view, fleet, memory)

    def _unsearched(self, view: View, fleet: Fleet, memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory] | None:
        """What is decided without a search over all levers; None where one is due."""
        acted = memory.acted
        if acted is not None and to_be_taken_back(view, fleet, acted, arrivals_of(memory.costs), self.settings):
            off, until_s = acted.foretold - view.utility, view.at_s + _WARY_S
            memory = replace(memory, acted=None, expected=None, wary_until_s=until_s, wary_of=off, further_until_s=0.0)
            return Plan((undoing(view, acted),)), memory
        unfed = hungry(fleet, memory.costs, view.at_s)
        if view.at_s < memory.served_until_s and not set(memory.served).isdisjoint(unfed):
            return Plan(note=f"waiting for the first batches of {', '.join(unfed)}"), memory
        new = tuple(name for name in unfed if memory.served.count(name) <= memory.costs[name].batches)
        if new:
            return _serve(view, fleet, new, memory)
        if acted is not None and not came(fleet, acted) and view.at_s < acted.at_s + _AGAIN_AFTER_S:
            return Plan(note="the last decision had no effect: something else sets these levers"), memory
        if memory.rested is not None:
            least = self._worth_a_turn(view, fleet, memory, np.ones(fleet.size, dtype=bool))
            if memory.rested.holds(view, fleet, arrivals_of(memory.costs), least):
                return Plan(note=memory.rested.note), memory
        return None

    def _searched(self, view: View, fleet: Fleet, memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory]:
        """The best of all levers, and whether it is worth a turn."""
        further = view.at_s < memory.further_until_s
        found = self._found(view, fleet, memory, further=further)
        memory = self._with_shortfall(view, fleet, found, memory)
        settles = settling(view, fleet, memory)
        gain, least = self._gain(view, fleet, found, memory)
        if gain > (_URGENT * least if settles else least):
            return self._turned(view, fleet, found, memory, least)
        eased = None if settles else _eased(view, fleet, found, memory)
        if eased is not None:
            return self._act(view, fleet, eased, memory)
        missed = fleet.missing
        if not settles and found.gain(missed) > least:
            return Plan(note=_NEXT_BATCH), replace(memory, rested=None, wanted_s=None)
        memory = expecting(view, fleet, found.now, memory)
        if missed.any() and fleet.size <= MANY and not (settles or further):
            turned = self._turned_for_later(view, fleet, memory)
            if turned is not None:
                return turned
        memory = replace(memory, wanted_s=None)
        note = "waiting for the effect of the last decision" if settles else resting(view, gain / fleet.max_utility)
        if settles or cold(view, fleet, memory):
            return Plan(note=note), replace(memory, rested=None)
        nothing = rested(view, fleet, arrivals_of(memory.costs), note, gain, least)
        return Plan(note=note), replace(memory, rested=nothing)

    def _found(self, view: View, fleet: Fleet, memory: ArbiterMemory, *, further: bool) -> Found:
        ahead_s = self._furthest_s if further else looked_ahead_s(fleet, self.settings.horizon_s)
        tried = sparing(fleet)
        return with_a_restart(tried, search(tried, ahead_s), may_restart(view, fleet, memory), ahead_s)

    @property
    def _furthest_s(self) -> float:
        return FURTHEST * self.settings.horizon_s

    def _turned(
        self, view: View, fleet: Fleet, found: Found, memory: ArbiterMemory, least: float
    ) -> tuple[Plan, ArbiterMemory]:
        """What is worth a turn is turned, or looked at once more before."""
        seen = found.seen(fleet.missing)
        if seen > _URGENT * least or seconded(view, fleet, memory, seen=seen > least):
            return self._act(view, fleet, found, memory)
        memory = replace(expecting(view, fleet, found.now, memory), rested=None)
        return Plan(note=_LOOKS_AGAIN), replace(memory, wanted_s=memory.wanted_s or view.at_s)

    def _turned_for_later(self, view: View, fleet: Fleet, memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory] | None:
        """What pays further ahead only, as to work off a backlog; it looks as far then, until that is to pay."""
        near_s, far_s = looked_ahead_s(fleet, self.settings.horizon_s), self._furthest_s
        if near_s >= far_s:
            return None
        found = self._found(view, fleet, memory, further=True)
        gain, least = self._gain(view, fleet, found, memory)
        if gain <= least:
            return None
        plan, memory = self._turned(view, fleet, found, memory, least)
        if not plan.decisions:
            return plan, memory
        because = f"this pays within {far_s:.0f} s, not within {near_s:.0f} s"
        decisions = tuple(replace(one, why=f"{one.why}; {because}") for one in plan.decisions)
        return replace(plan, decisions=decisions), replace(memory, further_until_s=view.at_s + far_s)

    def _gain(self, view: View, fleet: Fleet, found: Found, memory: ArbiterMemory) -> tuple[float, float]:
        """What was found gains, and how much a turn is to gain at least."""
        few = untold(fleet, memory.costs, view.at_s)
        least = self._worth_a_turn(view, fleet, memory, found.touched(fleet.values))
        return found.gain(fleet.missing, few), least

    def _worth_a_turn(self, view: View, fleet: Fleet, memory: ArbiterMemory, touched: NDArray[np.bool_]) -> float:
        """How much utility a turn is to bring: more than the errors that were seen with the jobs that it touches."""
        least = max(self.settings.least_gain * fleet.max_utility, band(fleet, memory, touched))
        return wary(least, memory.wary_of) if view.at_s < memory.wary_until_s else least

    def _with_shortfall(self, view: View, fleet: Fleet, found: Found, memory: ArbiterMemory) -> ArbiterMemory:
        """Said from the first look on, and looked at anew each minute: what is learnt of costs changes it."""
        looked_s = memory.shortfall_at_s
        if looked_s is not None and view.at_s - looked_s < _SHORTFALL_EVERY_S:
            return memory
        if sparing(fleet) is not fleet:  # not all was tried, and new code makes all seem to need more than they will
            return memory
        text = shortfall(view, fleet, found, self.settings.horizon_s)
        return replace(memory, shortfall=text, shortfall_at_s=view.at_s)

    def _act(self, view: View, fleet: Fleet, found: Found, memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory]:
        moves = moves_to(fleet, found.best)
        if not moves:
            return Plan(note="no lever to change"), memory
        foretold = foretold_of(fleet, found, memory.starts.mean_s)
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
        came_s = view.at_s + settles_s(fleet, found.best)
        arrivals = arrivals_of(memory.costs)
        total = float(found.outcome.settled.sum())
        left_alone = float(found.now.settled.sum())
        acted = Acted(view.at_s, came_s, moves, view.utility, left_alone, total, arrivals, fleet.shares_alone)
        again = {fleet.names[place]: view.at_s for place in np.flatnonzero(restarted(fleet, found.best)[0])}
        return Plan((decision,)), replace(
            memory,
            acted=acted,
            rested=None,
            wanted_s=None,
            expected=expectation(view, fleet, found.outcome, memory),
            restarted_s={**memory.restarted_s, **again},
        )


def _learning(
    view: View, memory: ArbiterMemory, waiting: Sequence[str], again_s: float | None
) -> tuple[Plan, ArbiterMemory]:
    """While nothing is decided on costs: who is in a hurry is served first, once, where most are to tell them yet."""
    moves = first_in_a_hurry(view) if not memory.hurried and 2 * len(waiting) > len(view.jobs) else ()
    if moves:
        because = (
            f"most in a hurry: {together([one.job for one in moves])}; served first until it is known what batches cost"
        )
        decision = Decision(Reason.RECONFIGURED, moves, because, view.at_s, view.utility)
        return Plan((decision,), again_s=again_s), replace(memory, hurried=True)
    names = ", ".join(waiting[:3]) + (" and more" if len(waiting) > 3 else "")
    return Plan(note=f"learning what batches cost; waiting for those of {names or 'all jobs'}", again_s=again_s), memory


def _serve(view: View, fleet: Fleet, names: tuple[str, ...], memory: ArbiterMemory) -> tuple[Plan, ArbiterMemory]:
    """Those first of whom too little is known, once for each batch: it ends then, or is left to the others' gaps."""
    first = names[: int(fleet.slots)]
    because = f"too few batches of {', '.join(first)} have ended: served first, to learn what its rows cost"
    moves = moves_to(fleet, served_first(fleet, first))
    decision = Decision(Reason.RECONFIGURED, moves, because, view.at_s, view.utility)
    served = (*memory.served, *first)
    memory = replace(memory, served=served, served_until_s=view.at_s + SERVED_FOR_S, acted=None, expected=None)
    return Plan((decision,) if moves else ()), memory


def _eased(view: View, fleet: Fleet, found: Found, memory: ArbiterMemory) -> Found | None:
    """What nobody needs any more: bounds that hold nothing back, waits between batches, and executors."""
    acted_s = memory.acted.at_s if memory.acted is not None else memory.since_s or 0.0
    if view.at_s - acted_s < _EASED_AFTER_S:
        return None
    return loosened(fleet, found) or as_often_as_said(fleet, found) or with_fewer_slots(fleet, found)
