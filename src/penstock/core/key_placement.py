"""Where the keys of an operator live; absent where nobody works it out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeysOnMachine:
    """What of an operator's keys lives on one machine; `share` is that of its rows."""

    machine: str
    partitions: int
    keys: int | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class KeyPlacement:
    """Where the keys of one operator live; `locality` is the share of rows that stay on their machine."""

    operator: str
    machines: tuple[KeysOnMachine, ...]
    locality: float | None = None
    table: int | None = None  # the version of the routing table
