"""Pins: partition p of every stateful operator of a query on one executor, so that equal partitions are neighbours.

After each batch it is known which executor ran which partition. Out of that follows where partitions belong and which
are to be sent there. Pure: tasks that ran in, instructions out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from penstock.engines.spark.routing.placement import assign

_REMEMBERED = 100  # batches, for the share of tasks astray


@dataclass(frozen=True, slots=True)
class RanTask:
    """A stateful task of a batch: the partition that it worked on, and where."""

    partition: int
    executor: str


@dataclass(frozen=True, slots=True)
class Send:
    """All state of this partition is to be on that executor from the next batch on."""

    partition: int
    executor: str


@dataclass(frozen=True, slots=True)
class BatchPlaces:
    """The stateful tasks of one batch, and how many of them ran where their partition did not belong."""

    tasks: int
    astray: int


@dataclass(frozen=True, slots=True)
class Pins:
    """Where the partitions of one query belong, and how the last batches kept to that."""

    placement: Mapping[int, str] = field(default_factory=dict)
    batches: tuple[BatchPlaces, ...] = ()

    @property
    def tasks(self) -> int:
        """How many ran in the batches that are remembered, since partitions were first placed."""
        return sum(batch.tasks for batch in self.batches)

    @property
    def astray(self) -> float | None:
        """The share of them that ran elsewhere than where their partition belonged; None before there were any.

        >>> Pins(batches=(BatchPlaces(6, 0), BatchPlaces(6, 3))).astray
        0.25
        """
        return sum(batch.astray for batch in self.batches) / self.tasks if self.tasks else None

    def after(
        self, ran: Sequence[RanTask], executors: Sequence[str], loads: Sequence[float] = ()
    ) -> "tuple[Pins, tuple[Send, ...]]":
        """The pins after a batch of these tasks, and what is to be sent where.

        `loads` are rows by partition; unless there is one for each, all count the same. With a single executor there
        is no choice, and nothing is placed. Of a batch of which no task is known nothing follows.

        >>> pins = Pins({0: "a", 1: "b"})
        >>> pins.after([RanTask(0, "a"), RanTask(1, "a")], ["a", "b"])[1]
        (Send(partition=1, executor='b'),)
        """
        if len(executors) < 2:
            return Pins(), ()
        if not ran:
            return self, ()
        # A stage that is tried again, as when an executor was lost, lists only the partitions that it tries.
        partitions = 1 + max((*self.placement, *(task.partition for task in ran)))
        weights = loads if len(loads) == partitions else [1.0] * partitions
        placement = assign(weights, executors, self.placement)
        astray = sorted({task.partition for task in ran if task.executor != placement[task.partition]})
        batches = self.batches if not self.placement else (*self.batches, self._seen(ran))[-_REMEMBERED:]
        return Pins(placement, batches), tuple(Send(partition, placement[partition]) for partition in astray)

    def _seen(self, ran: Sequence[RanTask]) -> BatchPlaces:
        """By where partitions belonged while the batch ran."""
        return BatchPlaces(len(ran), sum(task.executor != self.placement.get(task.partition) for task in ran))


def homes(ran: Sequence[RanTask]) -> dict[int, str]:
    """The executor of each partition; one on which its operators do not agree is absent.

    >>> homes([RanTask(0, "a"), RanTask(1, "a"), RanTask(0, "a"), RanTask(1, "b")])
    {0: 'a'}
    """
    found: dict[int, set[str]] = {}
    for task in ran:
        found.setdefault(task.partition, set()).add(task.executor)
    return {partition: next(iter(where)) for partition, where in found.items() if len(where) == 1}
