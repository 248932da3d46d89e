"""Names in a sentence: some of many, and how many more there are."""

from collections.abc import Sequence

NAMED = 3  # the rest are counted


def named(names: Sequence[str], most: int = NAMED, between: str = ", ") -> str:
    """The first of them, and how many more there are.

    >>> named(["ads", "clicks"]), named(["a", "b", "c", "d", "e"])
    ('ads, clicks', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def together(names: Sequence[str], most: int = NAMED) -> str:
    """As `named`, in a sentence that is of all of them.

    >>> together(["ads"]), together(["ads", "clicks", "geo"]), together(["a", "b", "c"], 2)
    ('ads', 'ads, clicks and geo', 'a, b and 1 more')
    """
    if len(names) < 2 or len(names) > most:
        return named(names, most)
    return f"{', '.join(names[:-1])} and {names[-1]}"
