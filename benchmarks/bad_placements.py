"""Placements that nobody would choose, to see whether the prediction tells them from good ones."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from penstock.core.known.placement import Placement, Slot, Thread
from penstock.planning.provision.predict import predict
from penstock.planning.provision.settings import PlaceSettings

Spoilt = Callable[[Placement], Mapping[Thread, Slot]]


def crowded(placement: Placement) -> Mapping[Thread, Slot]:
    """Every operator wholly on one slot, in turn: the threads of one do not stay within what they gain there."""
    slots = list(placement.threads_on())
    names = [name for name in placement.allocation.topology.operators if placement.allocation.threads[name]]
    home = {name: slots[number % len(slots)] for number, name in enumerate(names)}
    return {thread: home[thread[0]] for thread in placement.slot_of}


def lopsided(placement: Placement) -> Mapping[Thread, Slot]:
    """Three quarters of each operator's threads on its first slot, or on the plan's where it has but one."""
    slots = list(placement.threads_on())
    threads = placement.allocation.threads
    found = {}
    for (name, number), slot in placement.slot_of.items():
        found[name, number] = slots[0] if number < 0.75 * threads[name] else slot
    return found


SPOILT: Mapping[str, Spoilt] = {"crowded": crowded, "lopsided": lopsided}


def spoilt(placement: Placement, how: str, settings: PlaceSettings) -> Placement:
    """The same threads on the same machines, put there that badly, with what is predicted of it."""
    slot_of = SPOILT[how](placement)
    allocation, machines = placement.allocation, placement.machines
    prediction = predict(allocation, machines, slot_of, settings.routing, settings.runtime)
    return replace(placement, slot_of=slot_of, prediction=prediction)
