"""A column: one figure over the cycles of a run, compact, with absence as None."""

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T", bound=float)  # bool and int are read back from the floats that are kept


class Column(Sequence[T | None], Generic[T]):
    """Eight bytes per cycle, where a tuple of floats takes thirty-two: a day of forty jobs stays small.

    >>> threads = Column(int, [3, None, 5])
    >>> list(threads), threads[-1]
    ([3, None, 5], 5)
    """

    __slots__ = ("_read", "_values")

    def __init__(self, read: Callable[[float], T], values: Iterable[T | None] = ()) -> None:
        self._read = read
        self._values = array("d", (_kept(value) for value in values))

    @classmethod
    def of(cls, read: Callable[[float], T], values: "array[float]") -> "Column[T]":
        """A column of these values as they are, NaN where one is absent."""
        column = cls(read)
        column._values = values
        return column

    def extended(self, value: T | None, length: int) -> None:
        """Add a value as number `length`, counted from 0; the cycles without news before it are absent."""
        values = self._values
        missing = length - len(values)
        if missing > 0:
            values.extend([math.nan] * missing)
        values.append(math.nan if value is None else value)

    def part(self, start: int, length: int) -> "Column[T]":
        """A copy of the cycles from `start` up to number `length`, absent where nothing was added."""
        copy = Column(self._read)
        copy._values = self._values[start:length]
        copy._values.extend([math.nan] * (length - start - len(copy._values)))
        return copy

    @overload
    def __getitem__(self, index: int) -> T | None: ...

    @overload
    def __getitem__(self, index: slice) -> "Sequence[T | None]": ...

    def __getitem__(self, index: int | slice) -> "T | Sequence[T | None] | None":
        if isinstance(index, slice):
            return self._told(self._values[index])
        value = self._values[index]
        return None if value != value else self._read(value)

    def __iter__(self) -> Iterator[T | None]:
        return iter(self._told(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Sequence)
            and len(self) == len(other)
            and all(a == b for a, b in zip(self, other, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Column({self._read.__name__}, {list(self)!r})"

    def _told(self, values: "array[float]") -> list[T | None]:
        """All at once: a call for each of a week's took longer than all else that is done with them."""
        read = self._read
        return [None if value != value else read(value) for value in values]  # only NaN differs from itself


def _kept(value: float | None) -> float:
    return math.nan if value is None else float(value)
