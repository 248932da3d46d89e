"""What a micro-batch simulation is made of: values that a scenario fills in, checked when they are built."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from penstock.core.seen.topology import Topology
from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError

SCHEDULING = ("fifo", "fair", "governed")
LEAST_MEMORY_MIB = 512  # Spark starts no executor with less than 450
_NOT_NEGATIVE = (
    *("trigger_s", "trigger_phase_s", "source_step_s", "batch_overhead_s", "commit_s"),
    *("starts_at_s", "restart_s", "replan_s", "memory_mib"),
)
FAULT_KINDS = ("job", "machine", "link", "interference")


@dataclass(frozen=True, slots=True)
class MicroBatchStage:
    """One stage of every batch: `partitions` tasks that share its rows evenly.

    CPU work slows down when a machine is short of cores. Waiting (for a service or a disk) does not, nor does
    the fixed overhead of a task, which is mostly the network's time.
    """

    name: str
    partitions: int
    cpu_s_per_row: float = 0.0
    wait_s_per_row: float = 0.0
    task_overhead_s: float = 0.01  # waiting, of a task whatever its rows
    task_cpu_s: float = 0.0  # CPU work, of a task whatever its rows

    def __post_init__(self) -> None:
        _whole(self.partitions, f"{self.name}.partitions", at_least=1)
        non_negative(self.cpu_s_per_row, f"{self.name}.cpu_s_per_row")
        non_negative(self.wait_s_per_row, f"{self.name}.wait_s_per_row")
        non_negative(self.task_overhead_s, f"{self.name}.task_overhead_s")
        non_negative(self.task_cpu_s, f"{self.name}.task_cpu_s")


@dataclass(frozen=True, slots=True, eq=False)
class MicroBatchJob:
    """One structured streaming query. `arrivals` holds the rows of each second of the run, 0 beyond its end.

    `selectivity` says for each stage how many rows leave it for each that enters; left empty it is 1 for all.
    """

    name: str
    stages: tuple[MicroBatchStage, ...]
    arrivals: NDArray[np.float64] = field(repr=False)
    topology: Topology | None = None
    selectivity: tuple[float, ...] = ()
    trigger_s: float = 1.0  # 0: the next batch starts as soon as rows wait
    trigger_phase_s: float = 0.0  # triggers are due at whole intervals of the clock, which began before the job did
    source_step_s: float = 0.0  # rows can be taken once their step is over: a second of Spark's rate source; 0: at once
    batch_overhead_s: float = 0.1  # planning, offset log and commit log
    commit_s: float = 0.0  # committing the state of a batch
    driver_cpu_share: float = 0.0  # of planning and commit, what is work on the driver's cores: the rest is waiting
    max_rows_per_batch: int | None = None  # bounds the length of tasks, hence how long they hold slots
    cuttable: bool = False  # whether tasks of its first stage may be told to read fewer rows, as Kafka's may
    max_rows_per_task: int | None = None  # of the first stage, which has more tasks for it than partitions
    threads: int = 1  # its weight at first
    min_threads: int = 1
    max_threads: int | None = None  # slots that its weight may stand for; None: all there are
    starts_at_s: float = 0.0
    ends_at_s: float = math.inf
    restart_s: float = 10.0  # downtime after a failure
    replan_s: float = 1.1  # downtime of a planned restart between two batches, as measured on Spark 4.3
    memory_mib: float = 0.0  # its working set, in all executors together; see memory.py

    def __post_init__(self) -> None:
        if not self.stages:
            raise ConfigError(f"{self.name}.stages", self.stages, "give at least one stage")
        if self.selectivity and len(self.selectivity) != len(self.stages):
            raise ConfigError(f"{self.name}.selectivity", self.selectivity, "give one value for each stage, or none")
        for value in self.selectivity:
            non_negative(value, f"{self.name}.selectivity")
        _checked_arrivals(self.arrivals, self.name)
        for word in _NOT_NEGATIVE:
            non_negative(getattr(self, word), f"{self.name}.{word}")
        if math.isnan(self.ends_at_s) or self.ends_at_s <= self.starts_at_s:
            raise ConfigError(f"{self.name}.ends_at_s", self.ends_at_s, "write a time after starts_at_s")
        if not 0.0 <= self.driver_cpu_share <= 1.0:
            raise ConfigError(f"{self.name}.driver_cpu_share", self.driver_cpu_share, "write a share from 0 to 1")
        self._check_limits()

    def _check_limits(self) -> None:
        _whole(self.min_threads, f"{self.name}.min_threads", at_least=1)
        _whole(self.threads, f"{self.name}.threads", at_least=self.min_threads)
        if self.max_rows_per_batch is not None:
            _whole(self.max_rows_per_batch, f"{self.name}.max_rows_per_batch", at_least=1)
        if self.max_rows_per_task is not None:
            _whole(self.max_rows_per_task, f"{self.name}.max_rows_per_task", at_least=1)
        if self.max_threads is not None:
            _whole(self.max_threads, f"{self.name}.max_threads", at_least=self.min_threads)


@dataclass(frozen=True, slots=True)
class Slowness:
    """From `from_s` on, what begins takes so many times as long: a recorded machine that others used too."""

    from_s: float
    tasks: float = 1.0
    driver: float = 1.0

    def __post_init__(self) -> None:
        non_negative(self.from_s, "from_s")
        positive(self.tasks, "tasks")
        positive(self.driver, "driver")


@dataclass(frozen=True, slots=True)
class MicroBatchCluster:
    """One application's executors: `slots` task slots on `cores` cores, both spread evenly over `machines`."""

    slots: int = 8
    cores: int = 8
    machines: int = 1
    driver_cores: int | None = None  # of a driver on a machine of its own; None: it shares the first one's
    scheduling: str = "governed"  # by threads; "fair": pools all alike; "fifo": one pool, the oldest batch first
    # Share of a core lost for each runnable thread beyond the first per core: switching and cold caches.
    context_switch: float = 0.0
    interference: float = 0.0  # how much longer CPU work takes when all cores are busy: caches, memory
    noise: float = 0.0  # spread of task durations: standard deviation of their logarithm
    driver_noise: float = 0.0  # the same of planning and commits
    launch_s: float = 0.0  # for which a task holds its slot beside its own time: it is sent, read, and told of
    slowness: tuple[Slowness, ...] = ()  # in the order of time
    seed: int = 0
    max_threads: int | None = None  # limit over all jobs together
    window_s: float = 30.0  # figures are over so much time
    executor_start_s: float = 4.0  # 2 to 4 s on a warm machine
    executor_memory_mib: int = 1024  # of each machine's executor; Spark's own default
    small_first: bool = False  # whether jobs begin with small batches, see `engines/first_batches.py`

    def __post_init__(self) -> None:
        _whole(self.machines, "machines", at_least=1)
        _whole(self.slots, "slots", at_least=self.machines)
        _whole(self.cores, "cores", at_least=self.machines)
        _whole(self.executor_memory_mib, "executor_memory_mib", at_least=LEAST_MEMORY_MIB)
        for word in ("max_threads", "driver_cores"):
            if getattr(self, word) is not None:
                _whole(getattr(self, word), word, at_least=1)
        if self.scheduling not in SCHEDULING:
            raise ConfigError("scheduling", self.scheduling, f"choose one of {', '.join(SCHEDULING)}")
        for word in ("context_switch", "interference", "noise", "driver_noise", "seed"):
            non_negative(getattr(self, word), word)
        non_negative(self.executor_start_s, "executor_start_s")
        non_negative(self.launch_s, "launch_s")
        positive(self.window_s, "window_s")


@dataclass(frozen=True, slots=True)
class MicroBatchFault:
    """Something bad from `at_s` for `for_s` seconds.

    kind "job": the job `target` fails and restarts (its own `restart_s` says how long that takes);
    "machine": the machine `target` goes down with its slots; "link": the controller gets no news and cannot act;
    "interference": `load` runnable threads of somebody else on the machine `target`, or on every machine.
    """

    kind: str
    at_s: float
    for_s: float = 0.0
    target: str | None = None
    load: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in FAULT_KINDS:
            raise ConfigError("fault", self.kind, f"choose one of {', '.join(FAULT_KINDS)}")
        non_negative(self.at_s, "at_s")
        non_negative(self.load, "load")
        if self.kind != "job":
            positive(self.for_s, "for_s")


def _whole(value: object, field_name: str, at_least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
        raise ConfigError(field_name, value, f"write a whole number of {at_least} or more")


def _checked_arrivals(arrivals: NDArray[np.float64], name: str) -> None:
    if arrivals.ndim != 1 or not bool(np.all(np.isfinite(arrivals) & (arrivals >= 0))):
        raise ConfigError(f"{name}.arrivals", arrivals, "give one number of rows, zero or more, for each second")
