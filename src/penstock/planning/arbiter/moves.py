"""The moves from how the levers stand to how they are to stand."""

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from penstock.core.levers import BatchBound, Move, Partitions, Slots, Trigger
from penstock.planning.arbiter.candidates import Settings, present, rows_of
from penstock.planning.arbiter.fleet import Fleet


def moves_to(fleet: Fleet, best: Settings) -> tuple[Move, ...]:
    """Job by job."""
    moves: list[Move] = []
    for place in np.flatnonzero(_turned(fleet, best)):
        name = fleet.names[place]
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


def _turned(fleet: Fleet, best: Settings) -> NDArray[np.bool_]:
    """The jobs of which any lever is to stand otherwise."""
    stands = present(fleet)
    levers = [getattr(best, one.name) != getattr(stands, one.name) for one in fields(best)]
    turned: NDArray[np.bool_] = np.any(levers, axis=(0, 1))
    return turned
