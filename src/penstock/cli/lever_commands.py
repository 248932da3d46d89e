"""The levers as commands: what each takes, how its values are written, and how all of them stand, in lines."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from penstock.core.levers import WORDS, Dial, Kind, unit_of
from penstock.core.safe_text import visible
from penstock.core.units import seconds, size_mib
from penstock.errors import ConfigError
from penstock.telling.levers import asked_text, lever_name, limits_text, now_text, owner


@dataclass(frozen=True, slots=True)
class LeverCommand:
    """A kind of lever as `penstock control` has it: its arguments in their order, the last of them the value."""

    kind: Kind
    takes: tuple[str, ...]
    read: Callable[[str], float | None]
    about: str
    example: str


class _Value(NamedTuple):
    """How the value of a lever is called as an argument, how it is read, and one as an example."""

    name: str
    read: Callable[[str], float | None]
    example: str


def rows(text: str) -> float | None:
    """Rows, or none: all that wait.

    >>> rows("2000"), rows("none")
    (2000.0, None)
    """
    return None if text == "none" else _number(text, "write a number of rows, such as 2000, or none")


def number(text: str) -> float:
    """A number of slots, tasks, partitions or executors."""
    return _number(text, "write a whole number, such as 4")


def interval_s(text: str) -> float:
    """How often, in seconds.

    >>> interval_s("250ms"), interval_s("5")
    (0.25, 5.0)
    """
    return float(text) if text.isdecimal() else seconds(text, "value")


def heap_mib(text: str) -> float:
    """A heap, in MiB.

    >>> heap_mib("2g"), heap_mib("512")
    (2048, 512)
    """
    return size_mib(text, "value")


_VALUES: Mapping[str, _Value] = {  # by what it counts
    "rows": _Value("rows", rows, "2000"),
    "s": _Value("interval", interval_s, "5s"),
    "MiB": _Value("size", heap_mib, "2g"),
}
_NUMBER = _Value("n", number, "4")


def _command(kind: Kind) -> LeverCommand:
    """A kind as its words in core tell of it: a new one is known to that file alone."""
    words, value = WORDS[kind], _VALUES.get(unit_of(kind), _NUMBER)
    whose = {} if words.of_all else {"job": "fraud"}
    which = {"operator": "aggregate"} if kind == "tasks" else {}
    given = {**whose, **which, value.name: value.example}
    example = " ".join(("penstock control", kind, *given.values()))
    return LeverCommand(kind, tuple(given), value.read, words.about, example)


LEVER_COMMANDS = tuple(map(_command, WORDS))


def lines_of(dials: Iterable[Dial]) -> list[str]:
    """A table of levers, with its heading."""
    table = [("of", "lever", "now", "pending", "limits", "a change disturbs", "effect shows"), *map(_cells, dials)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]


def _cells(dial: Dial) -> tuple[str, ...]:
    asked = asked_text(dial) or ""
    limits = limits_text(dial)
    cells = (owner(dial), lever_name(dial), now_text(dial), asked, limits, dial.disturbs.value, dial.shows.value)
    return tuple(map(visible, cells))


def _number(text: str, remedy: str) -> float:
    try:
        found = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise ConfigError("value", text, remedy) from None
    if not (math.isfinite(found) and found >= 0 and found == round(found)):
        raise ConfigError("value", text, remedy)
    return found
