"""The book of a route: its tables and when each came into force, in files that are written once and never changed.

    <home>/book.json                  the book's id, which the checkpoint beside it knows (see `tie`)
    <home>/operators.json             the route's operators and their key columns
    <home>/versions/000002.parquet    table 2, in the shape in which a query reads it (see `shape`)
    <home>/changes/000001.json        change 1: which table, from which window start, with which batch
    <home>/live.parquet               the tables that windows can still need; replaced as a whole, made of the others

Table 0 is empty and change 0 the beginning, with the newest table there was. All can be recovered from these files
and the checkpoint's commit log: for operators without windows a change is in force once its batch is committed.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.routing.damage import OF_A_BOOK, whole
from penstock.engines.spark.routing.shape import (
    MOST_PARTITIONS,
    SINCE_EVER_US,
    SLOTS,
    TableSlot,
    packed,
    slot_of,
    table_of,
    unpacked,
)
from penstock.errors import ConfigError, EngineError

LIVE = "live.parquet"
_ID, _OPERATORS, _VERSIONS, _CHANGES = "book.json", "operators.json", "versions", "changes"


@dataclass(frozen=True, slots=True)
class Change:
    """A table comes into force: for windows that begin at `cut_over_us` or later, elsewhere with batch `batch`.

    None: it does not concern such operators. `checkpoint` and `query_id` say whose batch is meant; the checkpoint may
    have been moved since, with the book. `withdraws`: that earlier change is not to be, and this one all that is left
    of it.
    """

    number: int
    version: int
    cut_over_us: int | None = None
    batch: int | None = None
    checkpoint: str | None = None
    query_id: str | None = None
    withdraws: int | None = None


class RouteBook:
    """The files of one route, beside the checkpoint of its query; None where that is made anew at each start."""

    def __init__(self, files: Files, checkpoint: Files | None = None) -> None:
        self.files = files
        self.checkpoint = checkpoint

    @property
    def home(self) -> str:
        """Where it is."""
        return self.files.location

    @property
    def is_begun(self) -> bool:
        """Whether there is such a book already."""
        return bool(self.files.names(_CHANGES))

    @property
    def id(self) -> str:
        """No other book has it; books of before there were ids have none until they are opened."""
        if not self.files.exists(_ID):
            return "without an id"
        text = self.files.load(_ID)
        with self._whole(_ID):
            return str(json.loads(text)["id"])

    def open(self, operators: Mapping[str, Sequence[str]], partitions: int, first: RoutingTable | None = None) -> bool:
        """Begin the book, with a first table if there is one, or check that it is one for the same operators.

        Makes the live file anew; True when the book was begun.
        """
        wanted = {name: list(columns) for name, columns in operators.items()}
        self.files.create(_ID, json.dumps({"id": uuid.uuid4().hex}))
        self.files.create(_OPERATORS, json.dumps(wanted, indent=1))
        if self.operators() != wanted:
            raise ConfigError(
                "operators", wanted, f"the tables in {self.home} are for {self.operators()}; use a new name"
            )
        if not self.versions():
            self.add(RoutingTable(partitions))
        begun = not self.is_begun
        if begun:
            version = self.versions()[-1] if first is None else self.add(first)
            self.record(Change(0, version, SINCE_EVER_US))
        self.write_live()
        return begun

    def operators(self) -> dict[str, list[str]]:
        """Each operator's key columns, in the order in which rows pass them."""
        text = self.files.load(_OPERATORS)
        with self._whole(_OPERATORS):
            return {str(name): [str(column) for column in columns] for name, columns in json.loads(text).items()}

    def versions(self) -> tuple[int, ...]:
        """The tables there are, oldest first; 0 is the empty one."""
        return tuple(sorted(_numbers(self.files.names(_VERSIONS), ".parquet")))

    def version_file(self, version: int) -> str:
        """Where a query reads that table, below the book."""
        return f"{_VERSIONS}/{version:06}.parquet"

    def table(self, version: int) -> RoutingTable:
        """The table of that version; its keys, or their parts, are texts (see `watch/key_texts`)."""
        slot, operators = self._slot(version), tuple(self.operators())
        with self._whole(self.version_file(version)):
            return table_of(slot, operators, version)

    def add(self, table: RoutingTable) -> int:
        """Keep one more table and return its version; it comes into force by a change only."""
        operators = tuple(self.operators())
        unknown = sorted(set(table.keys) - set(operators))
        if unknown:
            raise ConfigError("table", unknown[0], f"this route's operators are {', '.join(operators)}")
        if table.servers > MOST_PARTITIONS:
            raise ConfigError("table.servers", table.servers, f"routes lead to {MOST_PARTITIONS:,} partitions at most")
        used = [*self.versions(), *(change.version for change in self.changes())]
        version = max(used, default=-1) + 1
        self.files.write(self.version_file(version), packed([slot_of(table, operators)]))
        return version

    def lost(self) -> list[str]:
        """The files that must be there, since a later change or a change itself is, and are not."""
        found = {change.number: change.version for change in self.changes()}
        wanted = [_change_file(number) for number in range(max(found, default=-1)) if number not in found]
        tables = [self.version_file(version) for version in sorted(set(found.values()) - set(self.versions()))]
        return [*wanted, *tables]

    def changes(self) -> tuple[Change, ...]:
        """All changes, oldest first."""
        return tuple(self.change(number) for number in sorted(_numbers(self.files.names(_CHANGES), ".json")))

    def change(self, number: int) -> Change:
        """That change, which has been recorded."""
        text = self.files.load(_change_file(number))
        with self._whole(_change_file(number)):
            return _change_of(json.loads(text), number)

    def record(self, change: Change) -> None:
        """Write a change down. The same again does nothing; another under its number is refused."""
        self.files.create(_change_file(change.number), json.dumps(asdict(change), indent=1))
        if self.change(change.number) != change:
            raise EngineError(f"somebody else made change {change.number} of the route in {self.home}; read it first")

    def withdraw(self, change: Change) -> None:
        """Write down that this change is not to be: what was in force before it is in force."""
        before = [earlier for earlier in self.standing() if earlier.number < change.number]
        self.record(Change(self.changes()[-1].number + 1, before[-1].version, withdraws=change.number))

    def standing(self) -> tuple[Change, ...]:
        """All changes that were not withdrawn, oldest first."""
        found = self.changes()
        withdrawn = {change.withdraws for change in found}
        return tuple(change for change in found if change.number not in withdrawn and change.withdraws is None)

    def moves(self) -> tuple[Change, ...]:
        """The changes that operators without windows follow, batch by batch."""
        return tuple(change for change in self.standing() if change.batch is not None)

    def epochs(self) -> tuple[Change, ...]:
        """The changes that windows follow, by cut-over."""
        return tuple(change for change in self.standing() if change.cut_over_us is not None)

    def write_live(self) -> None:
        """Make the file that queries with windows read. Beyond its slots, the oldest tables stand for none any more."""
        kept = self.epochs()[-SLOTS:]
        starts = [SINCE_EVER_US, *(change.cut_over_us or 0 for change in kept[1:])]
        slots = [self._slot(change.version) for change in kept]
        live = packed([replace(slot, from_us=start) for slot, start in zip(slots, starts, strict=True)])
        if not self.files.exists(LIVE) or self.files.load(LIVE) != live:
            self.files.write(LIVE, live)

    def slots(self, name: str) -> tuple[TableSlot, ...]:
        """The tables in that file of the book, oldest first."""
        held, operators = self.files.load(name), len(self.operators())
        with self._whole(name):
            slots = unpacked(held)
            if any(len(slot.operators) != operators for slot in slots):
                raise ValueError(f"a table for other than {operators} operators")
            return slots

    def _slot(self, version: int) -> TableSlot:
        return self.slots(self.version_file(version))[0]

    def _whole(self, name: str) -> AbstractContextManager[None]:
        return whole(self.files, name, OF_A_BOOK)


def _change_of(found: Mapping[str, Any], number: int) -> Change:
    """The change that a file tells of; a ValueError where it tells of none, or of another one."""
    change = Change(**found)
    numbers = (change.cut_over_us, change.batch, change.withdraws)
    whole = type(change.version) is int and all(one is None or type(one) is int for one in numbers)
    if change.number != number or not whole or change.version < 0:
        raise ValueError(f"no change {number}")
    return change


def _change_file(number: int) -> str:
    return f"{_CHANGES}/{number:06}.json"


def _numbers(names: Sequence[str], kind: str) -> list[int]:
    stems = (name.removesuffix(kind) for name in names if name.endswith(kind))
    return [int(stem) for stem in stems if stem.isdigit()]
