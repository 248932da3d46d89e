"""Who leads, of several coordinators over one database: a lease that must be renewed, and an epoch that only rises.

Time is the database's own: the clocks of two coordinators need not agree. A lease that ran out is a new epoch for
whoever takes it next, the one that had it included: meanwhile another may have led.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import sqlalchemy as sa

from penstock.core.seen.leader import LONGEST_S, Leader, next_epoch
from penstock.store.archive import RefusedError
from penstock.store.database import Database
from penstock.store.desk_tables import leaders

_LET_GO = 0.0  # the end of a lease that nobody holds


def lease_at(target: str) -> str:
    """Where the lease of those is kept that record in this store: SQLite has one writer, and a round may be long.

    >>> lease_at("runs.sqlite"), lease_at("postgresql://host/runs")
    ('runs.sqlite.leader', 'postgresql://host/runs')
    """
    return target if "://" in target and not target.startswith("sqlite:") else f"{target}.leader"


class Leadership:
    """One lease, by name; `holder` is whoever asks through this."""

    def __init__(self, database: Database, name: str, holder: str, place: str = "") -> None:
        self._database = database
        self._name = name
        self._holder = holder
        self._place = place

    def take(self, lease_s: float, above: int = 0) -> Leader:
        """See Lease; a StoreError where the database does not say."""
        try:
            return self._take(lease_s, above)
        except RefusedError:  # two began at once, and the other's row is there by now
            return self._take(lease_s, above)

    def release(self) -> None:
        """Let another lead at once."""
        ours = (leaders.c.name == self._name) & (leaders.c.holder == self._holder)
        with self._database.writing() as connection:
            connection.execute(leaders.update().where(ours).values(until_epoch_s=_LET_GO))

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def _take(self, lease_s: float, above: int) -> Leader:
        with self._database.writing() as connection:
            now = float(connection.execute(sa.select(_clock(connection))).scalar_one())
            wanted = sa.select(leaders).where(leaders.c.name == self._name).with_for_update()
            known = connection.execute(wanted).mappings().first()
            ours = {"holder": self._holder, "place": self._place, "until_epoch_s": now + lease_s}
            if known is None:
                epoch = next_epoch(above, now)
                connection.execute(leaders.insert().values(name=self._name, epoch=epoch, **ours))
                return Leader(self._holder, self._place, epoch, ours=True)
            held = _held(known, now, max(lease_s, LONGEST_S))
            if held.now and held.holder != self._holder:
                return Leader(held.holder, held.place, held.epoch, ours=False)
            rises = held.now and above >= held.epoch
            goes_on = held.now and not rises
            epoch = held.epoch if goes_on else next_epoch(max(held.epoch, above), now)
            connection.execute(leaders.update().where(leaders.c.name == self._name).values(epoch=epoch, **ours))
            return Leader(self._holder, self._place, epoch, ours=True, lapsed=held.lapsed, rose=rises)


@dataclass(frozen=True, slots=True)
class _Held:
    """What the row says: who holds the lease, or held it, in which epoch; `lapsed` is the place of one that ran out."""

    holder: str
    place: str
    epoch: int
    now: bool
    lapsed: str | None


def _held(row: Mapping[Any, Any], now_s: float, longest_s: float) -> _Held:
    """The row, into which anybody may have written: SQLite takes words for numbers. By what is none nobody leads.

    An end further off than any lease goes was damaged, or the clock was set back: by it nobody would lead for years.
    """
    epoch = row["epoch"] if isinstance(row["epoch"], int) else 0
    until_s = row["until_epoch_s"]
    known = isinstance(until_s, float | int) and isfinite(until_s) and epoch == row["epoch"]
    holds = known and now_s < until_s <= now_s + longest_s
    place = str(row["place"])
    return _Held(str(row["holder"]), place, epoch, holds, None if holds or until_s == _LET_GO else place)


def _clock(connection: sa.Connection) -> sa.ColumnElement[float]:
    """Seconds since the epoch, by the database."""
    if connection.dialect.name == "sqlite":
        return sa.literal_column("(julianday('now') - 2440587.5) * 86400.0")
    epoch_s: sa.ColumnElement[float] = sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Float)
    return epoch_s
