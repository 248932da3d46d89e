"""What may be tuned about putting threads on slots."""

from dataclasses import dataclass, field

from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DistanceWeights:
    """RSM's three weights (section 7.3); the paper leaves them open, here they are even."""

    memory: float = 1.0
    cpu: float = 1.0
    network: float = 1.0

    def __post_init__(self) -> None:
        for name in ("memory", "cpu", "network"):
            non_negative(getattr(self, name), f"weights.{name}")


@dataclass(frozen=True, slots=True)
class Runtime:
    """What threads take when a plan runs, beside what was profiled of one operator alone on a slot."""

    cpu_times: float = 1.0  # the CPU that the models say, so many times
    memory_thread: float = 0.0  # of a slot, for each thread, beside what the models say
    memory_held: bool = False  # however few rows a thread gets; else memory goes with its rows, as in the paper

    def __post_init__(self) -> None:
        positive(self.cpu_times, "runtime.cpu_times")
        non_negative(self.memory_thread, "runtime.memory_thread")


# "spark" is what 12 plans took on 25 machines of standalone Spark, all on two virtual cores. An executor's own idle CPU
# came out at a tenth of a per cent of a slot. Errors, each DAG foretold by the others: docs/results/plans-on-spark.md.
RUNTIMES = {"models": Runtime(), "spark": Runtime(cpu_times=1.62, memory_thread=0.0067, memory_held=True)}


@dataclass(frozen=True, slots=True)
class PlaceSettings:
    """How threads are put on slots, and how what comes of it is predicted."""

    routing: str = "proportional"  # or "even", see predict
    weights: DistanceWeights = field(default_factory=DistanceWeights)
    time_limit_s: float = 10.0  # for the solver of `best`
    runtime: Runtime = RUNTIMES["models"]  # what the predicted CPU and memory are of

    def __post_init__(self) -> None:
        positive(self.time_limit_s, "time_limit_s")
        if self.routing not in ("even", "proportional"):
            raise ConfigError("routing", self.routing, "choose one of even, proportional")
