"""A machine: its slots, and how much what runs there slows itself down."""

from collections import Counter, deque

from penstock.engines.sim.microbatch.spec import MicroBatchCluster

_STEPS = 30  # of Newton's method, which needs four or five
_NEAR = 1e-12


class SimulatedMachine:
    """One machine's present: free slots, demand for CPU, and whether it is there at all."""

    __slots__ = (
        *("_area", "_demands", "_samples", "_since_s", "cores", "foreign_load", "free", "losses", "name"),
        *("runnable", "slots", "stretch"),
    )

    def __init__(self, name: str, slots: int, cores: int) -> None:
        self.name = name
        self.slots = slots
        self.cores = cores
        self.free = slots
        self.foreign_load = 0.0
        self.losses = 0  # losses may overlap; it is back when the last one is over
        self.stretch = 1.0  # how many times as long CPU work takes now
        self.runnable = 0.0  # threads that run on a core or wait for one, on average over what runs
        self._demands: Counter[float] = Counter()  # shares of their time that works want a core, by how many want it
        self._area = 0.0
        self._since_s = 0.0
        self._samples: deque[tuple[float, float]] = deque([(0.0, 0.0)])

    @property
    def alive(self) -> bool:
        """Whether its slots exist."""
        return self.losses == 0

    def take(self, demand: float) -> None:
        """Work begins that wants a core for that share of its time."""
        if demand > 0:
            self._demands[demand] += 1

    def leave(self, demand: float) -> None:
        """Such work is over."""
        if demand > 0:
            self._demands[demand] -= 1
            if not self._demands[demand]:
                del self._demands[demand]

    def crowd(self, now: float, cluster: MicroBatchCluster) -> bool:
        """Work out how long CPU work takes with all that runs here now; whether that changed."""
        self.accrue(now)
        before, wanted = self.stretch, sum(d * n for d, n in self._demands.items()) + self.foreign_load
        if wanted <= self.cores:
            self.stretch = 1.0 + cluster.interference * wanted / self.cores
            self.runnable = wanted
        else:
            shared = self._shared(wanted / self.cores)
            lost = 1.0 + cluster.context_switch * (shared - 1.0)
            self.stretch = shared * lost * (1.0 + cluster.interference)
            self.runnable = self.foreign_load + sum(
                n * d * shared / (1.0 - d + d * shared) for d, n in self._demands.items()
            )
        return self.stretch != before

    def _shared(self, crowding: float) -> float:
        """How many times as long CPU work takes for want of cores alone: so that all of them are in use, no more.

        Work that wants a core for a share d of its time has one for d / (1 - d + d x f) of it when CPU work takes f
        times as long; foreign threads for 1 / f. The sum of these falls with f, and is convex.
        """
        if all(demand == 1.0 for demand in self._demands):
            return crowding
        stretch = 1.0
        for _ in range(_STEPS):
            used, slope = self.foreign_load / stretch, -self.foreign_load / stretch**2
            for demand, number in self._demands.items():
                longer = 1.0 - demand + demand * stretch
                used += number * demand / longer
                slope -= number * (demand / longer) ** 2
            step = (self.cores - used) / slope
            stretch += step
            if step <= _NEAR * stretch:
                break
        return stretch

    def accrue(self, now: float) -> None:
        """Add up the load since the last change; call before each change."""
        self._area += (self.runnable if self.alive else 0.0) * (now - self._since_s)
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
        return (self._area - area) / (now - from_s) if now > from_s else self.runnable


def machines_of(cluster: MicroBatchCluster) -> tuple[SimulatedMachine, ...]:
    """The cluster's machines; the first ones take what does not divide evenly."""
    return tuple(
        SimulatedMachine(
            f"machine-{index}",
            _part(cluster.slots, cluster.machines, index),
            _part(cluster.cores, cluster.machines, index),
        )
        for index in range(cluster.machines)
    )


def _part(whole: int, parts: int, index: int) -> int:
    return whole // parts + (1 if index < whole % parts else 0)
