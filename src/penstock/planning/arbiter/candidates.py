"""Candidates: how all levers of all jobs might stand, one candidate a row and one job a column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from penstock.core.arrays import Floats
from penstock.planning.arbiter.fleet import Fleet

RowIndex: TypeAlias = NDArray[np.intp] | slice | int
Arrays = TypeVar("Arrays")

# Jobs times candidates. Of fewer the calls of numpy take the time; of more, memory beyond a core's own cache does.
_AT_ONCE = 16_384

RESTART_S = 10.0  # of a job whose trigger or partitions are turned: until it works on rows again


@dataclass(frozen=True, slots=True)
class Settings:
    """Each job's weight in its pool, the bound of its batches, how often they begin, and the parts of its state."""

    weights: Floats
    bounds: Floats
    triggers: Floats
    parts: Floats

    def __len__(self) -> int:
        return len(self.weights)

    def rows(self, which: slice | NDArray[np.intp]) -> "Settings":
        """Some of them."""
        return Settings(self.weights[which], self.bounds[which], self.triggers[which], self.parts[which])

    def row(self, place: int) -> "Settings":
        """One of them, as the only one."""
        return self.rows(slice(place, place + 1))

    def times(self, count: int) -> "Settings":
        """So many of the only one, each its own."""
        return Settings(*(np.repeat(getattr(self, one.name), count, axis=0) for one in fields(self)))

    def again(self, count: int) -> "Settings":
        """All of them so many times, below one another."""
        return Settings(*(np.tile(getattr(self, one.name), (count, 1)) for one in fields(self)))

    def put(self, rows: RowIndex, jobs: NDArray[np.intp] | int, of: "Settings", at: RowIndex) -> None:
        """Sets these jobs' levers in these rows as they stand in rows `at` of others."""
        for one in fields(self):
            getattr(self, one.name)[rows, jobs] = getattr(of, one.name)[at, jobs]


def present(fleet: Fleet) -> Settings:
    """How all levers stand."""
    return Settings(*(one[None, :].copy() for one in (fleet.weights, fleet.bounds, fleet.trigger_s, fleet.parts)))


def rows_of(bound: float) -> int | None:
    """A bound as a lever has it."""
    return round(float(bound)) if np.isfinite(bound) else None


def restarted(fleet: Fleet, settings: Settings) -> NDArray[np.bool_]:
    """Whose levers are turned that take a restart of the job."""
    again = (settings.triggers != fleet.trigger_s) & ~fleet.in_stride
    turned: NDArray[np.bool_] = again | (settings.parts != fleet.parts)
    return turned


def tasks_of(fleet: Fleet, settings: Settings) -> Floats:
    """The tasks of a stage: those that work on state are as many as its parts, those that read as their rows take."""
    more = fleet.parted * (settings.parts - fleet.parts) / fleet.stages
    tasks: Floats = np.maximum(1.0, fleet.tasks + more)
    if not np.isfinite(fleet.pieces).any():
        return tasks
    # Of batches since it was cut so they are known; of the next one, where that is larger or the first, they follow.
    read = np.minimum(settings.bounds, backlog_of(fleet, settings)) / fleet.pieces
    cut: Floats = np.maximum(tasks, (read + (fleet.stages - 1.0) * tasks) / fleet.stages)
    return cut


def backlog_of(fleet: Fleet, settings: Settings) -> Floats:
    """The rows that wait when the next batch begins, with those that come while a job starts again."""
    waiting = np.maximum(fleet.backlog, fleet.arrivals * settings.triggers)
    backlog: Floats = waiting + RESTART_S * fleet.arrivals * restarted(fleet, settings)
    return backlog


def columns(many: Arrays, jobs: NDArray[np.intp]) -> Arrays:
    """The same of these jobs only, where all fields have a column for each job."""
    return type(many)(*(getattr(many, one.name)[..., jobs] for one in fields(many)))  # type: ignore[arg-type]


def blocks(size: int, rows: int) -> Iterator[NDArray[np.intp]]:
    """All of so many places, a few after the other: as many as are best looked at at once, so many rows of each."""
    width = max(1, _AT_ONCE // rows)
    for first in range(0, size, width):
        yield np.arange(first, min(size, first + width))


def joined(many: Sequence[Settings]) -> Settings:
    """All of them below one another."""
    return Settings(*(np.concatenate([getattr(part, one.name) for part in many]) for one in fields(Settings)))
