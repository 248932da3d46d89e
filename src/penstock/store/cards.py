"""Cards: a controller's sign of life and how it stands, left in every cycle and taken up when it ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from penstock.core.seen.life import ControllerLife, Sign
from penstock.store.cells import LATEST_EPOCH_S, LATEST_S, number_within
from penstock.store.codec import decode, encode
from penstock.store.columns import columns_of, is_there
from penstock.store.desk_tables import controllers

_PLAIN = ("seen_at_epoch_s", "at_s", "interval_s", "paused_by", "dry_run", "ended_at_epoch_s")


@dataclass(frozen=True, slots=True)
class Card:
    """A controller's sign of life, left in every cycle; the last one of who ends in order has `ended_at_epoch_s`.

    That is zero before, and None of an older penstock, which did not tell. One that goes on with a run leaves it as it
    was: it holds for the very sign that it was left with.
    """

    seen_at_epoch_s: float
    at_s: float
    interval_s: float
    paused_by: str | None = None
    dry_run: bool = False
    approval: tuple[str, ...] = ()
    ended_at_epoch_s: float | None = 0.0

    @property
    def sign(self) -> Sign:
        """What it tells of the controller's life."""
        ended = None if self.ended_at_epoch_s is None else self.ended_at_epoch_s >= self.seen_at_epoch_s > 0.0
        return Sign(self.seen_at_epoch_s, self.interval_s, ended)

    def alive(self, now_epoch_s: float) -> bool:
        """Whether it has been seen lately: three intervals may pass, and never less than 15 s."""
        return self.sign.life(now_epoch_s) is ControllerLife.LIVE


def card_row(card: Card) -> dict[str, Any]:
    """The card as columns of its row."""
    return {**{name: getattr(card, name) for name in _PLAIN}, "approval": encode(card.approval)}


def card_of(row: Mapping[Any, Any]) -> Card:
    """The card of a row."""
    seen_s, at_s, interval_s = (float(row[name]) for name in ("seen_at_epoch_s", "at_s", "interval_s"))
    if None in (number_within(seen_s, 0.0, LATEST_EPOCH_S), number_within(interval_s, 0.0, LATEST_S)):
        raise ValueError(f"nobody was seen at {seen_s}, and is every {interval_s} s")
    ended_s = None if row["ended_at_epoch_s"] is None else float(row["ended_at_epoch_s"])
    approval = tuple(decode(row["approval"], list[str]))
    return Card(seen_s, at_s, interval_s, row["paused_by"], bool(row["dry_run"]), approval, ended_s)


def read_card(connection: sa.Connection, run: int) -> Card | None:
    """The card of that run; None where none was left, or none of ours."""
    if not is_there(connection, controllers):
        return None
    wanted = sa.select(*columns_of(connection, controllers)).where(controllers.c.run == run)
    row = connection.execute(wanted).mappings().first()
    try:
        return None if row is None else card_of(row)
    except Exception:  # somebody else's word: whatever is wrong with it, it proves no life
        return None
