"""A plan for another rate that leaves threads where they are as far as it can.

Whole bundles stay on their slots; one that is no longer needed whole makes room for what is left of its operator.
Where several operators that share a slot no longer fit, those stay that keep the most threads from moving.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from penstock.core.known.allocation import Allocation
from penstock.core.known.placement import Machine, Placement, Slot, Thread
from penstock.errors import PlacementError
from penstock.planning.provision.acquire import acquire
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.predict import predict
from penstock.planning.provision.sam import ROUNDING, Bundle, SlotsLeft, bundles
from penstock.planning.provision.settings import PlaceSettings

EXHAUSTIVE = 12  # operators on a slot up to which every subset is tried; beyond, the largest stay first


@dataclass(frozen=True, slots=True)
class Replanned:
    """The new placement, and what it takes to get there, in threads per operator."""

    placement: Placement
    moved: Mapping[str, int]
    started: Mapping[str, int]
    stopped: Mapping[str, int]


def replan(
    before: Placement, rate: float, sizes: Sequence[int] = (1,), settings: PlaceSettings | None = None
) -> Replanned:
    """MBA for the new rate on the machines that there are, and on more of these sizes where they do not suffice."""
    settings = settings or PlaceSettings(routing=before.prediction.routing)
    old = before.allocation
    allocation = allocate(old.topology, rate, old.models, "mba", old.selectivity)
    there = before.threads_on()
    machines, more = before.machines, 0
    while True:
        try:
            groups = _settle(allocation, there, machines)
            break
        except PlacementError:
            more += 1
            if more > sum(allocation.threads.values()):
                raise
            machines = (*before.machines, *(_named(before, n, size) for n, size in enumerate(acquire(more, sizes))))
    slot_of = _threads_of(groups, before.slot_of)
    prediction = predict(allocation, machines, slot_of, settings.routing, settings.runtime)
    placement = Placement(allocation, machines, "replan", slot_of, prediction)
    return _counted(before, placement)


def _named(before: Placement, number: int, size: int) -> Machine:
    return Machine(size, f"m{len(before.machines) + number + 1}")


def _settle(
    allocation: Allocation, there: Mapping[Slot, Counter[str]], machines: Sequence[Machine]
) -> dict[Slot, Counter[str]]:
    """How many threads of each operator go on each slot."""
    wanted = list(bundles(allocation))
    parts = {bundle.operator: bundle for bundle in wanted if not bundle.whole}
    whole, settled = _whole_in_place([bundle for bundle in wanted if bundle.whole], parts, there)
    staying = _parts_in_place(parts, there, settled)
    room = SlotsLeft(machines)
    for slot, content in settled.items():
        here = [parts[name] for name in staying.get(slot, ())]
        full = slot not in staying
        cpu, memory = (1.0, 1.0) if full else (sum(p.cpu for p in here), sum(p.memory for p in here))
        room.occupy(int(room.first[slot.machine]) + slot.slot, cpu, memory)
        content.update({part.operator: part.threads for part in here})
    kept = {name for names in staying.values() for name in names}
    for bundle in (*whole, *(part for name, part in parts.items() if name not in kept)):
        settled.setdefault(room.take(bundle), Counter())[bundle.operator] += bundle.threads
    return settled


def _whole_in_place(
    wanted: Sequence[Bundle], parts: Mapping[str, Bundle], there: Mapping[Slot, Counter[str]]
) -> tuple[list[Bundle], dict[Slot, Counter[str]]]:
    """The whole bundles that find no slot of their own, and those that do: where that keeps the most threads."""
    homes: dict[str, list[tuple[int, Slot]]] = {}
    for slot, content in there.items():
        for operator in content:
            homes.setdefault(operator, []).append((_kept_by_whole(operator, content, parts), slot))
    for found in homes.values():
        found.sort(key=lambda home: (home[0], home[1]), reverse=True)
    without: list[Bundle] = []
    settled: dict[Slot, Counter[str]] = {}
    for bundle in wanted:
        free = [slot for kept, slot in homes.get(bundle.operator, ()) if kept > 0 and slot not in settled]
        if free:
            settled[free[0]] = Counter({bundle.operator: bundle.threads})
        else:
            without.append(bundle)
    return without, settled


def _kept_by_whole(operator: str, content: Mapping[str, int], parts: Mapping[str, Bundle]) -> int:
    """How many more threads stay where they are when this operator gets the slot than when all keep their parts."""
    others = sum(min(n, parts[name].threads) for name, n in content.items() if name != operator and name in parts)
    own = min(content[operator], parts[operator].threads) if len(content) > 1 and operator in parts else 0
    return content[operator] - own - others


def _parts_in_place(
    parts: Mapping[str, Bundle], there: Mapping[Slot, Counter[str]], settled: dict[Slot, Counter[str]]
) -> dict[Slot, tuple[str, ...]]:
    """Which partial bundles stay on which slot; those slots are added to `settled`, empty still."""
    home: dict[str, tuple[int, Slot]] = {}
    for slot, content in there.items():
        if slot not in settled:
            for name in content.keys() & parts.keys():
                home[name] = min(home.get(name, (0, slot)), (-content[name], slot))
    at: dict[Slot, list[Bundle]] = {}
    for name, (_, slot) in sorted(home.items()):
        at.setdefault(slot, []).append(parts[name])
    staying = {slot: _that_stay(found, there[slot]) for slot, found in sorted(at.items())}
    settled.update({slot: Counter() for slot in staying})
    return staying


def _that_stay(found: Sequence[Bundle], there: Mapping[str, int]) -> tuple[str, ...]:
    """Of the bundles that live on a slot, those that fit together and keep the most threads in place."""
    if _fit(found):
        return tuple(bundle.operator for bundle in found)
    worth = {bundle.operator: min(bundle.threads, there[bundle.operator]) for bundle in found}
    best: tuple[Bundle, ...] = ()
    if len(found) <= EXHAUSTIVE:
        subsets = [subset for size in range(len(found)) for subset in combinations(found, size) if _fit(subset)]
        best = max(subsets, key=lambda subset: sum(worth[bundle.operator] for bundle in subset))
    else:
        for bundle in sorted(found, key=lambda bundle: (-worth[bundle.operator], bundle.operator)):
            best = (*best, bundle) if _fit((*best, bundle)) else best
    return tuple(bundle.operator for bundle in best)


def _fit(found: Sequence[Bundle]) -> bool:
    return sum(b.cpu for b in found) <= 1 + ROUNDING and sum(b.memory for b in found) <= 1 + ROUNDING


def _threads_of(groups: Mapping[Slot, Counter[str]], before: Mapping[Thread, Slot]) -> dict[Thread, Slot]:
    """Threads by number: one that stays keeps its number where there is one for it."""
    free: dict[str, list[Slot]] = {}
    for slot in sorted(groups):
        for operator, threads in groups[slot].items():
            free.setdefault(operator, []).extend([slot] * threads)
    left = {slot: Counter(content) for slot, content in groups.items()}
    placed: dict[Thread, Slot] = {}
    for (operator, number), slot in before.items():
        if number < len(free.get(operator, ())) and left.get(slot, Counter())[operator] > 0:
            placed[operator, number] = slot
            left[slot][operator] -= 1
    for operator, slots in free.items():
        open_slots = [slot for slot in sorted(left) for _ in range(left[slot][operator])]
        numbers = [number for number in range(len(slots)) if (operator, number) not in placed]
        placed.update({(operator, number): slot for number, slot in zip(numbers, open_slots, strict=True)})
    return placed


def _counted(before: Placement, after: Placement) -> Replanned:
    """What stays, stays where some thread of its operator was: threads of one operator are all alike."""
    old, new = before.threads_on(), after.threads_on()
    kept: Counter[str] = Counter()
    for slot in old.keys() & new.keys():
        kept.update(old[slot] & new[slot])
    were, are = before.allocation.threads, after.allocation.threads
    return Replanned(
        placement=after,
        moved={name: min(were[name], are[name]) - kept[name] for name in are},
        started={name: max(0, are[name] - were[name]) for name in are},
        stopped={name: max(0, were[name] - are[name]) for name in are},
    )
