"""The levers as commands: what each takes, how its values are written, and how all of them stand, in lines."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from penstock.core.levers import Dial, Kind
from penstock.core.units import seconds, size_mib
from penstock.core.visible import visible
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


LEVER_COMMANDS = (
    LeverCommand(
        "bound",
        ("job", "rows"),
        rows,
        "Read at most ROWS in each batch of JOB; `none` removes the bound.",
        "penstock control bound fraud 2000",
    ),
    LeverCommand(
        "slots", ("job", "n"), number, "Set the weight of JOB for dividing the slots.", "penstock control slots fraud 4"
    ),
    LeverCommand(
        "tasks",
        ("job", "operator", "n"),
        number,
        "Set the threads of one OPERATOR of JOB, if each operator has its own.",
        "penstock control tasks fraud aggregate 4",
    ),
    LeverCommand(
        "partitions",
        ("job", "n"),
        number,
        "Set the number of state partitions of JOB. Its query restarts.",
        "penstock control partitions fraud 8",
    ),
    LeverCommand(
        "trigger",
        ("job", "interval"),
        interval_s,
        "Set the time between batches of JOB, such as 5s.",
        "penstock control trigger fraud 5s",
    ),
    LeverCommand(
        "executors", ("n",), number, "Set the number of executors of the application.", "penstock control executors 4"
    ),
    LeverCommand(
        "memory",
        ("size",),
        heap_mib,
        "Set the heap of each executor, such as 512m or 2g.",
        "penstock control memory 2g",
    ),
)


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
