"""The simulated application: its clock, its events to come, its jobs, machines and running tasks."""

import heapq
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from penstock.engines.sim.microbatch.batch import Batch
from penstock.engines.sim.microbatch.machines import Machine, machines_of
from penstock.engines.sim.microbatch.shares import reshare
from penstock.engines.sim.microbatch.spec import MicroBatchCluster, MicroBatchJob
from penstock.engines.sim.microbatch.state import JobState

Event = tuple[float, int, str, object]  # when, order among equals, kind, whom


class Task(NamedTuple):
    """A running task; the numbers are what ends with it."""

    job: JobState
    batch: Batch
    machine: Machine
    demand: float
    cpu_rate: float
    started_s: float


class World:
    """All that changes, in one place. The functions that change it live beside it, one idea to a file."""

    __slots__ = (
        *("_sequence", "batches", "cluster", "events", "executors"),
        *("free", "jobs", "machines", "now", "running", "tasks"),
    )

    def __init__(self, cluster: MicroBatchCluster, specs: Sequence[MicroBatchJob]) -> None:
        self.cluster = cluster
        self.now = 0.0
        ordered = sorted(specs, key=lambda spec: spec.name)
        self.jobs = tuple(
            JobState(spec, (int(cluster.seed), index), cluster.noise) for index, spec in enumerate(ordered)
        )
        self.machines = machines_of(cluster)
        self.executors = cluster.machines  # that are wanted; a machine may be lost meanwhile
        self.free = cluster.slots  # over all machines
        self.running: dict[int, Task] = {}
        self.events: list[Event] = []
        self._sequence = count()
        self.tasks = count()  # numbers for tasks and batches
        self.batches = count()

    def schedule(self, at_s: float, kind: str, whom: object) -> None:
        """Let something happen at `at_s`; what is scheduled first among equals happens first."""
        heapq.heappush(self.events, (at_s, next(self._sequence), kind, whom))

    @property
    def slots(self) -> int:
        """Slots of the machines that are there."""
        return sum(machine.slots for machine in self.machines if machine.alive)

    def share_anew(self) -> None:
        """Set weights and minimum shares after threads, jobs or machines changed."""
        present = [job for job in self.jobs if job.present]
        for job in present:
            job.accrue(self.now)
        reshare(present, self.slots)
