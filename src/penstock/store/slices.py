"""Slices: a run cut into equal lengths of time. Those that are over never change, so each is read once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock

KEPT = 64  # kinds of figures, over all runs and widths; those not asked for longest go first


@dataclass(frozen=True, slots=True, order=True)
class Slice:
    """Slice `number` of what `name` did: its first instant, and its figures."""

    number: int
    name: str
    at_s: float
    figures: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """The slices from `first` up to `until`, which is not over yet."""

    first: int
    until: int
    slices: tuple[Slice, ...]


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
        with self._lock:
            known = self._known.get(key)
        if known is None or known.first > first:
            known = _Known(first, first, ())
        fresh = fetch(known.until)
        newest = max((found.number for found in fresh), default=known.until)
        over = (*known.slices, *(found for found in fresh if found.number < newest))
        with self._lock:
            self._known[key] = _Known(known.first, newest, over)
            self._known.move_to_end(key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return [found for found in (*known.slices, *fresh) if found.number >= first]
