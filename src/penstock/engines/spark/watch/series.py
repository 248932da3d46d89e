"""What is kept of a series: all since an instant, and the one before it, from which the first span is reckoned."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def since(series: tuple[T, ...], at_s: Sequence[float], from_s: float) -> tuple[T, ...]:
    """The series without what came before the last that is older than `from_s`; two at least.

    >>> since(("a", "b", "c", "d"), [1.0, 2.0, 3.0, 4.0], 3.5)
    ('c', 'd')
    >>> since(("a", "b"), [1.0, 2.0], 9.0)
    ('a', 'b')
    """
    first = 0
    while first < len(series) - 2 and at_s[first + 1] < from_s:
        first += 1
    return series[first:]
