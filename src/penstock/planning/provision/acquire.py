"""Which machines to get for so many slots, and what they cost ("Model-driven scheduling", section 7.1)."""

from collections.abc import Mapping, Sequence

from penstock.core.units import is_number
from penstock.errors import ConfigError


def acquire(slots: int, sizes: Sequence[int]) -> list[int]:
    """The slots of each machine to get: as many of the largest as are filled, then the smallest that takes the rest.

    >>> acquire(slots=13, sizes=[4, 2, 1])
    [4, 4, 4, 1]
    """
    wanted = whole_number(slots, "slots", at_least=0)
    offered = sorted({whole_number(size, "sizes", at_least=1) for size in sizes})
    if not offered:
        raise ConfigError("sizes", list(sizes), "give at least one size of machine, in slots")
    largest = offered[-1]
    rest = wanted % largest
    last = [next(size for size in offered if size >= rest)] if rest else []
    return [largest] * (wanted // largest) + last


def hourly_price(machines: Sequence[int], prices: Mapping[int, float]) -> float | None:
    """What these machines cost an hour, by the price of each size; None when a size has no price.

    >>> hourly_price([4, 4, 1], {1: 0.098, 4: 0.392})
    0.882
    """
    known = [prices.get(size) for size in machines]
    return None if any(price is None for price in known) else round(sum(price or 0.0 for price in known), 6)


def whole_number(value: object, field: str, at_least: int) -> int:
    """A whole number from `at_least` on; those of numpy are fine, and so is 4.0."""
    if not is_number(value) or value != int(value) or value < at_least:
        raise ConfigError(field, value, f"write a whole number, at least {at_least}")
    return int(value)
