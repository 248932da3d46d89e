"""What ties a checkpoint to its route's book: a stamp in the checkpoint with the book's id and its newest change.

State is where the tables of the book sent its keys: with another book, or an older copy of it, new rows would be
counted beside what was counted before, and nobody would see it. So the stamp is written before a change can have any
effect, and a query starts with a book only that has all that its checkpoint depends on.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.checkpoint import begun_batch
from penstock.engines.spark.routing.damage import OF_A_CHECKPOINT, whole
from penstock.errors import EngineError

STAMP = "penstock-route.json"


class BookError(EngineError):
    """The book is not the one that the checkpoint was written with."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A book, by its id, and as much of it as the checkpoint may depend on."""

    book: str
    change: int
    version: int


def check_tie(book: RouteBook, before: str | None = None) -> None:
    """Refuse a book that is not the checkpoint's; nothing is written. `before`: where books used to be kept."""
    checkpoint = book.checkpoint
    if checkpoint is None or begun_batch(checkpoint) is None:
        return  # nothing has been counted yet
    stamp = stamp_of(checkpoint)
    if stamp is None:
        _check_unstamped(book, checkpoint, before)
    elif not book.is_begun:
        raise BookError(
            f"the checkpoint {checkpoint.location} was written with book {stamp.book}, as of change {stamp.change}, "
            f"and {book.home} holds no book: the counts would be wrong without its tables. Bring {book.home} back from "
            "where it was lost, or begin with a new checkpoint"
        )
    else:
        _check_book(book, checkpoint, stamp)


def stamp(book: RouteBook) -> None:
    """The checkpoint depends on the book as it is now."""
    if book.checkpoint is None:
        return
    newest = book.changes()[-1]
    wanted = Stamp(book.id, newest.number, newest.version)
    if stamp_of(book.checkpoint) != wanted:
        book.checkpoint.write(STAMP, json.dumps(asdict(wanted)))


def stamp_of(checkpoint: Files) -> Stamp | None:
    """What the checkpoint says; None where it was never written with a book, or by a penstock that wrote no stamps."""
    if not checkpoint.exists(STAMP):
        return None
    text = checkpoint.load(STAMP)
    with whole(checkpoint, STAMP, OF_A_CHECKPOINT):
        return _stamp(json.loads(text))


def _stamp(found: Mapping[str, Any]) -> Stamp:
    stamp = Stamp(**found)
    if not (type(stamp.change) is int and type(stamp.version) is int and isinstance(stamp.book, str)):
        raise ValueError("its numbers are none")
    return stamp


def _check_unstamped(book: RouteBook, checkpoint: Files, before: str | None) -> None:
    if book.is_begun:
        return  # both are of a penstock that wrote no stamps
    remedy = "use a new checkpoint" if before is None else f"move {before} to {book.home}"
    raise BookError(
        f"the checkpoint {checkpoint.location} has batches, and {book.home} holds no book of the tables by which its "
        f"keys were placed; {remedy}, or leave its operators unrouted if they always were"
    )


def _check_book(book: RouteBook, checkpoint: Files, stamp: Stamp) -> None:
    newest = book.changes()[-1].number
    found = f"the book in {book.home} is {book.id}, as of change {newest}"
    wanted = f"the checkpoint {checkpoint.location} was written with book {stamp.book}, as of change {stamp.change}"
    if book.id != stamp.book:
        raise BookError(
            f"{wanted}; {found}: another's. Bring back the checkpoint's own, or begin with a new checkpoint"
        )
    if newest < stamp.change:
        raise BookError(f"{wanted}; {found}: an older copy. Bring back the newest, or a checkpoint that is as old")
    if book.lost():
        raise BookError(f"{wanted}; {found}, without {', '.join(book.lost())}. Bring them back")
    if book.change(stamp.change).version != stamp.version:
        raise BookError(
            f"{wanted}, with table {stamp.version}; {found}, where that change has table "
            f"{book.change(stamp.change).version}: two have written it. Bring back the checkpoint's own"
        )
