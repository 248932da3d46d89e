"""Slices: a run cut into equal lengths of time. Those that are over never change, so each is read once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

KEPT = 64  # kinds of figures, over all runs and widths; those not asked for longest go first
MOST = 200_000  # slices of all kinds together, 0.3 kB each; one answer alone may have more


@dataclass(frozen=True, slots=True, order=True)
class Slice:
    """Slice `number` of what `name` did: its first instant, and its figures."""

    number: int
    name: str
    at_s: float
    figures: tuple[float | None, ...]


@dataclass(slots=True)
class _Known:
    """The slices from `first` up to `until`, which is not over yet. Who asks meanwhile waits instead of reading too."""

    first: int
    until: int
    slices: tuple[Slice, ...] = ()
    lock: Lock = field(default_factory=Lock)


class Slices:
    """What was read before, by key. `fetch(number)` reads all slices from that number on.

    >>> read = []
    >>> def fetch(first):
    ...     read.append(first)
    ...     return [Slice(number, "ads", 10.0 * number, (1.0,)) for number in range(first, 4)]
    >>> kept = Slices()
    >>> [len(kept.since("a", first, fetch)) for first in (0, 0, 2)], read
    ([4, 4, 2], [0, 3, 3])
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[Hashable, _Known] = OrderedDict()

    def since(self, key: Hashable, first: int, fetch: Callable[[int], list[Slice]]) -> list[Slice]:
        """The slices from `first` on, of which only those are fetched that were not over when last asked for."""
        known = self._of(key, first)
        with known.lock:
            fresh = fetch(known.until)
            found = [one for one in (*known.slices, *fresh) if one.number >= first]
            known.until = max((one.number for one in fresh), default=known.until)
            known.slices += tuple(one for one in fresh if one.number < known.until)
            if len(known.slices) > MOST:  # of a stretch that moved on with the run its beginning is asked for no more
                known.first, known.slices = first, tuple(one for one in known.slices if one.number >= first)
        self._make_room()
        return found

    def _of(self, key: Hashable, first: int) -> _Known:
        with self._lock:
            known = self._known.get(key)
            # What lies between two stretches that were asked for was not: it is not read.
            if known is None or not known.first <= first <= known.until:
                known = self._known[key] = _Known(first, first)
            self._known.move_to_end(key)
            return known

    def _make_room(self) -> None:
        with self._lock:
            kept = sum(len(known.slices) for known in self._known.values())
            while len(self._known) > KEPT or (kept > MOST and len(self._known) > 1):
                _, gone = self._known.popitem(last=False)
                kept -= len(gone.slices)
