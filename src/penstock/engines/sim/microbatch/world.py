"""The simulated application: its clock, its events to come, its jobs, machines and work under way."""

import heapq
from collections.abc import Sequence
from itertools import count

from penstock.engines.lost_executors import Crew
from penstock.engines.sim.microbatch.line import WaitingLine
from penstock.engines.sim.microbatch.machines import SimulatedMachine, machines_of
from penstock.engines.sim.microbatch.memory import collecting_share, held_share
from penstock.engines.sim.microbatch.shares import ORDERS, reshare
from penstock.engines.sim.microbatch.spec import MicroBatchCluster, MicroBatchJob, Slowness
from penstock.engines.sim.microbatch.state import JobState
from penstock.engines.sim.microbatch.work import PieceOfWork

DueEvent = tuple[float, int, str, object]  # when, order among equals, kind, whom

_AS_EVER = Slowness(0.0)


class ClusterState:
    """All that changes, in one place. The functions that change it live beside it, one idea to a file."""

    __slots__ = (
        *("_sequence", "by_name", "cluster", "collecting", "crew", "driver", "events", "executors", "free", "jobs"),
        *("line", "machines", "memory_mib", "memory_wanted_mib", "moved", "now", "running", "works"),
    )

    def __init__(self, cluster: MicroBatchCluster, specs: Sequence[MicroBatchJob]) -> None:
        self.cluster = cluster
        self.now = 0.0
        ordered = sorted(specs, key=lambda spec: spec.name)
        self.jobs = tuple(JobState(spec, (int(cluster.seed), index)) for index, spec in enumerate(ordered))
        self.by_name = {job.name: job for job in self.jobs}
        self.moved = False  # threads were, or jobs came, at this instant: shares are worked out once for all of them
        self.machines = machines_of(cluster)
        own = cluster.driver_cores
        self.driver = self.machines[0] if own is None else SimulatedMachine("driver", 0, own)
        self.executors = cluster.machines  # that are wanted; a machine may be lost meanwhile
        self.crew = Crew({machine.name: 0.0 for machine in self.machines})
        self.memory_mib = self.memory_wanted_mib = cluster.executor_memory_mib  # of each executor
        self.collecting = 0.0  # share of the time that garbage collection takes
        self.free = cluster.slots  # over all machines
        self.running: dict[int, PieceOfWork] = {}
        self.line = WaitingLine(ORDERS[cluster.scheduling])
        self.events: list[DueEvent] = []
        self._sequence = count()
        self.works = count()  # numbers for works and batches

    def schedule(self, at_s: float, kind: str, whom: object) -> None:
        """Let something happen at `at_s`; what is scheduled first among equals happens first."""
        heapq.heappush(self.events, (at_s, next(self._sequence), kind, whom))

    @property
    def slots(self) -> int:
        """Slots of the machines that are there."""
        return sum(machine.slots for machine in self.machines if machine.alive)

    @property
    def slowness(self) -> Slowness:
        """How slow the machines are now for reasons of their own."""
        found = _AS_EVER
        for slowness in self.cluster.slowness:
            if slowness.from_s > self.now:
                break
            found = slowness
        return found

    def share_anew(self) -> None:
        """Set weights, minimum shares and how short memory is after threads, jobs, machines or memory changed."""
        self.moved = False
        present = [job for job in self.jobs if job.present]
        for job in present:
            job.accrue(self.now)
        reshare(present, self.slots, self.cluster.scheduling)
        self.line.all_moved()
        self.collecting = collecting_share(self.held_share)

    def settle(self) -> None:
        """Share anew, if anything moved since."""
        if self.moved:
            self.share_anew()

    @property
    def held_share(self) -> float | None:
        """How much of the memory of all executors the jobs' working sets hold; None where they have none."""
        executors = sum(machine.alive for machine in self.machines)
        return held_share(sum(job.spec.memory_mib for job in self.jobs if job.present), executors * self.memory_mib)

    @property
    def memory_awaited(self) -> bool:
        """Whether the application is about to start again with other executors."""
        return self.memory_mib != self.memory_wanted_mib

    def take_up_memory(self) -> None:
        """The executors have the memory that is wanted once no query waits for its batch's end to start again."""
        if self.memory_awaited and all(job.planned is None for job in self.jobs if job.present):
            self.memory_mib = self.memory_wanted_mib
            self.share_anew()
