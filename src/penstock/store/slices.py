"""Slices: a run cut into equal lengths of time. Those that are over never change, so each is read once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

KEPT = 64  # kinds of figures, over all runs and widths; those not asked for longest go first


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
        return found

    def _of(self, key: Hashable, first: int) -> _Known:
        with self._lock:
            known = self._known.get(key)
            if known is None or known.first > first:
                known = self._known[key] = _Known(first, first)
            self._known.move_to_end(key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            return known
