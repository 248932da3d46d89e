"""Routes: what an engine tells of a job's locality-aware routing, and what a controller may do about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import Key, PairCounts

Links: TypeAlias = Mapping[tuple[str, str], PairCounts]  # (operator, next operator) -> what met there


class NamedRoute:
    """What a tenants file may name as a route of a job; an engine has its own kind of it."""


@dataclass(frozen=True, slots=True)
class PastMove:
    """A re-routing that was carried out: the keys whose state moved, its bytes, and how long rows waited for it."""

    keys: int
    moved_bytes: float
    pause_s: float


@dataclass(frozen=True, slots=True)
class RouteFigures:
    """A route by its last window of statistics that has ended; told until the next one ends or the route changes.

    `window` is that window's number: a later one has a higher number, also after the engine was started again. Whoever
    judges windows remembers which it has judged.

    `newest` holds the pairs of that window, `basis` these with the fading ones before (`PairHistory`), and
    `newest_before` and `basis_before` what these two were a window ago. `rows_rps` counts rows handed from a
    routed operator to the next. `table` is the one in force, `table_age_s` its age when the window ended.

    `unlisted` holds, by operator, where the engine puts each key of these statistics while no table lists it. An
    operator is absent from it where that cannot be said: one with windows has a key elsewhere in each window.

    `got` holds, by operator, the rows that each server got, fading as `basis` does.
    """

    job: str
    route: str
    servers: int
    window_s: float
    newest: Links
    basis: Links
    rows_rps: float
    table: RoutingTable | None = None  # None: plain hashing
    table_age_s: float = 0.0
    row_bytes: float | None = None
    key_bytes: float | None = None  # of a key's state: the mean of all at the last move, else of those written last
    past: tuple[PastMove, ...] = ()
    newest_before: Links = field(default_factory=dict)
    basis_before: Links = field(default_factory=dict)
    window: int = 1
    carried: tuple[str, ...] | None = None  # the operators whose state moves with their keys; None: all of them
    unlisted: Mapping[str, Mapping[Key, int]] = field(default_factory=dict)
    got: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
