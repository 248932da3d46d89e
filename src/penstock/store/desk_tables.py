"""The tables of the desk: what people ask of a controller, what it asks them, its sign of life, and who leads."""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Index, Integer, Table

from penstock.store.tables import JsonText, Shortened, Words, metadata

__all__ = ["controllers", "leaders", "metadata", "proposals", "requests"]

_Number = BigInteger().with_variant(Integer, "sqlite")


def _run(**how: Any) -> Column[Any]:
    return Column("run", _Number, ForeignKey("penstock_runs.number", ondelete="CASCADE"), **how)


requests = Table(
    "penstock_requests",
    metadata,
    Column("id", _Number, primary_key=True),
    _run(nullable=False),
    Column("at_epoch_s", Double, nullable=False),
    Column("who", Shortened, nullable=False),
    Column("act", Words, nullable=False),
    Column("job", Shortened),
    Column("intent", JsonText),  # see intent_codec
    Column("proposal", Integer),
    Column("turn", JsonText),  # JSON of a Wish
    Column("taken_at_s", Double),  # when the controller took it up, on the run's clock
    Index("penstock_requests_of_run", "run"),
)

proposals = Table(
    "penstock_proposals",
    metadata,
    Column("id", _Number, primary_key=True),
    _run(nullable=False),
    Column("at_s", Double, nullable=False),
    Column("decision", JsonText, nullable=False),  # JSON
    Column("answer", Words, nullable=False),
    Column("who", Shortened),
    Column("answered_at_s", Double),
    Index("penstock_proposals_of_run", "run"),
)

controllers = Table(
    "penstock_controllers",
    metadata,
    _run(primary_key=True),
    Column("seen_at_epoch_s", Double, nullable=False),
    Column("at_s", Double, nullable=False),
    Column("interval_s", Double, nullable=False),
    Column("paused_by", Shortened),
    Column("dry_run", Boolean, nullable=False),
    Column("approval", JsonText, nullable=False),  # JSON: names of the jobs that want to be asked
    Column("ended_at_epoch_s", Double),  # in order; 0 before, null of a penstock that did not tell
)

leaders = Table(  # of several coordinators of one fleet; see leadership
    "penstock_leaders",
    metadata,
    Column("name", Words, primary_key=True),
    Column("holder", Words, nullable=False),
    Column("place", Words, nullable=False),  # where agents find it
    Column("epoch", BigInteger, nullable=False),
    Column("until_epoch_s", Double, nullable=False),
)
