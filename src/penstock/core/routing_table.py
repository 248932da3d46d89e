"""Routing tables: which server holds which key of which stateful operator; versioned, and never changed once made.

Who uses them: planning makes them from pair counts; an engine puts salts in (`salted`), publishes them with an epoch
and asks `place` where a key goes; the loop's decisions compare two of them (`moved_from`).

A server here is a number from 0: instance p of every operator, or state partition p, that lives on one host.
A key that no table lists goes where the engine hashes it, which is what salt 0 means on Spark.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from penstock.core.pairs import Key
from penstock.errors import ConfigError

LEFT, RIGHT = "left", "right"  # the operators' names where there are two and nobody named them
NO_SALT = 0  # plain hashing


@dataclass(frozen=True, slots=True)
class Move:
    """One key of one operator that changes its server."""

    operator: str
    key: Key
    before: int | None  # None: it was not listed, so it lived where the engine hashed it
    after: int | None  # None: it is not listed any more


@dataclass(frozen=True, slots=True)
class RoutingTable:
    """Key to server for each operator of a chain or DAG, in the order in which rows pass them.

    `locality` is the share of rows that go from one operator to the next without leaving their server and
    `imbalance` the busiest server's rows over the mean, worst operator; both on the counts it was made from.

    >>> table = RoutingTable(2, {"left": {"Asia": 0}, "right": {"#java": 0, "#ruby": 1}})
    >>> table.left["Asia"], table.server("right", "#ruby"), table.server("right", "#new")
    (0, 1, None)
    """

    servers: int
    keys: Mapping[str, Mapping[Key, int]] = field(default_factory=dict)
    locality: float = 0.0
    imbalance: float = 1.0
    version: int = 0
    salts: Mapping[str, Mapping[Key, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for operator, keys in self.keys.items():
            for key, server in keys.items():
                if not 0 <= server < self.servers:
                    raise ConfigError(f"keys.{operator}[{key!r}]", server, f"a server is 0 to {self.servers - 1}")

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators, first to last."""
        return tuple(self.keys)

    @property
    def left(self) -> Mapping[Key, int]:
        """Key to server for the first operator."""
        return self._side(0)

    @property
    def right(self) -> Mapping[Key, int]:
        """Key to server for the second operator."""
        return self._side(1)

    def _side(self, number: int) -> Mapping[Key, int]:
        names = self.operators
        return self.keys[names[number]] if number < len(names) else {}

    def server(self, operator: str, key: Key) -> int | None:
        """The server that the table gives the key; None when it does not list it."""
        return self.keys.get(operator, {}).get(key)

    def place(self, operator: str, key: Key, fallback: Callable[[Key], int]) -> int:
        """Where the key really goes; `fallback` hashes as the engine does."""
        listed = self.server(operator, key)
        return fallback(key) if listed is None else listed

    def salt(self, operator: str, key: Key) -> int:
        """The salt that sends the key to its server; `NO_SALT` for keys that are not listed."""
        return self.salts.get(operator, {}).get(key, NO_SALT)

    def salted(self, salts: Mapping[str, Mapping[Key, int]]) -> "RoutingTable":
        """The same table with the salts that an engine found for its keys."""
        return replace(self, salts=salts)

    def moved_from(self, before: "RoutingTable") -> tuple[Move, ...]:
        """Every key whose server differs from the one in `before`, by operator, in the tables' order."""
        return tuple(
            Move(operator, key, old.get(key), new.get(key))
            for operator in dict.fromkeys((*before.keys, *self.keys))
            for old, new in [(before.keys.get(operator, {}), self.keys.get(operator, {}))]
            for key in dict.fromkeys((*old, *new))
            if old.get(key) != new.get(key)
        )


@dataclass(frozen=True, slots=True)
class Epoch:
    """A table and the instant (event time, seconds) from which windows that begin then or later follow it."""

    from_s: float
    table: RoutingTable


@dataclass(frozen=True, slots=True)
class Epochs:
    """All tables that were ever published for a route. A published epoch never changes, so that a batch that is
    run again finds the salts that it had.

    >>> first = Epochs().published(RoutingTable(2), 0.0)
    >>> both = first.published(RoutingTable(2), 600.0)
    >>> [epoch.table.version for epoch in both.epochs], both.at(599.0).version, both.at(600.0).version
    ([1, 2], 1, 2)
    """

    epochs: tuple[Epoch, ...] = ()

    @property
    def newest(self) -> Epoch | None:
        """The last one published, in force or not yet."""
        return self.epochs[-1] if self.epochs else None

    def at(self, time_s: float) -> RoutingTable | None:
        """The table that a window beginning at `time_s` follows; None before the first: plain hashing."""
        number = bisect_right(self.epochs, time_s, key=lambda epoch: epoch.from_s)
        return self.epochs[number - 1].table if number else None

    def published(self, table: RoutingTable, from_s: float) -> "Epochs":
        """One more, numbered after the last. It must begin after the last one began."""
        if self.epochs and from_s <= self.epochs[-1].from_s:
            raise ConfigError("from_s", from_s, f"a new epoch begins after {self.epochs[-1].from_s:g}, the last one")
        version = self.epochs[-1].table.version + 1 if self.epochs else 1
        return Epochs((*self.epochs, Epoch(from_s, replace(table, version=version))))
