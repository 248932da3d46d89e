"""The cluster: what is there, and who holds how much of it. A port; each cluster manager has an adapter."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from penstock.errors import OutageError, in_a_line, shown, told

_MOST_CORES = 10_000_000  # of one machine: whoever says more errs, and shares of that would be none


@dataclass(frozen=True, slots=True)
class Worker:
    """One machine that runs executors."""

    name: str
    cores: int
    free_cores: int
    memory_mib: int | None = None
    free_memory_mib: int | None = None
    alive: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.cores <= _MOST_CORES:
            raise ValueError(f"{self.name} has {shown(self.cores)} cores")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a queue or a quota allows the executors of these applications, all together; None: of all."""

    cores: int
    applications: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """All machines, and the cores that each application's executors hold, by the name that the cluster knows it by.

    `tells` is whether the cluster manager says who holds what: then who is not named is not there. `used` are cores of
    what is no executor: drivers, application masters. `waits` says of applications whose executors do not come, why.
    `executor_mib` is the memory of one executor of each application, where the cluster manager tells.
    """

    workers: tuple[Worker, ...]
    held: Mapping[str, int] = field(default_factory=dict)
    tells: bool = True
    used: int = 0
    allowance: Allowance | None = None
    waits: Mapping[str, str] = field(default_factory=dict)
    executor_mib: Mapping[str, int] = field(default_factory=dict)

    @property
    def cores(self) -> int:
        """Those of all living machines."""
        return sum(worker.cores for worker in self.workers if worker.alive)

    def cores_for(self, ours: Collection[str]) -> int:
        """What executors of these applications can have together: all there is and is allowed, but what others hold.

        >>> queue = Allowance(5, frozenset({"fraud", "bots"}))
        >>> room = Room((Worker("one", 8, 4),), {"fraud": 1, "bots": 1, "etl": 1}, used=1, allowance=queue)
        >>> room.cores_for({"fraud"}), room.cores_for({"etl"})
        (4, 5)
        """
        found = self.cores - self.used - self._of_others(self.held, ours)
        allowance = self.allowance
        if allowance is not None:
            these = self.held.keys() if allowance.applications is None else allowance.applications
            if not these.isdisjoint(ours) or allowance.applications is None:
                within = {name: cores for name, cores in self.held.items() if name in these}
                found = min(found, allowance.cores - self._of_others(within, ours))
        return max(0, found)

    def without_memory(self, executor_cores: Mapping[str, int]) -> int:
        """The free cores beside which no executor of these applications finds memory, by the cores of one.

        >>> room = Room((Worker("one", 8, 6, 4096, 1024),), {"fraud": 2}, executor_mib={"fraud": 512})
        >>> room.without_memory({"fraud": 1})
        4
        """
        # Applications are many and their sizes few: 1,000 of one size on 500 machines take 0.5 ms, one by one 160.
        sizes = {(cores, self.executor_mib.get(name)) for name, cores in executor_cores.items()}
        free = [one for one in self.workers if one.alive and one.free_memory_mib is not None]
        return sum(min((_left(one, cores, mib) for cores, mib in sizes), default=0) for one in free)

    @staticmethod
    def _of_others(held: Mapping[str, int], ours: Collection[str]) -> int:
        return sum(cores for name, cores in held.items() if name not in ours)


def _left(worker: Worker, cores: int, mib: int | None) -> int:
    """The free cores that executors of that size leave for want of memory; none where their size is not known."""
    if not mib or worker.free_memory_mib is None:
        return 0
    return max(0, worker.free_cores - worker.free_memory_mib // mib * cores)


@contextmanager
def understood(who: str) -> Iterator[None]:
    """Whatever is wrong with what a cluster manager says, it is an OutageError: nobody knows what there is.

    >>> with understood("the master"):
    ...     {}["workers"]
    Traceback (most recent call last):
    ...
    penstock.errors.OutageError: the master does not say what is free: KeyError: 'workers'
    """
    try:
        yield
    except OutageError:
        raise
    except Exception as error:
        raise OutageError(f"{who} does not say what is free: {in_a_line(told(error))}") from None


class Cluster(Protocol):
    """Where the fleet runs."""

    @property
    def name(self) -> str:
        """For people."""

    def room(self) -> Room:
        """What there is now; an OutageError where the cluster manager does not say."""


@dataclass(frozen=True, slots=True)
class FixedCluster:
    """So many cores, for a cluster manager that nobody can ask."""

    cores: int

    @property
    def name(self) -> str:
        """How many."""
        return f"{self.cores} cores"

    def room(self) -> Room:
        """All of them, whoever has them."""
        return Room((Worker("cluster", self.cores, 0),), tells=False)
