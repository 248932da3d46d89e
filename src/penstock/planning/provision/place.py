"""Threads of an allocation on slots of machines, by the method's name, with what is predicted to come of it."""

import math
from collections.abc import Callable, Mapping, Sequence

from penstock.core.known.allocation import Allocation
from penstock.core.known.placement import Machine, Placement, Slot, Thread
from penstock.errors import ConfigError, PlacementError
from penstock.planning.provision.acquire import acquire, whole_number
from penstock.planning.provision.best import grouped, map_best
from penstock.planning.provision.dsm import map_dsm
from penstock.planning.provision.methods import DEFAULT_METHOD, METHODS
from penstock.planning.provision.predict import predict
from penstock.planning.provision.rsm import ThreadNeed, alone_need, map_rsm, map_rsm_by_need, shared_need
from penstock.planning.provision.sam import ROUNDING, bundles, map_sam, map_sam_by_need, slots_for
from penstock.planning.provision.settings import PlaceSettings

MOST_SLOTS = 50_000  # some seconds, too
MOST_THREADS = 2_000_000  # some seconds; a rate with more of them is a slip of the pen
# Of R-Storm, which looks for a place for each thread, and again with each number of slots that it tries.
MOST_BY_THREAD = 10_000
_TRIED_ONE_BY_ONE = 50_000  # threads that are placed in vain before numbers of slots are left out
_MAPPINGS = {
    "dsm": map_dsm,
    "rsm": map_rsm,
    "rsm-by-need": map_rsm_by_need,
    "sam": map_sam,
    "sam-by-need": map_sam_by_need,
}
_THREAD_NEEDS = {"rsm": alone_need, "rsm-by-need": shared_need}


def place(
    allocation: Allocation,
    machines: Sequence[int | Machine],
    method: str = DEFAULT_METHOD,
    settings: PlaceSettings | None = None,
) -> Placement:
    """Every thread on a slot of these machines (a number is a machine with that many slots).

    PlacementError names the operator for which nothing is left.

    >>> from penstock.core.known.performance import PerformanceModel
    >>> from penstock.core.seen.topology import Topology
    >>> from penstock.planning.provision.allocate import allocate
    >>> parse = PerformanceModel([(1, 300, 0.85, 0.23)])
    >>> p = place(allocate(Topology({"parse": []}), 450.0, {"parse": parse}), machines=[2])
    >>> p.slot_of[("parse", 1)], p.predicted_rate
    (Slot(machine=0, slot=1), 600.0)
    """
    settings = settings or PlaceSettings()
    _refuse_too_many(allocation, method)
    there = checked_machines(machines)
    slot_of, least = _mapped(allocation, there, method, settings)
    prediction = predict(allocation, there, slot_of, settings.routing, settings.runtime)
    return Placement(allocation, there, method, slot_of, prediction, least)


def _mapped(
    allocation: Allocation, machines: Sequence[Machine], method: str, settings: PlaceSettings
) -> tuple[Mapping[Thread, Slot], int | None]:
    if method == "best":
        return map_best(allocation, machines, settings)
    if method not in _MAPPINGS:
        raise ConfigError("place.method", method, f"choose one of {', '.join(METHODS)}")
    return _MAPPINGS[method](allocation, machines, settings), None


