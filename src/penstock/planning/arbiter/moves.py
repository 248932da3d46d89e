"""The moves from how the levers stand to how they are to stand."""

from penstock.core.levers import BatchBound, Move, Partitions, Slots, Trigger
from penstock.planning.arbiter.candidates import Settings, rows_of
from penstock.planning.arbiter.fleet import Fleet


def moves_to(fleet: Fleet, best: Settings) -> tuple[Move, ...]:
    """Job by job."""
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
