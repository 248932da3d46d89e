"""Routing tables: which server holds which key of which stateful operator; versioned, and never changed once made.

Who uses them: planning makes them from pair counts; an engine sends keys where they say, and keeps them in a book of
versions and the instants from which they count; the loop's decisions compare two of them (`moved_from`).

A server here is a number from 0: instance p of every operator, or state partition p, that lives on one host.
A key that no table lists goes where the engine hashes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.seen.pairs import Key
from penstock.errors import ConfigError

LEFT, RIGHT = "left", "right"  # the operators' names where there are two and nobody named them


@dataclass(frozen=True, slots=True)
class KeyMove:
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

    def moved_from(self, before: "RoutingTable") -> tuple[KeyMove, ...]:
        """Every key whose server differs from the one in `before`, by operator, in the tables' order."""
        return tuple(
            KeyMove(operator, key, old.get(key), new.get(key))
            for operator in dict.fromkeys((*before.keys, *self.keys))
            for old, new in [(before.keys.get(operator, {}), self.keys.get(operator, {}))]
            for key in dict.fromkeys((*old, *new))
            if old.get(key) != new.get(key)
        )
