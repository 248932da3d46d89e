"""The columns of a routed key, as a user names them: one, or several in their order."""

from collections.abc import Sequence
from typing import TypeAlias

KeyColumns: TypeAlias = str | Sequence[str]


def columns_of(key: KeyColumns) -> tuple[str, ...]:
    """Their names.

    >>> columns_of("region"), columns_of(["region", "hashtag"])
    (('region',), ('region', 'hashtag'))
    """
    return (key,) if isinstance(key, str) else tuple(key)
