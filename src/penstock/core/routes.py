"""Routes: what an engine tells of a job's locality-aware routing, and what a controller may do about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from penstock.core.pairs import PairCounts
from penstock.core.routing_table import RoutingTable

Links: TypeAlias = Mapping[tuple[str, str], PairCounts]  # (operator, next operator) -> what met there


@dataclass(frozen=True, slots=True)
class PastMove:
    """A re-routing that was carried out, and how long rows waited for it."""

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
    state_bytes: float | None = None  # of all keys of the routed operators together
    past: tuple[PastMove, ...] = ()
    newest_before: Links = field(default_factory=dict)
    basis_before: Links = field(default_factory=dict)
    window: int = 1


@dataclass(frozen=True, slots=True)
class Reroute:
    """One route of one job, from the table in force to a new one; an engine carries it out whole or not at all."""

    job: str
    route: str
    before: RoutingTable | None
    after: RoutingTable
    keys: int  # that move
