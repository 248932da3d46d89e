"""Taking back: a decision that made utility fall, where a rise was foretold, is undone.

Not where what is known by now agrees with what is seen, and says that going back would make it worse: then another
step is to be looked for from here.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from penstock.core.levers import BatchBound, Move, Partitions, Slots, Trigger
from penstock.core.plan import Decision, Reason
from penstock.core.seen.view import View
from penstock.planning.arbiter.candidates import Settings, joined, present, rows_of
from penstock.planning.arbiter.columns import UNBOUNDED
from penstock.planning.arbiter.costs import JobCosts
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.memory import Acted
from penstock.planning.arbiter.outcome import foretell, looked_ahead_s
from penstock.planning.arbiter.settings import ArbiterSettings
from penstock.planning.arrivals import same_arrivals

SAME_ARRIVALS = 0.25  # share by which arrivals may differ where what was foretold is compared with what came
_JUDGED_AFTER_S = 30.0  # utilities look back, and the batches that were under way have to end
_JUDGED_FOR_S = 60.0  # what comes later is not the decision's doing
_SHOWS_AFTER_S = 20.0  # since batches run under it
_BEGINS_WITHIN_S = 120.0  # later it is looked at all the same: a batch may never end


def to_be_taken_back(
    view: View, fleet: Fleet, acted: Acted, arrivals_rps: Mapping[str, float], settings: ArbiterSettings
) -> bool:
    """Whether that decision did harm, as far as can be told, and nothing speaks against going back."""
    if not came(fleet, acted) or not same_arrivals(acted.arrivals_rps, arrivals_rps, SAME_ARRIVALS):
        return False
    since_s = view.at_s - max(acted.settled_s, acted.at_s + _JUDGED_AFTER_S, _shown_s(acted))
    if not 0.0 <= since_s <= _JUDGED_FOR_S:
        return False
    much = settings.taken_back_below * view.max_utility
    # Where utility would have fallen anyway, as while backlogs grow, to take it back would make it worse.
    fell = min(acted.utility_before, acted.left_alone) - view.utility
    return min(fell, acted.foretold - view.utility) > much and not _better_kept(view, fleet, acted, settings, much)


def begun(acted: Acted, costs: Mapping[str, JobCosts], utility: float) -> Acted:
    """With when batches began that it changes: one that was under way goes on as it was, however long it takes.

    What utility falls to meanwhile is no doing of the decision.
    """
    if acted.begun_s is not None:
        return acted
    changed = {move.job for move in acted.moves if not isinstance(move, Slots)}  # slots are given task by task
    ended_s = [costs[job].ended_s for job in changed if job in costs]
    if any(one <= acted.at_s for one in ended_s):
        return replace(acted, utility_before=min(acted.utility_before, utility))
    return replace(acted, begun_s=max([acted.at_s, *ended_s]))


def shows(acted: Acted, at_s: float) -> bool:
    """Whether what is seen by then can be its doing."""
    return at_s >= _shown_s(acted)


def _shown_s(acted: Acted) -> float:
    return acted.at_s + _BEGINS_WITHIN_S if acted.begun_s is None else acted.begun_s + _SHOWS_AFTER_S


def undoing(view: View, acted: Acted) -> Decision:
    """The decision that takes it back."""
    was, foretold = acted.utility_before, acted.foretold
    because = f"utility fell from {was:.1f} to {view.utility:.1f} (predicted: {foretold:.1f})"
    moves = tuple(move.undo for move in reversed(acted.moves))
    return Decision(Reason.REVERTED, moves, because, view.at_s, view.utility, was)


def came(fleet: Fleet, acted: Acted) -> bool:
    """Whether anything of it was carried out."""
    places = {name: place for place, name in enumerate(fleet.names)}
    return any(_stands(fleet, places[move.job], move) for move in acted.moves if move.job in places)


def _better_kept(view: View, fleet: Fleet, acted: Acted, settings: ArbiterSettings, much: float) -> bool:
    """Whether costs as they are known by now account for what is seen, and more would be lost by going back.

    Where they do not account for it, so much more that it would be decided anew at once, wary as one is then.
    """
    found = foretell(fleet, joined([present(fleet), _undone(fleet, acted)]), looked_ahead_s(fleet, settings.horizon_s))
    kept, undone = found.total
    accounted_for = float(found.settled[0].sum()) - view.utility <= much
    least = settings.least_gain * fleet.max_utility
    return bool(kept - undone > (least if accounted_for else wary(least, acted.foretold - view.utility)))


def wary(least: float, off: float) -> float:
    """How much a turn is to gain while one that was off by so much was just taken back; `least` is it otherwise."""
    return max(2.0 * least, off)  # or it would be tempted by what has just misled it


def _undone(fleet: Fleet, acted: Acted) -> Settings:
    """How the levers would stand without it."""
    places = {name: place for place, name in enumerate(fleet.names)}
    undone = present(fleet)
    for move in acted.moves:
        if move.job in places:
            _put_back(undone, places[move.job], move)
    return undone


def _put_back(settings: Settings, place: int, move: Move) -> None:
    if isinstance(move, Slots):
        settings.weights[0, place] = move.before
    elif isinstance(move, BatchBound):
        settings.bounds[0, place] = UNBOUNDED if move.before is None else move.before
    elif isinstance(move, Trigger):
        settings.triggers[0, place] = move.before
    elif isinstance(move, Partitions):
        settings.parts[0, place] = move.before


def _stands(fleet: Fleet, place: int, move: Move) -> bool:
    """Whether the lever stands as that move would have it."""
    if isinstance(move, Slots):
        return round(float(fleet.weights[place])) == move.after
    if isinstance(move, BatchBound):
        return rows_of(fleet.bounds[place]) == move.after
    if isinstance(move, Trigger):
        return bool(fleet.trigger_s[place] == move.after)
    return isinstance(move, Partitions) and bool(np.round(fleet.parts[place]) == move.after)
