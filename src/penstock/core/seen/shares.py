"""Shares: what the threads of jobs stand for, with weight, share and cores told apart.

Where a job's operators share a pool, its threads are a weight: beside those of the others it says what part of the
slots the job may claim. Operators with threads of their own hold what they have.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.seen.figures import ALL_OPERATORS, JobFigures
from penstock.core.seen.view import View


@dataclass(frozen=True, slots=True)
class Pool:
    """The slots that jobs share by weight, and those jobs; None where nobody tells how many there are."""

    slots: int | None = None
    weights: Mapping[str, int] = field(default_factory=dict)

    @property
    def weight(self) -> int:
        """All weights together."""
        return sum(self.weights.values())

    def share(self, weight: int) -> float | None:
        """The slots that a weight stands for."""
        return None if self.slots is None else slot_share(weight, self.weight, self.slots)


@dataclass(frozen=True, slots=True)
class Share:
    """What one job's threads stand for, and what it makes of it.

    `busy` is its capacity: of the time of its share. More than 1 means that it used slots that others left. `cores` are
    those that its tasks kept busy. `pool` is None for a job whose operators have threads of their own.
    """

    threads: int
    pool: Pool | None = None
    busy: float | None = None
    cores: float | None = None

    @property
    def slots(self) -> float | None:
        """The slots that its weight stands for."""
        return None if self.pool is None else self.pool.share(self.threads)

    @property
    def paid_slots(self) -> float:
        """Those, or as many as it has threads where these are its own."""
        return self.threads if self.slots is None else self.slots

    @property
    def used_slots(self) -> float | None:
        """The slots that its tasks kept busy, its own and those that others left."""
        return None if self.slots is None or self.busy is None else self.busy * self.slots


def slot_share(weight: int, all_weights: int, slots: int) -> float:
    """The slots that a weight stands for: itself, scaled down once all weights together exceed the slots.

    >>> slot_share(4, 6, 8), slot_share(8, 16, 8)
    (4.0, 4.0)
    """
    return slots * weight / max(slots, all_weights)


def pool_of(view: View) -> Pool:
    """What is shared by weight; slots that operators hold for themselves are not."""
    weights = {job.name: job.figures.threads for job in view.jobs if shares_pool(job.figures)}
    slots = view.slots
    if slots is None or not weights:
        return Pool(None, weights)
    held = sum(job.figures.threads for job in view.jobs) - sum(weights.values())
    return Pool(max(1, slots - held), weights)


def shares_of(view: View) -> dict[str, Share]:
    """Every job's share, by name."""
    pool = pool_of(view)
    return {job.name: _share(job.figures, pool) for job in view.jobs}


def shares_pool(job: JobFigures) -> bool:
    """Whether its operators share a pool."""
    return ALL_OPERATORS in [operator.name for operator in job.operators]


def _share(job: JobFigures, pool: Pool) -> Share:
    if not shares_pool(job):
        return Share(job.threads)
    (unit,) = (operator for operator in job.operators if operator.name == ALL_OPERATORS)
    found = Share(job.threads, pool, unit.capacity)
    on_cores = None if unit.cpu_share is None or found.slots is None else unit.cpu_share * found.slots
    return Share(job.threads, pool, unit.capacity, on_cores if unit.cores is None else unit.cores)
