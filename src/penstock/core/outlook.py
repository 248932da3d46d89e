"""The outlook: what is expected of a job, and where its keys live; absent where nobody works it out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Forecast:
    """Arrivals to come: value number i is that of `from_s + i * step_s`; `level` is the share within the interval."""

    method: str
    from_s: float
    step_s: float
    mean_rps: tuple[float, ...]
    low_rps: tuple[float, ...] = ()
    high_rps: tuple[float, ...] = ()
    level: float | None = None


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
