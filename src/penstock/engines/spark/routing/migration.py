"""Moving state to where a new table wants it: the checkpoint is rewritten between two batches, the query stopped.

Step by step, each safe to do again: a batch n+1 with the offsets of batch n, hence without rows, is entered; every key
in the state gets its new salt and goes to its new partition; batch n+1 is committed. Until that commit the change is
pending: whoever finds it pending does it all again, and where that fails withdraws it, so that the query goes on with
the table it had. docs/routing.md lists what a crash leaves at each step; `resalting` is Spark's part in it.
"""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from penstock.engines.spark.jvm.checkpoint_files import Files, reached
from penstock.engines.spark.routing.book import Change, RouteBook
from penstock.engines.spark.routing.checkpoint import committed_batch, forget_batch, query_id, takes_what
from penstock.engines.spark.routing.checkpoint_stamp import stamp
from penstock.errors import EngineError, told

StepDone = Callable[[str], None]  # told of each step that was done, by its name

# By book: what took too long, so that nobody waits for it any more, may still be moving state in its thread.
_TURNS: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
TURN_WITHIN_S = 15.0  # less than a start is waited for, so that it is told why

_log = logging.getLogger("penstock.spark")


@dataclass(frozen=True, slots=True)
class Moved:
    """Keys whose state went to another partition, and its bytes; of how many that were held in all."""

    keys: int = 0
    state_bytes: float = 0.0
    held_keys: int = 0
    held_bytes: float = 0.0

    def __add__(self, other: "Moved") -> "Moved":
        return Moved(
            self.keys + other.keys,
            self.state_bytes + other.state_bytes,
            self.held_keys + other.held_keys,
            self.held_bytes + other.held_bytes,
        )


class StateMover(Protocol):
    """What moves the state of a stopped query."""

    def enter(self, batch: int) -> None:
        """Begin that batch, with the rows of the one before: none."""

    def rewrite(self, batch: int, version: int) -> Moved:
        """The state of that batch: that of the one before, under another table."""

    def commit(self, batch: int) -> None:
        """The batch is done."""


def version_in_force(book: RouteBook, mover: StateMover) -> int:
    """The table that operators without windows follow when the query starts now.

    A pending change is done first, or withdrawn where that cannot be. There are several where the checkpoint is an
    older copy than its book. An EngineError where it can neither be done nor withdrawn: both can be tried again.
    """
    with _turn_of(book), reached(book.files):
        while (change := pending(book)) is not None:
            try:
                migrate(book, change, mover)
            except Exception as error:  # a cluster that is down, a disk that is full: the tenant is to run all the same
                take_back(book)
                _log.warning("change %d of the route in %s was not made: %s", change.number, book.home, told(error))
        moves = book.moves()
        return moves[-1].version if moves else book.changes()[0].version


def is_in_force(book: RouteBook, version: int) -> bool:
    """Whether operators without windows follow that table by now."""
    with reached(book.files):
        moves = book.moves()
        return bool(moves) and moves[-1].version == version and pending(book) is None


def pending(book: RouteBook) -> Change | None:
    """The change that was begun and whose batch is not committed. A checkpoint made anew knows of no change."""
    moves, checkpoint = book.moves(), book.checkpoint
    if not moves or checkpoint is None or query_id(checkpoint) != moves[-1].query_id:
        return None
    committed = committed_batch(checkpoint)
    return moves[-1] if committed is None or committed < _batch_of(moves[-1]) else None


def move_state(
    book: RouteBook, version: int, mover: StateMover, done: StepDone = lambda step: None, cut_over_us: int | None = None
) -> Moved:
    """Have operators without windows follow that table, and say what moved; windows follow it from the cut-over on.

    The query is stopped, and every batch that it began is committed.
    """
    checkpoint, number = checkpoint_of_book(book), book.changes()[-1].number + 1
    batch = (committed_batch(checkpoint) or 0) + 1
    change = Change(number, version, cut_over_us, batch, checkpoint.location, query_id(checkpoint))
    with _turn_of(book):
        book.record(change)
        stamp(book)
        book.write_live()
        done("change written down")
        return migrate(book, change, mover, done)


def take_back(book: RouteBook) -> None:
    """Withdraw what is pending, if anything is."""
    with _turn_of(book):
        change = pending(book)
        if change is not None:
            withdraw(book, change)


def migrate(book: RouteBook, change: Change, mover: StateMover, done: StepDone = lambda step: None) -> Moved:
    """Do what the change wants of the checkpoint, and say what moved; `done` is told after each step."""
    checkpoint, batch = checkpoint_of_book(book), _batch_of(change)
    committed, wanted = committed_batch(checkpoint), takes_what(checkpoint, batch - 1)
    if committed != batch - 1:
        raise EngineError(
            f"{checkpoint.location}: batch {committed} was committed last, not {batch - 1}; it is not moved"
        )
    if takes_what(checkpoint, batch) not in (None, wanted):
        raise EngineError(f"{checkpoint.location}: batch {batch} was begun with rows of its own; it is not moved")
    stamp(book)
    mover.enter(batch)
    done("offsets entered")
    moved = mover.rewrite(batch, change.version)
    done("state rewritten")
    mover.commit(batch)
    if committed_batch(checkpoint) != batch:
        raise EngineError(f"{checkpoint.location}: batch {batch} was not committed")
    done("committed")
    return moved


def withdraw(book: RouteBook, change: Change) -> None:
    """Take a pending change back: operators go on with the table before it. To do it again changes nothing.

    Its batch is forgotten first, so that until the book says that it is withdrawn it can still be carried out.
    """
    if pending(book) != change:
        raise EngineError(f"change {change.number} of the route in {book.home} is not pending; follow it by another")
    checkpoint, batch = checkpoint_of_book(book), _batch_of(change)
    if takes_what(checkpoint, batch) in (None, takes_what(checkpoint, batch - 1)):
        forget_batch(checkpoint, batch)
    book.withdraw(change)
    stamp(book)
    book.write_live()


@contextmanager
def _turn_of(book: RouteBook) -> Iterator[None]:
    """While the block lasts nobody else of this process moves state there; an EngineError where somebody still does."""
    turn = _TURNS[book.home]
    if not turn.acquire(timeout=TURN_WITHIN_S):
        raise EngineError(
            f"the state beside {book.home} is still being moved, and its storage may not answer; nothing is lost: see "
            "that it does, and start the query again"
        )
    try:
        yield
    finally:
        turn.release()


def checkpoint_of_book(book: RouteBook) -> Files:
    """The checkpoint whose state can be moved; an EngineError where there is none."""
    if book.checkpoint is None:
        raise EngineError(f"the query of the route in {book.home} keeps no checkpoint: there is no state to be moved")
    return book.checkpoint


def _batch_of(change: Change) -> int:
    if change.batch is None:
        raise EngineError(f"change {change.number} concerns windows only: no state is moved for it")
    return change.batch
