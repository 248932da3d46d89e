"""What a simulated cluster is made of: values that a scenario fills in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.arrays import Floats
from penstock.core.seen.topology import Edge, Topology


@dataclass(frozen=True, slots=True)
class SimOperator:
    """An operator's work. Service is CPU work, which machines share, and waiting, which they do not."""

    name: str
    threads: int = 1
    cpu_s: float = 0.0005  # CPU-seconds per tuple
    wait_s: float = 0.0  # seconds per tuple blocked on something outside
    variability: float = 1.0  # squared coefficient of variation of service; 1 is exponential
    memory_mb_per_thread: float = 20.0
    retention_s: float = 0.0  # how long a tuple is kept as state
    bytes_per_tuple: float = 100.0
    queue_limit: float | None = None  # tuples per thread
    min_threads: int = 1
    max_threads: int | None = None


@dataclass(frozen=True, slots=True)
class SimJob:
    """A job and the tuples that arrive at each of its sources in each step."""

    name: str
    topology: Topology
    operators: tuple[SimOperator, ...]  # in the topology's order
    arrivals: Mapping[str, Floats]  # by source, tuples per step, from the start of the run
    selectivity: Mapping[Edge, float] = field(default_factory=dict)
    starts_at_s: float = 0.0
    ends_at_s: float = float("inf")
    pause_s: float = 3.0  # how long a reconfiguration stops it
    restart_s: float = 30.0  # downtime after a failure
    checkpoint_s: float | None = None  # None: nothing is replayed, what was in flight is lost
    overflow: str = "drop"  # or "block": a full queue stops those that send to it
    max_threads: int | None = None


@dataclass(frozen=True, slots=True)
class SimCluster:
    """Machines, all alike, and what they cost those that use them."""

    machines: int = 10
    cores: int = 8
    memory_mb: float = 12_000.0
    # Share of a core lost for each runnable thread beyond the first per core: switching and cold caches.
    context_switch: float = 0.01
    # Cores that a thread takes while it has nothing to do: polling, heartbeats, garbage.
    idle_load: float = 0.001
    network_s: float = 0.0005  # one hop between machines
    link_mb_per_s: float = 125.0  # 1 Gb/s
    noise: float = 0.0  # standard deviation of each machine's speed, slowly wandering
    metrics_window_s: float = 10.0
    juice_window_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Something bad from `at_s` for `for_s` seconds.

    kind "machine": `target` machine index goes down; "job": `target` job fails and restarts;
    "link": the controller gets no news; "interference": `load` runnable threads of somebody else on
    every machine, or on `target`.
    """

    kind: str
    at_s: float
    for_s: float = 0.0
    target: str | int | None = None
    load: float = 0.0
