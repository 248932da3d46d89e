"""A machine: its slots, and how much its runnable threads slow one another down."""

from collections import deque

from penstock.engines.sim.microbatch.spec import MicroBatchCluster


class Machine:
    """One machine's present: free slots, demand for CPU, and whether it is there at all."""

    __slots__ = ("_area", "_samples", "_since_s", "cores", "demand", "foreign_load", "free", "losses", "name", "slots")

    def __init__(self, name: str, slots: int, cores: int) -> None:
        self.name = name
        self.slots = slots
        self.cores = cores
        self.free = slots
        self.demand = 0.0  # threads of ours that want a core, on average over their tasks
        self.foreign_load = 0.0
        self.losses = 0  # losses may overlap; it is back when the last one is over
        self._area = 0.0
        self._since_s = 0.0
        self._samples: deque[tuple[float, float]] = deque([(0.0, 0.0)])

    @property
    def alive(self) -> bool:
        """Whether its slots exist."""
        return self.losses == 0

    def slowdown(self, cluster: MicroBatchCluster) -> float:
        """How much longer CPU work takes that starts now, with all that runs here."""
        crowding = (self.demand + self.foreign_load) / self.cores
        if crowding <= 1.0:
            return 1.0 + cluster.interference * crowding
        return crowding * (1.0 + cluster.context_switch * (crowding - 1.0)) * (1.0 + cluster.interference)

    def accrue(self, now: float) -> None:
        """Add up the load since the last change; call before each change."""
        self._area += (self.demand + self.foreign_load) * (now - self._since_s)
        self._since_s = now

    def sample(self, now: float, keep_s: float) -> None:
        """Note the load so far, once a second; of what is older than `keep_s` only the newest stays."""
        self.accrue(now)
        self._samples.append((now, self._area))
        while self._samples[1][0] <= now - keep_s:
            self._samples.popleft()

    def mean_load(self, now: float) -> float:
        """Runnable threads on average over the samples kept: an instant would only show where batches begin."""
        self.accrue(now)
        from_s, area = self._samples[0]
        return (self._area - area) / (now - from_s) if now > from_s else self.demand + self.foreign_load


def machines_of(cluster: MicroBatchCluster) -> tuple[Machine, ...]:
    """The cluster's machines; the first ones take what does not divide evenly."""
    return tuple(
        Machine(
            f"machine-{index}",
            _part(cluster.slots, cluster.machines, index),
            _part(cluster.cores, cluster.machines, index),
        )
        for index in range(cluster.machines)
    )


def _part(whole: int, parts: int, index: int) -> int:
    return whole // parts + (1 if index < whole % parts else 0)
