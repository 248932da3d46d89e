"""Names in a sentence: some of many, and how many more there are."""

from collections.abc import Sequence

NAMED = 3  # the rest are counted


def named(names: Sequence[str], most: int = NAMED, between: str = ", ") -> str:
    """The first of them, and how many more there are.

    >>> named(["ads", "clicks"]), named(["a", "b", "c", "d", "e"]), named(["a", "b", "c"], 2, " and ")
    ('ads, clicks', 'a, b, c and 2 more', 'a and b and 1 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more
