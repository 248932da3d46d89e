"""Retention of what people asked of a run, what it asked them, and its audit log, while the run goes on.

What is settled goes when it is too old, or beyond so many rows. What waits stays, and so does what still holds whatever
its age: a controller that begins folds all requests that there are into its orders, see control.
"""

from dataclasses import dataclass

import sqlalchemy as sa

from penstock.core.asked.orders import HOLDS, Act, Answer
from penstock.store.columns import columns_of
from penstock.store.control import REFUSED_FOR_S
from penstock.store.desk import SETTLED, readable_request
from penstock.store.desk_tables import proposals, requests
from penstock.store.tables import audit

_BATCH = 300  # rows of a table at a time: they are small, and people ask for more than there are rounds


@dataclass(frozen=True, slots=True)
class Beyond:
    """What is too old on the clock of the world and on the run's, None in simulated time; and how many stay."""

    epoch_s: float | None
    at_s: float | None
    now_s: float  # on the run's clock
    most: int

    def rows(self, table: sa.Table, run: int, old: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
        """Those of the run that are too old or too many, never its newest: SQLite would give its number again.

        A controller hears numbers above the last one that it heard, and people answer proposals by number.
        """
        ids = sa.select(table.c.id).where(table.c.run == run).order_by(table.c.id.desc()).limit(1)
        newest, surplus = ids.scalar_subquery(), ids.offset(self.most).scalar_subquery()
        return sa.and_(table.c.run == run, table.c.id < newest, sa.or_(old, table.c.id <= surplus))


def prune_desk(connection: sa.Connection, run: int, beyond: Beyond) -> None:
    """Delete a batch of each."""
    none = sa.false()
    old = none if beyond.epoch_s is None else audit.c.at_epoch_s < beyond.epoch_s
    _delete(connection, audit, beyond.rows(audit, run, old))
    settled_s = sa.func.coalesce(proposals.c.answered_at_s, proposals.c.at_s)
    old = none if beyond.at_s is None else settled_s < beyond.at_s
    lately = sa.and_(proposals.c.answer == Answer.REFUSED.value, settled_s >= beyond.now_s - REFUSED_FOR_S)
    settled = proposals.c.answer.in_([answer.value for answer in SETTLED])
    _delete(connection, proposals, sa.and_(settled, sa.not_(lately), beyond.rows(proposals, run, old)))
    old = none if beyond.epoch_s is None else requests.c.at_epoch_s < beyond.epoch_s
    heard = sa.and_(requests.c.taken_at_s.is_not(None), beyond.rows(requests, run, old))
    passing = [act.value for act in Act if HOLDS[act] is None]
    _delete(connection, requests, sa.and_(heard, requests.c.act.in_(passing)))
    _delete_overruled(connection, heard)


def _delete(connection: sa.Connection, table: sa.Table, doomed: sa.ColumnElement[bool]) -> None:
    found = sa.select(table.c.id).where(doomed).order_by(table.c.id).limit(_BATCH)
    connection.execute(table.delete().where(table.c.id.in_(found)))


def _delete_overruled(connection: sa.Connection, heard: sa.ColumnElement[bool]) -> None:
    """Of the acts that hold until another one comes, those after which another came that can be read."""
    for about in sorted({about for about in HOLDS.values() if about is not None}):
        acts = [act.value for act in Act if HOLDS[act] == about]
        later = requests.alias()
        same = sa.and_(
            later.c.run == requests.c.run,
            later.c.job.is_not_distinct_from(requests.c.job),
            later.c.act.in_(acts),
            later.c.id > requests.c.id,
        )
        overruled = sa.and_(heard, requests.c.act.in_(acts), sa.exists().where(same))
        wanted = sa.select(requests.c.id, requests.c.run, requests.c.job).where(overruled)
        newest = dict[tuple[int, str | None], int | None]()
        doomed = list[int]()
        for number, run, job in connection.execute(wanted.order_by(requests.c.id).limit(_BATCH)).all():
            if (run, job) not in newest:
                newest[run, job] = _newest_readable(connection, run, job, acts)
            if number < (newest[run, job] or 0):
                doomed.append(number)
        connection.execute(requests.delete().where(requests.c.id.in_(doomed)))


def _newest_readable(connection: sa.Connection, run: int, job: str | None, acts: list[str]) -> int | None:
    """What holds: a row that cannot be read is passed over, and overrules nothing."""
    here = sa.and_(requests.c.run == run, requests.c.job.is_not_distinct_from(job), requests.c.act.in_(acts))
    wanted = sa.select(*columns_of(connection, requests)).where(here).order_by(requests.c.id.desc())
    found = connection.execute(wanted).mappings()
    try:
        return next((int(row["id"]) for row in found if readable_request(row)), None)
    finally:
        found.close()
