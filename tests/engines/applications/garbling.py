"""JSON with an odd value by chance: what a stranger, or a program that errs, may say."""

import json
import random
from collections.abc import Iterator
from typing import Any

ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 0.5, 2**53 + 1, 10**30, float("inf"), float("nan"), "9" * 5000),
    *("", "soon", "\x1b[2J\n", "\ud800", [], {}, [None], {"a": None}, [[1, 2]]),
)


def garbled(said: Any, chance: random.Random) -> Any:
    """The same with an odd value in the place of one of its own, or one left out or named otherwise."""
    copy = json.loads(json.dumps(said))
    holder, key = chance.choice(list(_places(copy)))
    how = chance.random() if isinstance(holder, dict) else 1.0
    value = chance.choice(ODD)
    if how < 0.15:
        del holder[key]
    elif how < 0.3:
        holder[str(value)] = holder.pop(key)
    else:
        holder[key] = value
    return copy


def garbled_bytes(raw: bytes, chance: random.Random) -> bytes:
    """Some of them others, or not there."""
    found = bytearray(raw)
    for _ in range(chance.randint(1, 4)):
        found[chance.randrange(len(found))] = chance.randrange(256)
    return bytes(found[: chance.randint(1, len(found))] if chance.random() < 0.3 else found)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(keys):
        yield value, key
        yield from _places(inner)
