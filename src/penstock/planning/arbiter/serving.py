"""Serving: in which order Spark's FAIR pools are given slots, and how many each has of it on the whole.

A slot that comes free is offered to the pools with fewer tasks than their floor first, then to that with the fewest for
its weight, and of those that have as few to the first by name. So each pool's first slot, second, and so on have places
in one order, and each is had as far as those before it leave any free: on the whole, for who is active and who pauses
changes all the time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats

_ONE_BY_ONE = 4  # slots of a job that are looked at one by one; the more it has the more of them at once
_SPREAD = 1.0  # of the slots in use: their square root times this, tried on twins and on records of real runs
_OWN_SPREAD = 0.3  # of the slots that are looked at at once, for they may be had in part
_LOGISTIC = 1.7  # makes it look like a bell's
_ALL_BELOW = 1e6  # a place before all that are not below their floor
_BY_NAME = 1e-6  # less than any two weights make of a difference


@dataclass(frozen=True, slots=True)
class SlotOrder:
    """Slots of each job (candidates, portions, jobs), in the order in which Spark gives them.

    Jobs are the last axis: there may be thousands of them, but few portions, and numpy goes along the last axis.
    """

    there: Floats  # slots in each candidate
    portions: Floats  # how many are looked at at once
    wanted: Floats  # of each portion, by a job's tasks
    earlier: Floats  # of the same job
    order: NDArray[np.intp]  # portions of all jobs, candidate by candidate, the first to be served first

    def again(self, count: int) -> "SlotOrder":
        """All of it so many times, below one another."""
        begins = self.wanted.size * np.arange(count)
        order = (self.order + begins[:, None, None]).reshape(-1, self.order.shape[1])
        wanted, earlier = (np.tile(of, (count, 1, 1)) for of in (self.wanted, self.earlier))
        return SlotOrder(np.tile(self.there, (count, 1)), self.portions, wanted, earlier, order)

    def slots(self, used: Floats) -> Floats:
        """Each job's while its stages are under way, where all use so much of theirs on the whole."""
        used = used[:, None, :]
        in_order = (used * self.wanted).reshape(-1)[self.order]
        before = np.empty(self.wanted.size)
        before[self.order] = np.cumsum(in_order, axis=1) - in_order
        others = np.maximum(before.reshape(self.wanted.shape) - used * self.earlier, 0.0)
        # While it is looked at, a job has all its earlier ones.
        free = self.there[:, :, None] - others - self.earlier
        spread = np.sqrt(np.minimum((_OWN_SPREAD * self.portions) ** 2, others) + _SPREAD**2 * others) + 1e-6
        had = 1.0 / (1.0 + np.exp(np.clip(_LOGISTIC * (0.5 * self.portions - free) / spread, -50.0, 50.0)))
        found: Floats = (self.wanted * had).sum(axis=1)
        return found


def slot_order(weights: Floats, floors: Floats, tasks: Floats, by_name: NDArray[np.intp], there: Floats) -> SlotOrder:
    """The order for these weights and floors; no job has more slots than tasks."""
    portions = _portions(float(np.min([tasks.max(), there.max()])))[:, None]
    before = np.cumsum(portions, axis=0) - portions
    wanted = np.clip(np.minimum(tasks, there)[:, None, :] - before, 0.0, portions)
    floor = floors[:, None, :]
    below = before / np.maximum(floor, 1.0) - _ALL_BELOW
    places = np.where(before < floor, below, before / weights[:, None, :]) + _BY_NAME * by_name
    order = np.argsort(places.reshape(len(weights), -1), axis=1, kind="stable")
    order += places[0].size * np.arange(len(weights))[:, None]
    return SlotOrder(there, portions, wanted, np.cumsum(wanted, axis=1) - wanted, order)


def _portions(most: float) -> Floats:
    """One by one at first, then twice as many at once, and so on.

    >>> _portions(13.0)
    array([1., 1., 1., 1., 2., 4., 3.])
    """
    found, size = [1.0] * _ONE_BY_ONE, 2.0
    while sum(found) < most:
        found.append(size)
        size *= 2.0
    ends = np.minimum(np.cumsum(found), most)
    portions: Floats = np.diff(ends, prepend=0.0)
    return portions[portions > 0.0]
