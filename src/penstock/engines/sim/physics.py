"""The physics of continuous operators: queues, threads, machines; one step at a time, all operators at once.

Each operator has a queue and threads. A thread that works on a tuple spends CPU work, stretched by the
crowding of its machine, and waiting, which is not. Flows are fluid; what single tuples see (waiting behind
others below saturation) is a queueing formula over the step, kept apart from the fluid queue.
"""

from dataclasses import dataclass, field

import numpy as np

from penstock.core.arrays import Floats
from penstock.engines.sim.layout import Layout
from penstock.engines.sim.spec import SimCluster

STEP_S = 1.0
SLOW_EVERY = 5  # steps between updates of what moves slowly: memory, links, crowding below saturation
HIGHEST_BUSY = 0.98  # beyond it the fluid queue grows and carries the delay
MEMORY_HURTS_ABOVE = 0.8  # share of memory at which collecting garbage begins to cost


@dataclass(slots=True)
class Physics:
    """The moving state of a cluster. Mutable: it is the world, not a value that crosses a border."""

    layout: Layout
    cluster: SimCluster
    rng: np.random.Generator
    placed: Floats  # threads by operator and machine
    alive: Floats
    queue: Floats
    inflow: Floats  # what parents sent in the last step and has not been taken in yet
    running: Floats  # 1 for operators of jobs that run, 0 for those paused, ended or not begun
    speed: Floats
    wander: Floats
    others: Floats  # runnable threads of somebody else
    load: Floats
    inflation: Floats  # how much longer CPU work takes below saturation, by operator
    slowdown: Floats  # by memory pressure and full links, by machine
    memory_share: Floats
    threads: Floats = field(init=False)  # by operator
    room: Floats = field(init=False)  # tuples that each operator's queues hold
    capacity: Floats = field(init=False)
    runnable: Floats = field(init=False)
    service: Floats = field(init=False)
    busy: Floats = field(init=False)
    remote: Floats = field(init=False)
    hop: Floats = field(init=False)  # mean time on the network before each operator
    arrived: Floats = field(init=False)
    done: Floats = field(init=False)
    dropped: Floats = field(init=False)
    sojourn: Floats = field(init=False)
    sojourn_square: Floats = field(init=False)
    steps: int = 0

    @classmethod
    def at_rest(cls, layout: Layout, cluster: SimCluster, rng: np.random.Generator) -> "Physics":
        """A cluster on which nothing runs yet."""
        n, m = layout.size, cluster.machines
        physics = cls(
            layout=layout,
            cluster=cluster,
            rng=rng,
            placed=np.zeros((n, m)),
            alive=np.ones(m),
            queue=np.zeros(n),
            inflow=np.zeros(n),
            running=np.zeros(n),
            speed=np.ones(m),
            wander=np.zeros(m),
            others=np.zeros(m),
            load=np.zeros(m),
            inflation=np.ones(n),
            slowdown=np.ones(m),
            memory_share=np.zeros(m),
        )
        physics.busy = np.zeros(n)
        physics.replaced()
        return physics

    def replaced(self) -> None:
        """Threads moved: what depends on where they are is worked out again."""
        self.threads = self.placed.sum(axis=1)
        self.room = self.layout.queue_limit * np.maximum(self.threads, 1.0)
        share = self.placed / np.maximum(self.threads, 1.0)[:, None]
        together = (share[self.layout.edge_from] * share[self.layout.edge_to]).sum(axis=1)
        self.remote = 1.0 - together
        size, children = self.layout.size, self.layout.edge_to
        inbound = np.bincount(children, minlength=size)
        far = np.bincount(children, weights=self.remote, minlength=size) / np.maximum(inbound, 1)
        self.hop = self.cluster.network_s * far
        self._speed_changed()

    def _speed_changed(self) -> None:
        cpu = self.layout.cpu_s[:, None] / (self.speed * self.slowdown)[None, :]
        service = cpu + self.layout.wait_s[:, None]
        placed = self.placed * self.alive
        self.capacity = (placed / service).sum(axis=1) * STEP_S
        self.runnable = placed * (cpu / service)
        self.service = self.threads * STEP_S / np.maximum(self.capacity, 1e-9)

    def step(self, external: Floats) -> None:
        """One step: take in, process, pass on. `external` is what arrives at each source."""
        layout = self.layout
        self.arrived = self.inflow + external
        able = self.capacity * self.running
        waiting = self.queue + self.arrived
        if layout.any_blocks:
            able = np.minimum(able, self._room_below(able, waiting))
        self.done = np.minimum(waiting, able)
        left = waiting - self.done
        kept = np.minimum(left, np.where(layout.blocks, np.inf, self.room))
        self.dropped = left - kept
        self.queue = kept
        sent = self.done[layout.edge_from] * layout.selectivity
        self.inflow = np.bincount(layout.edge_to, weights=sent, minlength=layout.size).astype(float, copy=False)
        self.busy = self.done / np.maximum(self.capacity, 1e-9)
        self._note_sojourn()
        self._share_machines()
        self.steps += 1
        if self.steps % SLOW_EVERY == 0:
            self._slow_step()

    def _room_below(self, able: Floats, waiting: Floats) -> Floats:
        """How much each operator may process so that no child's queue is over its limit (back-pressure).

        What is sent now arrives in the next step, in which the child can work on it as well.
        """
        layout = self.layout
        limit = np.where(layout.blocks, self.room, np.inf)
        left = np.maximum(waiting - able, 0.0)
        room = np.maximum(limit + able - left, 0.0)[layout.edge_to]
        result = np.full(layout.size, np.inf)
        np.minimum.at(result, layout.edge_from, room / np.maximum(layout.selectivity, 1e-9))
        return result

    def _note_sojourn(self) -> None:
        """Mean and second moment of the time that tuples spend at each operator.

        Each thread has a queue of its own (shuffle grouping), so waiting is that of M/G/1; the time in the
        system below saturation is about exponential. The fluid queue comes on top, first in, first out.
        """
        busy = np.minimum(self.busy, HIGHEST_BUSY)
        spread = 0.5 * (1.0 + self.layout.variability)
        random = self.service * (self.inflation + spread * busy / (1.0 - busy))
        behind = self.queue * STEP_S / np.maximum(self.capacity, 1e-9)
        steady = behind + self.hop
        self.sojourn = random + steady
        self.sojourn_square = 2.0 * random * random + 2.0 * random * steady + steady * steady

    def _share_machines(self) -> None:
        """Processor sharing: runnable threads beyond the cores slow each other down, and switching costs."""
        idle = self.cluster.idle_load * (self.placed.T @ (self.running * (1.0 - np.minimum(self.busy, 1.0))))
        wanting = np.minimum(self.busy, 1.0) @ self.runnable + idle + self.others
        self.load += 0.2 * (wanting - self.load)
        crowd = wanting / self.cluster.cores
        over = np.maximum(crowd - 1.0, 0.0)
        target = (1.0 + self.wander) / (np.maximum(crowd, 1.0) * (1.0 + self.cluster.context_switch * over))
        change = 0.3 * (target - self.speed)
        if np.abs(change).max() > 1e-3:  # smaller ones wait for the next slow step
            self.speed = self.speed + change
            self._speed_changed()

    def _slow_step(self) -> None:
        cluster, layout = self.cluster, self.layout
        if cluster.noise > 0:
            # A wandering speed: half of it is forgotten in about a minute.
            shock = self.rng.standard_normal(cluster.machines) * cluster.noise
            self.wander = np.clip(0.95 * self.wander + 0.31 * shock, -0.5, 0.5)
        crowd = np.minimum(self.load / cluster.cores, 0.95)
        longer = 1.0 / (1.0 - crowd ** np.sqrt(2.0 * (cluster.cores + 1)))  # after Sakasegawa's approximation
        cpu_part = layout.cpu_s / np.maximum(layout.cpu_s + layout.wait_s, 1e-12)
        share = self.placed / np.maximum(self.threads, 1.0)[:, None]
        self.inflation = 1.0 + cpu_part * (share @ longer - share.sum(axis=1))
        self._weigh_memory_and_links(share)
        self._speed_changed()

    def _weigh_memory_and_links(self, share: Floats) -> None:
        cluster, layout = self.cluster, self.layout
        held = (self.queue + self.done / STEP_S * layout.retention_s) * layout.tuple_mb
        memory = self.placed.T @ layout.memory_mb + share.T @ held
        self.memory_share = memory / cluster.memory_mb
        pressure = np.maximum(self.memory_share - MEMORY_HURTS_ABOVE, 0.0) / (1.0 - MEMORY_HURTS_ABOVE)
        mb = self.done[layout.edge_from] * layout.selectivity * self.remote * layout.tuple_mb[layout.edge_from]
        sent = share.T @ np.bincount(layout.edge_from, weights=mb, minlength=layout.size) / STEP_S
        full = np.maximum(sent / cluster.link_mb_per_s, 1.0)
        self.slowdown = 1.0 / ((1.0 + 5.0 * pressure) * full)