def place_on_fewest(
    allocation: Allocation, sizes: Sequence[int], method: str = DEFAULT_METHOD, settings: PlaceSettings | None = None
) -> Placement:
    """The placement on machines of these sizes, with the fewest slots beyond rho with which it succeeds (section 8.4).

    Of thousands of threads not every number of slots is tried: with one fewer it does not succeed. PlacementError when
    no number of slots would do.
    """
    settings = settings or PlaceSettings()
    _refuse_too_many(allocation, method)
    least = max(allocation.slots, 1, _at_least(allocation, max(acquire(1, sizes)), method, settings))
    threads = sum(allocation.threads.values())
    enough = least + threads  # a slot for every thread beyond it

    def place_on(slots: int) -> Placement:
        return place(allocation, acquire(slots, sizes), method, settings)

    return fewest(place_on, range(least, enough + 1), _TRIED_ONE_BY_ONE // max(1, threads))


def fewest(place_on: Callable[[int], Placement], slots: range, one_by_one: int) -> Placement:
    """The first of these that succeeds; after so many that did not, steps double, and are then halved again."""
    now, step, failed = slots[0], 1, slots[0] - 1
    while (found := _tried(place_on, now, last=now == slots[-1])) is None:
        failed, one_by_one = now, one_by_one - 1
        step = 1 if one_by_one > 0 else 2 * step
        now = min(now + step, slots[-1])
    while now - failed > 1:
        middle = (now + failed) // 2
        fewer = _tried(place_on, middle)
        failed, now, found = (middle, now, found) if fewer is None else (failed, middle, fewer)
    return found


def _tried(place_on: Callable[[int], Placement], slots: int, last: bool = False) -> Placement | None:
    try:
        return place_on(slots)
    except PlacementError:
        if last:
            raise
        return None


def _refuse_too_many(allocation: Allocation, method: str) -> None:
    threads = sum(allocation.threads.values())
    if method in _THREAD_NEEDS and threads > MOST_BY_THREAD:
        remedy = f"it takes a thread at a time, {MOST_BY_THREAD:,} at most, of {threads:,}; place with sam or dsm"
        raise ConfigError("place.method", method, remedy)
    if threads > MOST_THREADS:
        most = max(allocation.threads, key=lambda name: allocation.threads[name])
        remedy = (
            f"it takes {threads:,} threads, most of them of {most}; plan for a rate with {MOST_THREADS:,} at most, or "
            "give models of faster tasks"
        )
        raise ConfigError("rate", allocation.rate_rps, remedy)
    if allocation.slots > MOST_SLOTS:
        remedy = f"it takes {allocation.slots:,} slots; plan for a rate with {MOST_SLOTS:,} at most"
        raise ConfigError("rate", allocation.rate_rps, remedy)


def _at_least(allocation: Allocation, largest: int, method: str, settings: PlaceSettings) -> int:
    """Slots without which it cannot succeed; PlacementError where no number of them helps."""
    if method in _THREAD_NEEDS:
        return _for_threads(allocation, largest, _THREAD_NEEDS[method])
    if method == "best":
        return len(grouped(allocation, settings)[0])
    if method in ("sam", "sam-by-need"):
        found = list(bundles(allocation, as_printed=method == "sam"))
        for bundle in found:
            if max(bundle.cpu, bundle.memory) > 1 + ROUNDING:
                remedy = f"{bundle.threads} threads that belong on one slot need more than a slot; allocate with mba"
                raise PlacementError(bundle.operator, largest, remedy)
        return slots_for(found)
    return 0


def _for_threads(allocation: Allocation, largest: int, need: ThreadNeed) -> int:
    """No fewer slots have the CPU, nor the memory, of all threads together."""
    all_cpu = all_memory = 0.0
    for name, threads in ((name, count) for name, count in allocation.threads.items() if count):
        cpu, memory = need(allocation, name)
        if memory > 1 + ROUNDING or cpu > largest + ROUNDING:
            raise PlacementError(name, largest, "one thread of it needs more than there is on any machine")
        all_cpu, all_memory = all_cpu + threads * cpu, all_memory + threads * memory
    return math.ceil(max(all_cpu, all_memory) * (1 - ROUNDING))


def checked_machines(machines: Sequence[int | Machine]) -> tuple[Machine, ...]:
    """Machines with their slots, at least one of each."""
    if not isinstance(machines, (list, tuple)) or not machines:
        raise ConfigError("machines", machines, "give the slots of each machine, such as [4, 4, 2]")
    found = [machine if isinstance(machine, Machine) else Machine(machine) for machine in machines]
    checked = tuple(
        Machine(whole_number(machine.slots, f"machines[{n}].slots", 1), machine.name or f"m{n + 1}", machine.rack)
        for n, machine in enumerate(found)
    )
    slots = sum(machine.slots for machine in checked)
    if slots > MOST_THREADS:
        raise ConfigError("machines", f"{slots:,} slots", f"write {MOST_THREADS:,} in all, or less")
    return checked
