"""In a hurry: before anybody knows what batches cost, whoever is in the greatest hurry is served first.

Until then batches grow, for each finds the rows that came during the one before it, and long ones of others hold the
slots that it waits for. Shares take nothing from anybody while there is enough for all; as soon as costs are known all
are decided over anew.
"""

import math

from penstock.core.asked.intents import Latency
from penstock.core.asked.slot_limits import SlotLimits, weight_for
from penstock.core.levers import ALL_OPERATORS, Move, Slots
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.columns import most_weight
from penstock.planning.arbiter.fleet import slots_follow
from penstock.planning.arbiter.search import MANY

_AS_MUCH = 0.5  # of the greatest hurry there is
_FEW = 0.5  # of the jobs: where more are in as great a hurry nobody stands out
_MOST = 0.75  # of the slots, for those together


def first_in_a_hurry(view: View) -> tuple[Move, ...]:
    """The slots of whoever asks for the most utility within the fewest seconds; none where somebody chose how many."""
    jobs = [job for job in view.jobs if shares_pool(job.figures)]
    weights = [job.figures.operator(ALL_OPERATORS).threads for job in jobs]
    slots = view.slots or 0
    if slots < 2 or slots_follow(view) or not 2 <= len(jobs) <= MANY or len(set(weights)) > 1:
        return ()
    most = _AS_MUCH * max(map(_hurry, jobs))
    first = [job for job in jobs if _hurry(job) >= most > 0.0]
    if not first or len(first) > _FEW * len(jobs):
        return ()
    others = weights[0] * (len(jobs) - len(first))
    each = math.ceil(weight_for(min(math.ceil(_MOST * slots), slots - 1), slots, others) / len(first))
    most_of_all = SlotLimits().most_weight(slots, len(jobs))
    moves = (Slots(job.name, weights[0], min(each, most_weight(job.figures, most_of_all))) for job in first)
    return tuple(move for move in moves if move.after > move.before)


def _hurry(job: JobView) -> float:
    """Utility for each second of its target; what is no latency is in none."""
    asked = [one for one in job.intent.objectives if isinstance(one, Latency)]
    return max((one.utility / one.target_s for one in asked), default=0.0)
