"""The book of a route: its tables and when each came into force, in files that are written once and never changed.

    <home>/operators.json             the route's operators and their key columns
    <home>/versions/000002.parquet    table 2, in the shape in which a query reads it (see `shape`)
    <home>/changes/000001.json        change 1: which table, from which window start, with which batch
    <home>/live.parquet               the tables that windows can still need; replaced as a whole, made of the others

Table 0 is empty and change 0 the beginning, with the newest table there was. All can be recovered from these files
and the checkpoint's commit log: for operators without windows a change is in force once its batch is committed.
"""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from penstock.core.routing_table import RoutingTable
from penstock.engines.spark.routing.shape import (
    SINCE_EVER_US,
    SLOTS,
    read_slots,
    slot_of,
    table_of,
    write_slots,
)
from penstock.errors import ConfigError, EngineError


@dataclass(frozen=True, slots=True)
class Change:
    """A table comes into force: for windows that begin at `cut_over_us` or later, elsewhere with batch `batch`.

    None: it does not concern such operators. `checkpoint` and `query_id` say whose batch is meant.
    """

    number: int
    version: int
    cut_over_us: int | None = None
    batch: int | None = None
    checkpoint: str | None = None
    query_id: str | None = None


class RouteBook:
    """The files of one route under `home`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.live = home / "live.parquet"
        self._operators = home / "operators.json"
        self._versions = home / "versions"
        self._changes = home / "changes"

    def open(self, operators: Mapping[str, Sequence[str]], partitions: int, first: RoutingTable | None = None) -> bool:
        """Begin the book, with a first table if there is one, or check that it is one for the same operators.

        Makes the live file anew; True when the book was begun.
        """
        self._versions.mkdir(parents=True, exist_ok=True)
        self._changes.mkdir(parents=True, exist_ok=True)
        wanted = {name: list(columns) for name, columns in operators.items()}
        _write_once(self._operators, wanted)
        if self.operators() != wanted:
            raise ConfigError(
                "operators", wanted, f"the tables in {self.home} are for {self.operators()}; use a new name"
            )
        if not self.versions():
            self.add(RoutingTable(partitions))
        begun = not self.changes()
        if begun:
            version = self.versions()[-1] if first is None else self.add(first)
            self.record(Change(0, version, SINCE_EVER_US))
        self.write_live()
        return begun

    def operators(self) -> dict[str, list[str]]:
        """Each operator's key columns, in the order in which rows pass them."""
        found: dict[str, list[str]] = json.loads(self._operators.read_text(encoding="utf-8"))
        return found

    def versions(self) -> tuple[int, ...]:
        """The tables there are, oldest first; 0 is the empty one."""
        return tuple(sorted(int(path.stem) for path in self._versions.glob("[0-9]*.parquet")))

    def version_file(self, version: int) -> Path:
        """Where a query reads that table."""
        return self._versions / f"{version:06}.parquet"

    def table(self, version: int) -> RoutingTable:
        """The table of that version; its keys are texts (see `shape.key_text`)."""
        return table_of(read_slots(self.version_file(version))[0], tuple(self.operators()), version)

    def add(self, table: RoutingTable) -> int:
        """Keep one more table and return its version; it comes into force by a change only."""
        operators = tuple(self.operators())
        unknown = sorted(set(table.keys) - set(operators))
        if unknown:
            raise ConfigError("table", unknown[0], f"this route's operators are {', '.join(operators)}")
        version = self.versions()[-1] + 1 if self.versions() else 0
        write_slots(self.version_file(version), [slot_of(table, operators)])
        return version

    def changes(self) -> tuple[Change, ...]:
        """All changes, oldest first."""
        found = sorted(self._changes.glob("[0-9]*.json"))
        return tuple(Change(**json.loads(path.read_text(encoding="utf-8"))) for path in found)

    def record(self, change: Change) -> None:
        """Write a change down. The same again does nothing; another under its number is refused."""
        path = self._changes / f"{change.number:06}.json"
        _write_once(path, asdict(change))
        if Change(**json.loads(path.read_text(encoding="utf-8"))) != change:
            raise EngineError(f"somebody else made change {change.number} of the route in {self.home}; read it first")

    def epochs(self) -> tuple[Change, ...]:
        """The changes that windows follow, by cut-over."""
        return tuple(change for change in self.changes() if change.cut_over_us is not None)

    def write_live(self) -> None:
        """Make the file that queries with windows read. Beyond its slots, the oldest tables stand for none any more."""
        kept = self.epochs()[-SLOTS:]
        starts = [SINCE_EVER_US, *(change.cut_over_us or 0 for change in kept[1:])]
        slots = [read_slots(self.version_file(change.version))[0] for change in kept]
        write_slots(self.live, [replace(slot, from_us=start) for slot, start in zip(slots, starts, strict=True)])


def _write_once(path: Path, document: object) -> None:
    """Create the file unless it is there: whole or not at all, and never over another."""
    if path.exists():
        return
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(scratch, path)
    except FileExistsError:
        pass  # two at once: the first wins, and the caller reads what is there
    finally:
        os.unlink(scratch)
