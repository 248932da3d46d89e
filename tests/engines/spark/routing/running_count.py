"""A routed running count that keeps a checkpoint by Spark's rules, without Spark: what it counts depends on the files.

Its logs are Spark's. Its state, like that of Spark's RocksDB store, is changes on top of the newest whole state there
is; a row is counted in the partition where the table in force sends its key, on top of what that partition holds.
"""

import json
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jvm.checkpoint_files import Files, reached
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.checkpoint import begun_batch, committed_batch
from penstock.engines.spark.routing.checkpoint_stamp import check_tie, stamp
from penstock.engines.spark.routing.migration import Moved, is_in_force, move_state, take_back, version_in_force
from penstock.errors import EngineError

PARTITIONS = 3
State = dict[str, int]


class CrashError(BaseException):
    """The driver dies here, and handles nothing any more."""


def ignore(step: str) -> None:
    """Nothing happens after any step."""


@dataclass
class Mover:
    """Moves the count's state; what is broken fails each time that it is tried."""

    checkpoint: Files
    book: RouteBook
    broken: str = ""

    def enter(self, batch: int) -> None:
        self._try("change written down")
        self.checkpoint.create(f"offsets/{batch}", self.checkpoint.read(f"offsets/{batch - 1}"))

    def rewrite(self, batch: int, version: int) -> Moved:
        table = self.book.table(version)
        states: list[State] = [{} for _ in range(PARTITIONS)]
        for partition in range(PARTITIONS):
            for key, count in load(self.checkpoint, partition, batch).items():
                states[partition_of(table, key)][key] = count
        for partition, state in enumerate(states):
            self.checkpoint.write(f"state/0/{partition}/{batch + 1}.zip", json.dumps(state))
            self._try("offsets entered")  # with part of it written
        return Moved()

    def commit(self, batch: int) -> None:
        self._try("state rewritten")
        self.checkpoint.write(f"commits/{batch}", "v1\n{}")

    def _try(self, after: str) -> None:
        if self.broken == after:
            raise EngineError(f"what comes after {after!r} fails")


class RunningCount:
    """One query's life after the other, on the files of its checkpoint."""

    def __init__(self, checkpoint: Files) -> None:
        self.checkpoint = checkpoint
        self.rows: list[str] = []
        self.told: State = {}
        self.broken = ""

    def feed(self, rows: Iterable[str]) -> None:
        self.rows += rows

    def book(self) -> RouteBook:
        """Opened as `Routing` does."""
        book = RouteBook(self.checkpoint.below("routing"), self.checkpoint)
        with reached(book.files):
            check_tie(book)
            book.open({"left": ["key"]}, PARTITIONS)
        return book

    def run(self, before_commit: Callable[[], None] = lambda: None) -> None:
        """A start, and all batches that there are rows for."""
        book = self.book()
        self.checkpoint.create("metadata", json.dumps({"id": "q"}))
        table = book.table(version_in_force(book, self._mover(book)))
        with reached(book.files):
            stamp(book)
        self._finish(table, before_commit)
        if self._end_of(begun_batch(self.checkpoint)) < len(self.rows):
            batch = (-1 if (last := begun_batch(self.checkpoint)) is None else last) + 1
            self.checkpoint.create(f"offsets/{batch}", f"v1\n{{}}\n{len(self.rows)}")
            self._finish(table, before_commit)

    def reroute(self, table: RoutingTable, done: Callable[[str], None] = ignore) -> None:
        """As `reroute` does: what fails is taken back, and the query starts."""
        book = self.book()
        version = book.add(table)
        done("table kept")
        try:
            done("query stopped")
            self._finish(book.table(version_in_force(book, self._mover(book))))
            done("open batch finished")
            move_state(book, version, self._mover(book), done)
        except Exception:
            if not is_in_force(book, version):
                with suppress(Exception):
                    take_back(book)
        self.run()

    def _mover(self, book: RouteBook) -> Mover:
        return Mover(self.checkpoint, book, self.broken)

    def _finish(self, table: RoutingTable, before_commit: Callable[[], None] = lambda: None) -> None:
        """Run the batch that was begun and not committed."""
        batch, committed = begun_batch(self.checkpoint), committed_batch(self.checkpoint)
        if batch is None or batch == committed:
            return
        assert batch == (-1 if committed is None else committed) + 1, "a batch was lost"
        changed: list[State] = [{} for _ in range(PARTITIONS)]
        states = [load(self.checkpoint, partition, batch) for partition in range(PARTITIONS)]
        for key in self.rows[self._end_of(batch - 1) : self._end_of(batch)]:
            partition = partition_of(table, key)
            states[partition][key] = changed[partition][key] = states[partition].get(key, 0) + 1
        for partition, change in enumerate(changed):
            self.checkpoint.write(f"state/0/{partition}/{batch + 1}.changelog", json.dumps(change))
        before_commit()
        self.checkpoint.write(f"commits/{batch}", "v1\n{}")
        for change in changed:
            self.told |= change

    def _end_of(self, batch: int | None) -> int:
        known = batch is not None and self.checkpoint.exists(f"offsets/{batch}")
        return int(self.checkpoint.read(f"offsets/{batch}").splitlines()[2]) if known else 0


def load(checkpoint: Files, partition: int, version: int) -> State:
    """The state of that version: the newest whole one, and the changes since."""
    place = f"state/0/{partition}"
    whole = [int(name.removesuffix(".zip")) for name in checkpoint.names(place) if name.endswith(".zip")]
    newest = max((found for found in whole if found <= version), default=0)
    state: State = json.loads(checkpoint.read(f"{place}/{newest}.zip")) if newest else {}
    for number in range(newest + 1, version + 1):
        state |= json.loads(checkpoint.read(f"{place}/{number}.changelog"))
    return state


def partition_of(table: RoutingTable, key: str) -> int:
    return table.keys.get("left", {}).get(key, zlib.crc32(key.encode()) % PARTITIONS)
