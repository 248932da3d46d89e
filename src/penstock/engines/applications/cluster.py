"""The cluster: what is there, and who holds how much of it. A port; each cluster manager has an adapter."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Worker:
    """One machine that runs executors."""

    name: str
    cores: int
    free_cores: int
    memory_mib: int | None = None
    free_memory_mib: int | None = None
    alive: bool = True


@dataclass(frozen=True, slots=True)
class Room:
    """All machines, and the cores that each application holds, by the name under which the cluster knows it.

    `tells` is whether the cluster manager says who holds what: then who is not named is not there.
    """

    workers: tuple[Worker, ...]
    held: Mapping[str, int] = field(default_factory=dict)
    tells: bool = True

    @property
    def cores(self) -> int:
        """Those of all living machines."""
        return sum(worker.cores for worker in self.workers if worker.alive)


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
