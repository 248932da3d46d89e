"""The start of a routed query: it starts where its book is, and with the book that its checkpoint was written with.

Where a query keeps its checkpoint is known when its writer is finished, and where its tables are read when it is
grouped, long before. penstock therefore makes a query that it starts for the first time twice: to look where its
checkpoint is, and then with the tables beside that. A query that somebody else starts is refused where its route was
not told (`Routing(..., checkpoint=...)`). Both are seen in `DataStreamWriter.start`, which is taught as `groupBy` is
(see `keys`).
"""

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jvm.checkpoint_files import location_of
from penstock.engines.spark.jvm.routing.grouping import salt_name

Made = TypeVar("Made")


class StartedRoute(Protocol):
    """What the start of a query asks of a route."""

    @property
    def is_settled(self) -> bool:
        """Whether it knows where its tables are."""

    def keep_at(self, checkpoint: str) -> None:
        """The query keeps its checkpoint there, whatever was said before it is settled."""

    def settle(self, spark: SparkSession, checkpoint: str | None) -> None:
        """They are beside that checkpoint; None: the query has none that outlives it."""

    def check_start(self, spark: SparkSession, checkpoint: str | None, version: int | None) -> None:
        """Refuse a query that keeps its checkpoint elsewhere, or was made with another table than that in force.

        Else note in the checkpoint what it depends on.
        """


class _LookedError(Exception):
    """A query was about to be started while its function was made to be looked at only."""

    def __init__(self, checkpoint: str | None) -> None:
        self.checkpoint = checkpoint


@dataclass(frozen=True, slots=True)
class RoutedBy:
    """Whose salt a plan holds, and by which table; None: by those that windows follow, or by none yet."""

    route: StartedRoute
    version: int | None


_LOOKING: ContextVar[list[StartedRoute] | None] = ContextVar("penstock_looking", default=None)
_BY_SALT: dict[int, RoutedBy] = {}  # by the id of the column in plans
_COLUMN = re.compile(re.escape(salt_name("")) + r"\d+#(\d+)")


def built(spark: SparkSession, name: str, make: Callable[[], Made], make_ours: Callable[[str, str], object]) -> Made:
    """What `make` makes of the query of that name, with the tables beside its checkpoint, which is made ours before."""
    with _looking() as met:
        try:
            made = make()
            checkpoint = location_of(spark, made, name) if isinstance(made, DataStreamWriter) else None
        except _LookedError as looked:
            checkpoint = looked.checkpoint
    if not met:
        return made
    if checkpoint is not None:
        make_ours(checkpoint, name)
    for route in met:
        route.settle(spark, checkpoint)
    return make()


def is_looked_at(route: StartedRoute) -> bool:
    """Whether the query that is made now will not run: the route is not settled yet, and will be."""
    met = _LOOKING.get()
    if met is None or route.is_settled:
        return False
    if route not in met:
        met.append(route)
    return True


def remember(salt_id: int, routed: RoutedBy) -> None:
    """Whose salt that is, wherever it is found in a plan."""
    _BY_SALT[salt_id] = routed


def routed_by(writer: DataStreamWriter) -> list[RoutedBy]:
    """By whose routes, and which tables, the writer's rows are grouped."""
    if not _BY_SALT:
        return []
    java: Any = writer._df._jdf
    found = [_BY_SALT[number] for number in _salts(java.queryExecution().analyzed()) if number in _BY_SALT]
    return list(dict.fromkeys(found))


def teach_start() -> None:
    """Let the start of a query see its routes; once is enough, again does nothing."""
    for method in ("start", "toTable"):
        original: Any = getattr(DataStreamWriter, method)
        if not getattr(original, "sees_routes", False):
            setattr(DataStreamWriter, method, _taught(original))


@contextmanager
def _looking() -> Iterator[list[StartedRoute]]:
    met: list[StartedRoute] = []
    token = _LOOKING.set(met)
    try:
        yield met
    finally:
        _LOOKING.reset(token)


def _taught(original: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def start(self: DataStreamWriter, *args: Any, **options: Any) -> Any:
        routed = routed_by(self)
        if routed:
            said = signature.bind(self, *args, **options).arguments
            _set(self, said.get("queryName"), said.get("options", {}))
            _check(self, routed)
        return original(self, *args, **options)

    taught: Any = start
    taught.sees_routes = True
    return start


def _set(writer: DataStreamWriter, name: str | None, options: Mapping[str, Any]) -> None:
    """What the start itself says of the checkpoint; Spark sets it again."""
    if name is not None:
        writer.queryName(name)
    for option, value in options.items():
        if option.lower() == "checkpointlocation":
            writer.option(option, value)


def _check(writer: DataStreamWriter, routed: Sequence[RoutedBy]) -> None:
    checkpoint = location_of(writer._spark, writer)
    looked_at = [found for found in routed if is_looked_at(found.route)]  # all of them are to be settled
    if looked_at:
        raise _LookedError(checkpoint)
    for found in routed:
        found.route.check_start(writer._spark, checkpoint, found.version)


def _salts(plan: Any) -> Iterator[int]:
    """The ids of all salts in a plan."""
    yield from map(int, _COLUMN.findall(str(plan.output().mkString(" "))))
    children = plan.children()
    for number in range(children.size()):
        yield from _salts(children.apply(number))
