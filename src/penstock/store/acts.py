"""What people asked of a run, and what tenants asked for at which time: read back for its story and its charts."""

from collections.abc import Sequence
from contextlib import suppress

import sqlalchemy as sa

from penstock.core.asked.acts import HeardAct
from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Act, Wish
from penstock.store import tables
from penstock.store.cells import LATEST_S, number_within
from penstock.store.codec import DoesNotFitError, decode
from penstock.store.columns import columns_of, is_there
from penstock.store.desk_tables import controllers, requests
from penstock.store.intent_codec import decode_intent

_figures, _cycles = tables.job_figures.c, tables.cycles.c


def read_acts(connection: sa.Connection, run: int) -> tuple[HeardAct, ...]:
    """The acts that a controller has heard, oldest first."""
    if not is_there(connection, requests):
        return ()
    wanted = sa.select(*columns_of(connection, requests)).where(
        requests.c.run == run, requests.c.taken_at_s.is_not(None)
    )
    found = connection.execute(wanted.order_by(requests.c.id)).mappings()
    return tuple(act for row in found if (act := _heard(row)) is not None)


def began_dry(connection: sa.Connection, run: int, acts: Sequence[HeardAct]) -> bool:
    """Whether the run's controller was started to carry nothing out: what the first act changed was otherwise."""
    turned = next((act.act for act in acts if act.act in (Act.DRY_RUN, Act.DO)), None)
    if turned is not None:
        return turned is Act.DO
    if not is_there(connection, controllers):
        return False
    found = connection.execute(sa.select(controllers.c.dry_run).where(controllers.c.run == run)).scalar_one_or_none()
    return bool(found)


def read_asked(connection: sa.Connection, run: int, job: str) -> tuple[tuple[float, Intent], ...]:
    """What the job asked for, from which cycle on; only where that changes."""
    joined = tables.job_figures.join(tables.intents, _figures.intent_id == tables.intents.c.id)
    joined = joined.join(tables.cycles, _figures.cycle_id == _cycles.id)
    before = sa.func.lag(_figures.intent_id).over(order_by=_figures.cycle_id).label("before")
    stated = sa.select(_cycles.at_s, tables.intents.c.id, tables.intents.c.body, before, _figures.cycle_id)
    stated = stated.select_from(joined).where(tables.intents.c.run == run, tables.intents.c.job == job)
    every = stated.subquery()
    changed = sa.or_(every.c.before.is_(None), every.c.before != every.c.id)
    wanted = sa.select(every.c.at_s, every.c.body).where(changed).order_by(every.c.cycle_id)
    return tuple((at_s, decode_intent(body)) for at_s, body in connection.execute(wanted))


def _heard(row: sa.RowMapping) -> HeardAct | None:
    """What a controller took up; None of a row that none wrote: it was never carried out."""
    taken_s = number_within(row["taken_at_s"], 0.0, LATEST_S)
    if taken_s is None or row["act"] not in frozenset(Act):
        return None
    return HeardAct(taken_s, row["who"], Act(row["act"]), _text(row), row["job"])


def _text(row: sa.RowMapping) -> str:
    """What it is about; of a request that another penstock wrote, as much as is understood."""
    with suppress(DoesNotFitError):
        if row["turn"] is not None:
            wish: Wish = decode(row["turn"], Wish)
            return wish.text
        if row["intent"] is not None:
            return f"{row['job']}: {decode_intent(row['intent']).text()}"
    if row["act"] == Act.START:
        return str(row["job"] or "")
    return "" if row["proposal"] is None else f"proposal {row['proposal']}"
