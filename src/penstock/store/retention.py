"""Retention: what is too old or too much goes, a few cycles at a time, so that no round waits for it."""

from dataclasses import dataclass

import sqlalchemy as sa

from penstock.core.asked.budget import DAY_S, LONGEST_S
from penstock.core.units import positive
from penstock.store.desk_retention import Beyond, prune_desk
from penstock.store.tables import budget_windows, cycles, route_windows, routes, runs


@dataclass(frozen=True, slots=True)
class Retention:
    """How much is kept. With 20 jobs a cycle takes about 15 KB."""

    max_age_s: float = 14 * 86_400.0  # older cycles of any run go, and runs that have none left
    max_cycles: int = 20_000  # of one run: more than two days of 10 s rounds
    every: int = 10  # look once in so many appends
    batch: int = 30  # delete at most so many cycles at a time, above `every`, or it would never catch up
    max_asked: int = 10_000  # requests, proposals and audit lines of one run, each; older ones go as cycles do
    max_window_age_s: float = LONGEST_S + DAY_S  # windows of error budgets, a row each, stay for the longest of them

    def __post_init__(self) -> None:
        positive(self.max_age_s, "max_age_s")
        positive(self.max_cycles, "max_cycles", "keep at least one cycle")
        positive(self.max_asked, "max_asked", "keep at least one")
        positive(self.every, "every")
        positive(self.batch - self.every, "batch", f"write more than every={self.every}, or old cycles pile up")

    def prune(self, connection: sa.Connection, run: int, now_epoch_s: float | None, now_s: float = 0.0) -> None:
        """Delete a batch of what is beyond the bounds, seen from the run that is being written; `now_s` is its clock's.

        Simulated time has no age.
        """
        newest_surplus = (
            sa.select(cycles.c.id)
            .where(cycles.c.run == run)
            .order_by(cycles.c.id.desc())
            .limit(1)
            .offset(self.max_cycles)
            .scalar_subquery()
        )
        self._delete(connection, sa.and_(cycles.c.run == run, cycles.c.id <= newest_surplus))
        if now_epoch_s is not None:
            oldest_kept = now_epoch_s - self.max_age_s
            self._delete(connection, cycles.c.epoch_s < oldest_kept)
            self._delete_empty_runs(connection, run, oldest_kept)
            old = budget_windows.c.from_s < now_epoch_s - self.max_window_age_s
            connection.execute(budget_windows.delete().where(old))
        self._delete_unseen_windows(connection)
        old_epoch_s = None if now_epoch_s is None else now_epoch_s - self.max_age_s
        old_s = None if now_epoch_s is None else now_s - self.max_age_s
        prune_desk(connection, run, Beyond(old_epoch_s, old_s, now_s, self.max_asked))

    def _delete(self, connection: sa.Connection, beyond: sa.ColumnElement[bool]) -> None:
        doomed = sa.select(cycles.c.id).where(beyond).order_by(cycles.c.id).limit(self.batch)
        connection.execute(cycles.delete().where(cycles.c.id.in_(doomed)))

    def _delete_unseen_windows(self, connection: sa.Connection) -> None:
        seen = sa.exists().where(routes.c.window_id == route_windows.c.id)
        connection.execute(route_windows.delete().where(sa.not_(seen)))

    def _delete_empty_runs(self, connection: sa.Connection, current: int, oldest_kept: float) -> None:
        has_cycles = sa.exists().where(cycles.c.run == runs.c.number)
        doomed = sa.select(runs.c.number).where(
            runs.c.number != current, runs.c.started_at_s < oldest_kept, sa.not_(has_cycles)
        )
        connection.execute(runs.delete().where(runs.c.number.in_(doomed.limit(self.batch))))
