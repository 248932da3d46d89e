"""The fewest slots that bundles can do with: what SAM's best fit leaves on the table."""

from collections.abc import Sequence
from typing import NamedTuple

from penstock.core.known.allocation import Allocation
from penstock.core.known.placement import Machine, Slot, Thread
from penstock.errors import PlacementError
from penstock.planning.provision.packing import pack
from penstock.planning.provision.sam import ROUNDING, Bundle, SlotsLeft, bundles
from penstock.planning.provision.settings import PlaceSettings


class Packed(NamedTuple):
    """A mapping, and the fewest slots of any by the same rules, as far as the solver could tell."""

    slot_of: dict[Thread, Slot]
    least_slots: int


def map_best(allocation: Allocation, machines: Sequence[Machine], settings: PlaceSettings) -> Packed:
    """SAM's bundles, with those that share slots packed as well as a solver can within its time."""
    groups, least = grouped(allocation, settings)
    room = SlotsLeft(machines)
    placed: dict[Thread, Slot] = {}
    for group in groups:
        slot = room.take(Bundle(group[0].operator, 0, group[0].threads, 1.0, 1.0, whole=True))
        placed.update({(part.operator, part.first + k): slot for part in group for k in range(part.threads)})
    return Packed(placed, least)


def grouped(allocation: Allocation, settings: PlaceSettings) -> tuple[list[tuple[Bundle, ...]], int]:
    """The bundles of each slot, and how few slots there could be at least."""
    found = list(bundles(allocation))
    for bundle in found:
        if max(bundle.cpu, bundle.memory) > 1 + ROUNDING:
            remedy = (
                f"{bundle.threads} threads of it need {bundle.cpu:.0%} CPU and {bundle.memory:.0%} memory of a slot"
            )
            raise PlacementError(bundle.operator, 1, remedy)
    whole = [(bundle,) for bundle in found if bundle.whole]
    parts = [bundle for bundle in found if not bundle.whole]
    packing = pack([(part.cpu, part.memory) for part in parts], settings.time_limit_s)
    return [*whole, *(tuple(parts[n] for n in content) for content in packing.bins)], len(whole) + packing.at_least
