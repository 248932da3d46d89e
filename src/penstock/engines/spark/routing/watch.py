"""What the engine knows of one job's route between two rounds: the pairs that met, the table in force, past moves.

Pairs come with every batch (`ps.measured(..., pairs=...)`). When a window of them is full it is closed, and told from
then on, with what came before it fading, until the next one is; a re-routing makes it void and starts a new one.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Table
from penstock.core.seen.key_placement import KeyPlacement
from penstock.core.seen.pairs import Key
from penstock.core.seen.routes import Links, PastMove, RouteFigures
from penstock.correlation.sampling import one_in_for
from penstock.correlation.windows import PairWindows
from penstock.engines.spark.routing.key_homes import key_placements
from penstock.engines.spark.routing.migration import Moved
from penstock.engines.spark.routing.pair_draw import draw_one_in
from penstock.engines.spark.routing.placement import operator_rows, partition_rows
from penstock.engines.spark.routing.reroute import Routed, reroute
from penstock.engines.spark.routing.unlisted import places
from penstock.engines.spark.watch.machines import Executor
from penstock.engines.spark.watch.progress import Batch
from penstock.errors import EngineError

_PAST_MOVES = 10


@dataclass(slots=True)
class RouteWatch:
    """The engine alone changes it."""

    routed: Routed
    window_s: float
    memory_s: float  # a pair counts half after so long
    opened_s: float | None = None
    last_batch_s: float | None = None  # when it started
    table_since_s: float = 0.0
    past: tuple[PastMove, ...] = ()
    windows: PairWindows = field(init=False)
    loads: tuple[float, ...] = ()  # rows by partition in the last window of pairs; none known: all the same
    homes: Mapping[int, Executor] = field(default_factory=dict)
    placements: tuple[KeyPlacement, ...] = ()
    told: RouteFigures | None = None  # of the last window that was closed
    last_window: int = 0
    key_bytes: float | None = None  # of state, as the last migration found it
    promised: RoutingTable | None = None  # the table in force as it was made: the book does not keep what it promised

    def __post_init__(self) -> None:
        self.windows = PairWindows(tuple(pairwise(self.routed.route.operators)), self.memory_s)

    def add(self, batch: Batch) -> None:
        """A batch was committed."""
        drawn, before_s = batch.drawn, self.last_batch_s
        self.last_batch_s = batch.started_s
        if not drawn.pairs or len(drawn.pairs) != len(self.windows.newest):
            return
        if self.opened_s is None:
            self.opened_s = batch.started_s
        self.windows.add(drawn.pairs)
        of_window = 1.0 if before_s is None else (batch.started_s - before_s) / self.window_s
        draw_one_in(drawn.cell, one_in_for(batch.rows, of_window))

    def close_window(self, wall_s: float, key_bytes: float | None) -> None:
        """Once a window of pairs is full, it is what is told, and the next one begins."""
        if self.opened_s is None or wall_s - self.opened_s < self.window_s or not self.routed.route.windowed:
            return
        self.told = self._closed(self.opened_s, wall_s, key_bytes)

    def _closed(self, opened_s: float, wall_s: float, key_bytes: float | None) -> RouteFigures:
        length_s, windows, route = wall_s - opened_s, self.windows, self.routed.route
        windows.close(length_s)
        self.opened_s = wall_s
        table = self._table()
        self._learn(table)
        # By the clock, so that a controller that comes back does not take a new window for one that was judged.
        self.last_window = max(self.last_window + 1, int(wall_s * 1000.0))
        statistics = (windows.newest, windows.basis, windows.newest_before, windows.basis_before)
        unlisted = places(statistics, route.kinds, table.servers)
        windows.carry(_carried(table, windows.newest, unlisted))
        return RouteFigures(
            job=self.routed.job.name,
            route=route.name,
            servers=table.servers,
            window_s=length_s,
            newest=windows.newest,
            basis=windows.basis,
            rows_rps=sum(pairs.rows for pairs in windows.newest.values()) / length_s,
            table=table if any(table.keys.values()) else None,
            table_age_s=wall_s - self.table_since_s,
            key_bytes=key_bytes if self.key_bytes is None else self.key_bytes,
            past=self.past,
            newest_before=windows.newest_before,
            basis_before=windows.basis_before,
            window=self.last_window,
            carried=tuple(operator for operator, windowed in route.windowed.items() if not windowed),
            unlisted=unlisted,
            got=windows.got,
        )

    def housed(self, homes: Mapping[int, Executor]) -> None:
        """Its partitions are there."""
        if {partition: home.id for partition, home in homes.items()} != {p: home.id for p, home in self.homes.items()}:
            self.homes = homes
            self._place_keys(self._table())

    def carry_out(self, move: Table, query: StreamingQuery, wall_s: float) -> StreamingQuery:
        """Re-route; the query that runs afterwards is returned, the same one where it did not have to stop."""
        if move.route != self.routed.route.name:
            raise EngineError(f"{move.job} has no route {move.route!r}; its route is {self.routed.route.name!r}")
        began = time.monotonic()
        change = reroute(self.routed, query, move.after)
        pause_s = 0.0 if change.query is query else time.monotonic() - began
        self._remember(change.moved, pause_s)
        self.table_since_s = wall_s
        self.promised = replace(move.after, version=self._table().version)
        self._learn(self._table())
        self.opened_s = None
        self.windows.drop()
        self.told = None
        return change.query

    def _remember(self, moved: Moved, pause_s: float) -> None:
        self.past = (*self.past, PastMove(moved.keys, moved.state_bytes, pause_s))[-_PAST_MOVES:]
        if moved.held_keys:
            self.key_bytes = moved.held_bytes / moved.held_keys

    def _learn(self, table: RoutingTable) -> None:
        """Another table, or newer pairs: how heavy each partition is, and what is in it."""
        self.loads = partition_rows(table, self.windows.newest)
        self._place_keys(table)

    def _place_keys(self, table: RoutingTable) -> None:
        self.placements = key_placements(table, tuple(self.routed.route.operators), self.windows.newest, self.homes)

    def _table(self) -> RoutingTable:
        book = self.routed.route.book(self.routed.spark)
        table, made = book.table(book.changes()[-1].version), self.promised
        if made is None or made.version != table.version:
            return table
        return replace(table, locality=made.locality, imbalance=made.imbalance)


def _carried(table: RoutingTable, newest: Links, unlisted: Mapping[str, Mapping[Key, int]]) -> dict[str, list[float]]:
    """The rows of the newest window by operator and partition."""
    operators = dict.fromkeys(name for link in newest for name in link)
    found = {name: operator_rows(table, name, newest, unlisted.get(name)) for name in operators}
    return {name: rows for name, rows in found.items() if rows is not None}
