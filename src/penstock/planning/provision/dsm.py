"""Storm's default mapping: round robin over all slots ("Model-driven scheduling", algorithm 4)."""

from collections.abc import Mapping, Sequence

from penstock.core.known.allocation import Allocation
from penstock.core.known.placement import Machine, Slot, Thread
from penstock.planning.provision.settings import PlaceSettings


def map_dsm(allocation: Allocation, machines: Sequence[Machine], settings: PlaceSettings) -> Mapping[Thread, Slot]:
    """The threads of one operator after the other on the next slot each, from the first slot again after the last.

    Every slot takes any number of threads; none is asked what it has left.
    """
    slots = [Slot(machine, slot) for machine, size in enumerate(machines) for slot in range(size.slots)]
    threads = [(name, k) for name in allocation.topology.operators for k in range(allocation.threads[name])]
    return {thread: slots[n % len(slots)] for n, thread in enumerate(threads)}
