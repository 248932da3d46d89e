"""Thinning: a long timeline cut into as many slices as a screen has room for, with its gaps kept as gaps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from penstock.core.documents import mean

SLICES = 240
GAP = 5.0  # so many usual intervals without a cycle are an outage, and not a late round


@dataclass(frozen=True, slots=True)
class CycleSlice:
    """Some neighbouring cycles, numbered from `first` up to `end`; none in a gap."""

    from_s: float
    to_s: float
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class CycleSlices:
    """A whole run in slices, each beginning where the one before ends."""

    parts: tuple[CycleSlice, ...]

    @property
    def start_s(self) -> float:
        """When the first cycle was."""
        return self.parts[0].from_s

    @property
    def end_s(self) -> float:
        """When the last cycle would have been followed by another."""
        return self.parts[-1].to_s

    def of(self, values: Sequence[float | None]) -> list[list[float]]:
        """The known values in each slice."""
        return [[value for value in values[part.first : part.end] if value is not None] for part in self.parts]

    def means(self, values: Sequence[float | None]) -> list[float | None]:
        """The mean of each slice, None where nothing is known."""
        return [mean(found) for found in self.of(values)]

    def place(self, at_s: float) -> float:
        """Where an instant lies, from 0 to 1."""
        return min(1.0, max(0.0, (at_s - self.start_s) / (self.end_s - self.start_s)))


def outages(at_s: Sequence[float]) -> tuple[int, ...]:
    """The numbers of the cycles before which nothing was recorded for long.

    >>> outages([0.0, 10.0, 20.5, 30.0, 900.0])
    (4,)
    """
    longest = GAP * _usual_s(at_s)
    return tuple(index for index in range(1, len(at_s)) if at_s[index] - at_s[index - 1] > longest)


def slices(at_s: Sequence[float], most: int = SLICES) -> CycleSlices:
    """About `most` slices of equally many cycles; a late cycle widens its slice, an outage has one of its own.

    >>> [(part.first, part.end) for part in slices([0.0, 10.0, 20.5, 30.0, 900.0], most=3).parts]
    [(0, 2), (2, 4), (4, 4), (4, 5)]
    """
    return CycleSlices(tuple(_cut(at_s, _usual_s(at_s), -(-len(at_s) // most))))


def _usual_s(at_s: Sequence[float]) -> float:
    return (median(later - now for now, later in pairwise(at_s)) if len(at_s) > 1 else 0.0) or 1.0


def _cut(at_s: Sequence[float], usual_s: float, size: int) -> Iterator[CycleSlice]:
    after_outage = frozenset(outages(at_s))
    first = 0
    for index in range(1, len(at_s) + 1):
        last = index == len(at_s)
        outage = index in after_outage
        if not (last or outage or index - first == size):
            continue
        until = at_s[index - 1] + usual_s if last or outage else at_s[index]
        yield CycleSlice(at_s[first], until, first, index)
        if outage:
            yield CycleSlice(until, at_s[index], index, index)
        first = index
