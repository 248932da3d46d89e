"""The rows of intents: one for each job, and one more whenever what is asked of it is changed."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from penstock.core.seen.view import JobView, View
from penstock.store import tables
from penstock.store.intent_codec import encode_intent
from penstock.store.writing import Writing

_FEW = 100  # jobs, that one statement may name


def intent_ids(connection: sa.Connection, run: Writing, view: View) -> dict[str, int]:
    """The row of each job's intent; a new row for a new job, or an intent that was changed."""
    ids: dict[str, int] = {}
    new: list[JobView] = []
    for job in view.jobs:
        known = run.intents.get(job.name)
        if known and known[0] == job.intent:
            ids[job.name] = known[1]
        else:
            new.append(job)
    return {**ids, **_new_intent_ids(connection, run.number, new)} if new else ids


def _new_intent_ids(connection: sa.Connection, run: int, jobs: Sequence[JobView]) -> dict[str, int]:
    """Of jobs that are new, or whose intents are: all looked up at once, for a fleet's first round has thousands."""
    wanted = {job.name: (job.name, encode_intent(job.intent)) for job in jobs}
    known = _stored_intents(connection, run, wanted)
    rows_ = [
        {"run": run, "job": name, "body": body, "text": job.intent.text(), "max_utility": job.max_utility}
        for job in jobs
        for name, body in [wanted[job.name]]
        if (name, body) not in known
    ]
    if rows_:
        connection.execute(tables.intents.insert(), rows_)
        known = _stored_intents(connection, run, wanted)
    return {name: known[key] for name, key in wanted.items()}


def _stored_intents(connection: sa.Connection, run: int, names: Collection[str]) -> dict[tuple[str, str], int]:
    """Rows by job and intent: of a few jobs theirs, of many all that there are."""
    of = tables.intents.c
    job = sa.type_coerce(of.job, sa.Text)  # whole: it is compared
    wanted = sa.select(job, of.body, of.id).where(of.run == run).order_by(of.id.desc())
    if len(names) <= _FEW:
        wanted = wanted.where(of.job.in_(sorted(names)))
    return {(job, body): number for job, body, number in connection.execute(wanted)}
