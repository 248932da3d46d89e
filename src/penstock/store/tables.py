"""The tables: figures per cycle, job, machine and decision, for reports, a dashboard and whoever likes SQL.

Names begin with penstock_, because a PostgreSQL database may be shared. All of a run hangs on its row, and all
of a cycle on its row: deleting one deletes the rest. A column that comes later may be null: it is added to the tables
of older databases, where nobody filled it. Any other change is a step in migrations.py.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    func,
    type_coerce,
)
from sqlalchemy.types import NullType

from penstock.store.archive import MOST_TOLD, beginning
from penstock.store.codec import MOST_IN_A_CELL

metadata = MetaData()

# SQLite counts rows by itself only in a column that is called INTEGER.
_Id = BigInteger().with_variant(Integer, "sqlite")


def _one_more_than(most: int, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """So much of it, which shows whether there is more."""
    return func.substr(column, 1, most + 1)


def as_words(value: Any) -> str:
    """What stands in a column of words: bytes are read as far as they are words."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def told_of(value: Any) -> str | None:
    """The same of a column of words for people: of more than anybody reads the beginning."""
    return None if value is None else beginning(as_words(value))


def as_it_stands(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column, of words what leaves the database: for who reads it once where many rows are alike.

    A call for each row of a week takes as long as to fetch them.
    """
    if not isinstance(column.type, Words):
        return column
    least = _one_more_than(MOST_TOLD, column) if isinstance(column.type, Shortened) else column
    return type_coerce(least, NullType()).label(column.key)


class Words(TypeDecorator[str]):
    """Text from anywhere, an error of Spark's for instance: what PostgreSQL cannot hold becomes a question mark.

    SQLite keeps bytes in a column of words, too.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        return value.replace("\x00", "?").encode("utf-8", "replace").decode("utf-8")

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else as_words(value)


class Shortened(Words):
    """Text for people: of one that is longer than anybody reads its beginning is read, and no more leaves the database.

    Ours are a few lines. A row that another program wrote may hold megabytes, and is on every page.
    """

    cache_ok = True

    def column_expression(self, column: ColumnElement[str]) -> ColumnElement[str]:
        return type_coerce(_one_more_than(MOST_TOLD, column), self)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return told_of(value)


class RunId(Shortened):
    """The id of a run. As it stands there, as far as one more than is told: who reads rows tells spoilt ones apart."""

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return value


class JsonText(Words):
    """JSON. Of one that is larger than any of ours no more leaves the database than shows that."""

    cache_ok = True

    def column_expression(self, column: ColumnElement[str]) -> ColumnElement[str]:
        return type_coerce(_one_more_than(MOST_IN_A_CELL, column), self)


class JsonBytes(TypeDecorator[bytes]):
    """JSON deflated, see packing: the same of it."""

    impl = LargeBinary
    cache_ok = True

    def column_expression(self, column: ColumnElement[bytes]) -> ColumnElement[bytes]:
        return type_coerce(_one_more_than(MOST_IN_A_CELL, column), self)

    def result_processor(self, dialect: Dialect, coltype: object) -> None:
        """As it stands there: SQLite keeps words in a column of bytes, too, and who unpacks them can say which."""


def _in_cycle() -> Column[Any]:
    return Column("cycle_id", _Id, ForeignKey("penstock_cycles.id", ondelete="CASCADE"), primary_key=True)


def _in_run() -> Column[Any]:
    return Column("run", _Id, ForeignKey("penstock_runs.number", ondelete="CASCADE"), nullable=False)


def _position() -> Column[Any]:
    return Column("position", Integer, primary_key=True)


schema = Table("penstock_schema", metadata, Column("version", Integer, primary_key=True))

runs = Table(
    "penstock_runs",
    metadata,
    Column("number", _Id, primary_key=True),
    Column("id", RunId, nullable=False, unique=True),
    Column("name", Shortened, nullable=False),
    Column("policy", Shortened, nullable=False),
    Column("engine", Shortened, nullable=False),
    Column("master", Shortened, nullable=False),
    Column("started_at_s", Double),  # epoch seconds; null in simulated time
    Column("slot_hour_price", Double),  # null where the tenants file gives none
    Column("currency", Shortened),
)

writers = Table(  # who writes the run: whoever began it last, as the first, second, third ... to do so
    "penstock_writers",
    metadata,
    Column("run", _Id, ForeignKey("penstock_runs.number", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    Column("token", Words, nullable=False),
    Column("epoch", BigInteger),
)

intents = Table(
    "penstock_intents",
    metadata,
    Column("id", _Id, primary_key=True),
    _in_run(),
    Column("job", Shortened, nullable=False),
    Column("text", Shortened, nullable=False),
    Column("max_utility", Double, nullable=False),
    Column("body", JsonText, nullable=False),  # see intent_codec
    Index("penstock_intents_of_run", "run"),
)

cycles = Table(
    "penstock_cycles",
    metadata,
    Column("id", _Id, primary_key=True),
    _in_run(),
    Column("at_s", Double, nullable=False),  # seconds since the run began
    Column("epoch_s", Double),
    Column("policy", Shortened, nullable=False),
    Column("utility", Double, nullable=False),
    Column("max_utility", Double, nullable=False),
    Column("note", Shortened, nullable=False),
    Column("snapshot", JsonBytes, nullable=False),  # all figures, JSON deflated, as the policy saw them
    Column("error", Shortened),  # what went wrong in the loop itself
    Column("shortfall", Shortened),  # that no shares meet all intents; null while some do
    Column("prediction_errors", JsonBytes),  # JSON of the plan's errors, deflated; null where it tells of none
    Column("possible_utility", Double),  # what those could have that were not starting
    Column("writer_epoch", BigInteger),  # of the driver that wrote it, see writers
    UniqueConstraint("run", "at_s"),
    Index("penstock_cycles_by_age", "epoch_s"),
)

job_figures = Table(
    "penstock_job_figures",
    metadata,
    _in_cycle(),
    Column("intent_id", _Id, ForeignKey("penstock_intents.id", ondelete="CASCADE"), primary_key=True),
    Column("utility", Double),
    Column("met", Boolean, nullable=False),
    Column("fresh", Boolean, nullable=False),
    Column("settling", Boolean, nullable=False),
    Column("threads", Integer, nullable=False),
    Column("latency_s", Double),  # the figure that the intent asks for
    Column("latency_mean_s", Double),
    Column("latency_p50_s", Double),
    Column("latency_p95_s", Double),
    Column("latency_p99_s", Double),
    Column("latency_estimated", Boolean),
    Column("juice", Double),
    Column("arrival_rps", Double),
    Column("processed_rps", Double),
    Column("backlog_rows", Double),
    Column("trouble", Shortened),
    Column("trouble_id", Shortened),  # which it is while its words change; null: none, or an earlier penstock told it
    Column("state", Words),  # as core.seen.states has it
    Column("urgency", Double),  # times its worth, where its error budget runs low; null: once
    Column("spent", JsonText),  # JSON: how its error budget stood; null where it has none
    Index("penstock_job_figures_of_intent", "intent_id"),
    sqlite_with_rowid=False,
)

# Windows of error budgets outlive the cycles that they were counted in, and go on from run to run of one name.
budget_windows = Table(
    "penstock_budget_windows",
    metadata,
    Column("name", Words, primary_key=True),  # of the runs; in simulated time the id of the run, which is its own
    Column("job", Words, primary_key=True),
    Column("windows_s", Double, primary_key=True),
    Column("from_s", Double, primary_key=True),  # epoch seconds
    Column("good", Integer, nullable=False),
    Column("bad", Integer, nullable=False),
    Column("unknown", Integer, nullable=False),
    Column("idle", Integer, nullable=False),
    Index("penstock_budget_windows_by_age", "from_s"),
    sqlite_with_rowid=False,
)

machine_figures = Table(
    "penstock_machine_figures",
    metadata,
    _in_cycle(),
    Column("machine", Shortened, primary_key=True),
    Column("cores", Integer, nullable=False),
    Column("load", Double),
    Column("memory_share", Double),
    Column("executors", Integer),
    Column("alive", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

decisions = Table(
    "penstock_decisions",
    metadata,
    _in_cycle(),
    _position(),
    Column("at_s", Double, nullable=False),
    Column("reason", Words, nullable=False),
    Column("why", Shortened, nullable=False),
    Column("changes", JsonText, nullable=False),  # JSON: [{"job", "operator", "before", "after"}, ...]
    Column("utility_before", Double, nullable=False),
    Column("expected_utility", Double),
    Column("foretold", JsonText),  # JSON: [{"job", "latency_s", "juice", "utility", "was_latency_s", ...}, ...]
    sqlite_with_rowid=False,
)

step_outcomes = Table(
    "penstock_step_outcomes",
    metadata,
    _in_cycle(),
    _position(),
    Column("job", Shortened, nullable=False),
    Column("changes", JsonText, nullable=False),
    Column("error", Shortened),
    Column("undone", Boolean),
    sqlite_with_rowid=False,
)

verdicts = Table(
    "penstock_verdicts",
    metadata,
    _in_cycle(),
    _position(),
    Column("decided_at_s", Double, nullable=False),
    Column("judged_at_s", Double, nullable=False),
    Column("utility_came", Double, nullable=False),  # without meaning where the effect is not known
    Column("text", Shortened, nullable=False),
    Column("effect", Words),
    Column("place", Integer),  # of the decision among those of its instant
    Column("again", Boolean),  # whether another verdict on it comes
    Column("again_until_s", Double),  # and until when; null where none comes, or an earlier penstock did not say
    sqlite_with_rowid=False,
)

outlooks = Table(
    "penstock_outlooks",
    metadata,
    _in_cycle(),
    Column("job", Words, primary_key=True),
    Column("body", JsonText, nullable=False),  # JSON of a JobOutlook
    sqlite_with_rowid=False,
)

deeds = Table(
    "penstock_deeds",
    metadata,
    _in_cycle(),
    _position(),
    Column("at_s", Double, nullable=False),
    Column("job", Shortened),  # null: the whole application
    Column("text", Shortened, nullable=False),
    Column("why", Shortened, nullable=False),
    Column("error", Shortened),
    sqlite_with_rowid=False,
)

# A window of a route is written once, and goes when no cycle is left that saw it.
route_windows = Table(
    "penstock_route_windows",
    metadata,
    Column("id", _Id, primary_key=True),
    _in_run(),
    Column("job", Words, nullable=False),
    Column("route", Words, nullable=False),
    Column("window", BigInteger, nullable=False),
    Column("body", JsonBytes, nullable=False),  # JSON of RouteFigures, deflated
    Index("penstock_route_windows_of_run", "run"),
)

routes = Table(
    "penstock_routes",
    metadata,
    _in_cycle(),
    _position(),
    Column("window_id", _Id, ForeignKey("penstock_route_windows.id", ondelete="CASCADE"), nullable=False),
    Index("penstock_routes_of_window", "window_id"),
    sqlite_with_rowid=False,
)

memories = Table(
    "penstock_memories",
    metadata,
    Column("run", _Id, ForeignKey("penstock_runs.number", ondelete="CASCADE"), primary_key=True),
    Column("policy", Words, primary_key=True),
    Column("at_s", Double, nullable=False),
    Column("body", JsonBytes, nullable=False),
)

audit = Table(
    "penstock_audit",
    metadata,
    Column("id", _Id, primary_key=True),
    _in_run(),
    Column("at_epoch_s", Double, nullable=False),
    Column("who", Shortened, nullable=False),
    Column("act", Shortened, nullable=False),
    Column("detail", Shortened, nullable=False),
    Index("penstock_audit_of_run", "run"),
)
