"""Windows of routes in a database: the body of each is written once, and every cycle that saw it points to it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import sqlalchemy as sa

from penstock.core.seen.routes import RouteFigures
from penstock.errors import told
from penstock.store import tables
from penstock.store.codec import DoesNotFitError
from penstock.store.packing import SpoiltError
from penstock.store.route_codec import pack_route, unpack_route


@dataclass(frozen=True, slots=True)
class Window:
    """A window in the database, and the number of its row."""

    figures: RouteFigures
    number: int


@dataclass(slots=True)
class WrittenWindows:
    """The windows that the newest cycle of a run saw: the next cycle will have seen most of them too."""

    run: int
    known: list[Window] = field(default_factory=list)

    def write(self, connection: sa.Connection, routes: Iterable[RouteFigures], cycle_id: int) -> list[Window]:
        """Write what of the cycle's windows is new, and that it saw them; what is `known` once this is committed."""
        found = [self._written(connection, figures) for figures in routes]
        saw = [{"cycle_id": cycle_id, "position": at, "window_id": one.number} for at, one in enumerate(found)]
        if saw:
            connection.execute(tables.routes.insert(), saw)
        return found

    def _written(self, connection: sa.Connection, figures: RouteFigures) -> Window:
        for known in self.known:
            if known.figures is figures or known.figures == figures:
                return known
        values = {name: getattr(figures, name) for name in ("job", "route", "window")}
        insert = tables.route_windows.insert().values(run=self.run, body=pack_route(figures), **values)
        return Window(figures, connection.execute(insert.returning(tables.route_windows.c.id)).scalar_one())


class SeenWindows:
    """The routes as each cycle of a run saw them, cycle by cycle; every window is unpacked once."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._last: dict[int, RouteFigures] = {}

    def routes(self, window_ids: Iterable[int]) -> tuple[RouteFigures, ...]:
        """The windows of one cycle, by the numbers of their rows."""
        self._last = {number: self._last.get(number) or self._read(number) for number in window_ids}
        return tuple(self._last.values())

    def _read(self, number: int) -> RouteFigures:
        wanted = sa.select(tables.route_windows.c.body).where(tables.route_windows.c.id == number)
        body = self._connection.execute(wanted).scalar_one_or_none()
        if body is None:
            raise DoesNotFitError(f"penstock_route_windows has no row {number}, which a cycle points to")
        try:
            return unpack_route(body)
        except Exception as error:
            kind = SpoiltError if isinstance(error, SpoiltError) else DoesNotFitError
            raise kind(f"penstock_route_windows, id {number}: {told(error)}") from error
