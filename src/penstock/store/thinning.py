"""Thinning: figures of a run over time in as many points as a screen can show, averaged by the database."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from penstock.store import tables
from penstock.store.database import Database
from penstock.store.slices import Slice, Slices

OUTAGE = 5.0  # so many usual intervals without a cycle are an outage, as reports have it
STEPS = 4  # widths of slices double in so many steps: a run that grows keeps most of its width for hours

_cycles = tables.cycles.c


@dataclass(frozen=True, slots=True)
class Stretch:
    """Which part of a run is wanted, and into how many points it is to be thinned."""

    from_s: float | None = None
    to_s: float | None = None
    points: int = 300


@dataclass(frozen=True, slots=True)
class Columns:
    """Figures over time: number i of each column belongs to `at_s[i]`; None stands for an outage."""

    at_s: tuple[float, ...]
    values: Mapping[str, tuple[float | None, ...]]


@dataclass(frozen=True, slots=True)
class ToThin:
    """What is to be thinned: figures by name, from where, and by what they are told apart."""

    source: sa.FromClause
    figures: Mapping[str, sa.ColumnElement[Any]]
    by: sa.ColumnElement[Any] | None = None
    conditions: tuple[sa.ColumnElement[bool], ...] = ()


@dataclass(frozen=True, slots=True)
class _Grid:
    """Slice n is from `start_s` + n `width_s` to the next. `stays` when it is the same however the run grows."""

    start_s: float
    width_s: float
    stays: bool

    def number(self, at_s: float) -> int:
        return math.floor((at_s - self.start_s) / self.width_s)


@dataclass(frozen=True, slots=True)
class Thinning:
    """One run's figures, thinned. Where `kept` outlives the asking, only what is new is read again."""

    database: Database
    run: int
    kept: Slices
    run_id: str  # a number may be another run's by now, in another file or in this one

    def columns(self, key: str, stretch: Stretch, wanted: ToThin) -> dict[str, Columns]:
        """The wanted figures by name in slices of equal length, each stamped with its first cycle.

        `key` names what is wanted among all that anybody wants of the run.
        """
        with self.database.reading() as connection:
            count, first_s, last_s = self._extent(connection, stretch)
            if not count:
                return {}
            grid = _grid(count, first_s, last_s, stretch.points)

            def fetch(number: int) -> list[Slice]:
                return self._slices(connection, grid, wanted, number, last_s)

            kept = self.kept if grid.stays else Slices()
            whose = (self.database.file, self.run, self.run_id)
            slices = kept.since((*whose, key, grid.width_s), grid.number(first_s), fetch)
        found: dict[str, list[Slice]] = {}
        for one in sorted(slices):
            if one.at_s <= last_s:
                found.setdefault(one.name, []).append(one)
        return {name: _columns(told, tuple(wanted.figures), grid.width_s) for name, told in found.items()}

    def _extent(self, connection: sa.Connection, stretch: Stretch) -> tuple[int, float, float]:
        within = [_cycles.run == self.run]
        within += [] if stretch.from_s is None else [_cycles.at_s >= stretch.from_s]
        within += [] if stretch.to_s is None else [_cycles.at_s <= stretch.to_s]
        wanted = sa.select(sa.func.count(), sa.func.min(_cycles.at_s), sa.func.max(_cycles.at_s)).where(*within)
        count, first_s, last_s = connection.execute(wanted).one()
        return count, first_s or 0.0, last_s or 0.0

    def _slices(self, connection: sa.Connection, grid: _Grid, wanted: ToThin, first: int, to_s: float) -> list[Slice]:
        # The index finds the slices by their beginning; only the division itself says where each cycle belongs.
        from_s = max(grid.start_s, grid.start_s + (first - 1) * grid.width_s)
        number = _floor((_cycles.at_s - grid.start_s) / grid.width_s, connection.dialect.name)
        groups = [number] if wanted.by is None else [number, wanted.by]
        name = sa.literal("") if wanted.by is None else wanted.by
        selected = sa.select(number, name, sa.func.min(_cycles.at_s), *wanted.figures.values())
        bounds = (_cycles.run == self.run, _cycles.at_s >= from_s, _cycles.at_s <= to_s, number >= first)
        selected = selected.select_from(wanted.source).where(*bounds, *wanted.conditions).group_by(*groups)
        return [
            Slice(found, told, at_s, tuple(None if figure is None else float(figure) for figure in figures))
            for found, told, at_s, *figures in connection.execute(selected)
        ]


def _grid(count: int, first_s: float, last_s: float, points: int) -> _Grid:
    if count <= points:  # a slice for each cycle
        return _Grid(first_s, max((last_s - first_s) / count / 100.0, 1e-6), stays=False)
    exact = (last_s - first_s) / points
    return _Grid(0.0, 2.0 ** (math.ceil(STEPS * math.log2(exact)) / STEPS), stays=True)


def _floor(place: sa.ColumnElement[Any], dialect: str) -> sa.ColumnElement[Any]:
    # SQLite cuts off what is behind the point, and may lack floor; PostgreSQL rounds, and has it.
    return sa.cast(place, sa.BigInteger) if dialect == "sqlite" else sa.cast(sa.func.floor(place), sa.BigInteger)


def _columns(found: list[Slice], names: tuple[str, ...], width_s: float) -> Columns:
    """Slices as columns; an outage gets a point of Nones, so that no line is drawn across it."""
    gaps = sorted(later.at_s - now.at_s for now, later in itertools.pairwise(found))
    longest_s = OUTAGE * max(gaps[len(gaps) // 2], width_s) if gaps else math.inf
    at_s: list[float] = []
    rows: list[tuple[float | None, ...]] = []
    for one in found:
        if at_s and one.at_s - at_s[-1] > longest_s:
            at_s.append(at_s[-1] + longest_s / OUTAGE)
            rows.append((None,) * len(names))
        at_s.append(one.at_s)
        rows.append(one.figures)
    return Columns(tuple(at_s), dict(zip(names, zip(*rows, strict=True), strict=True)))
