"""The scenario file, field by field: what may stand in it, with units, defaults and limits."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from penstock.config.fields import A_NUMBER, OneOrMore, PolicySettings, PositiveSeconds, Rows, Seconds, within
from penstock.config.intents import IntentPart, that_hold
from penstock.core.seen.failures import FailureKind
from penstock.engines.sim.microbatch.spec import LEAST_MEMORY_MIB
from penstock.errors import ConfigError

# No cluster has more of anything; what is beyond these is a slip of the hand, and would run out of memory.
MOST_JOBS, MOST_JOB_SECONDS, MOST_ROUNDS = 10_000, 30_000_000, 1_000_000
MOST_THREADS, MOST_JOBS_ON_MACHINES = 1_000_000, 1_000_000

UnitShare = Annotated[float, Field(ge=0, le=1), A_NUMBER]
RowRate = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False), A_NUMBER]
NonNegative = Annotated[float, Field(ge=0, le=1e12), A_NUMBER]
PositiveAmount = Annotated[float, Field(gt=0, le=1e12), A_NUMBER]
AtLeastOne = Annotated[int, Field(ge=1, le=10_000), A_NUMBER]


class ScenarioPart(BaseModel):
    """A part of a scenario: unknown fields are errors, values do not change after reading."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SpikeRate(ScenarioPart):
    """`base` rows/s, times `factor` between `start` and `end`."""

    base: RowRate
    factor: RowRate = 2.0
    start: Seconds
    end: Seconds


class StepRate(ScenarioPart):
    """`before` rows/s until `at`, then `after`."""

    before: RowRate
    after: RowRate
    at: Seconds


class SineRate(ScenarioPart):
    """A sine of that mean, amplitude and period."""

    mean: RowRate
    amplitude: RowRate
    period: PositiveSeconds


class TraceRate(ScenarioPart):
    """A recorded series: a CSV file beside the scenario, or the values themselves."""

    file: str | None = None
    values: tuple[RowRate, ...] | None = None
    step: PositiveSeconds = 60.0
    mean: RowRate | None = None  # scaled to it; as recorded without it
    speed: PositiveAmount = 1.0
    smooth: Seconds = 0.0

    @model_validator(mode="after")
    def _one_origin(self) -> "TraceRate":
        if (self.file is None) == (self.values is None):
            raise ValueError("give either file or values")
        return self


class RatePart(ScenarioPart):
    """Exactly one curve, with noise on top: the standard deviation as a share of the rate."""

    constant: RowRate | None = None
    spike: SpikeRate | None = None
    step: StepRate | None = None
    sine: SineRate | None = None
    trace: TraceRate | None = None
    noise: UnitShare = 0.0

    @model_validator(mode="before")
    @classmethod
    def _number_is_constant(cls, value: Any) -> Any:
        return {"constant": value} if isinstance(value, (int, float)) and not isinstance(value, bool) else value

    @model_validator(mode="after")
    def _one_curve(self) -> "RatePart":
        given = [name for name in ("constant", "spike", "step", "sine", "trace") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of constant, spike, step, sine, trace")
        return self


class OperatorPart(ScenarioPart):
    """An operator's work per row, and what it holds."""

    threads: AtLeastOne = 1
    cpu: Seconds = 0.0005
    wait: Seconds = 0.0
    variability: NonNegative = 1.0
    memory_mb: NonNegative = 20.0
    retention: Seconds = 0.0
    row_bytes: NonNegative = 100.0
    queue_limit: PositiveAmount | None = None
    min_threads: AtLeastOne = 1
    max_threads: AtLeastOne | None = None

    @model_validator(mode="after")
    def _does_something(self) -> "OperatorPart":
        if self.cpu + self.wait <= 0:
            raise ValueError("an operator needs time for a row: cpu or wait above zero")
        return self


class TopologyPart(ScenarioPart):
    """A job's shape, for use by several jobs."""

    flow: dict[str, list[str]]
    operators: dict[str, OperatorPart] = {}
    selectivity: dict[str, RowRate] = {}  # "operator" for all its edges, or "parent -> child"
    pause: Seconds = 3.0
    restart: Seconds = 30.0
    checkpoint: PositiveSeconds | None = None
    overflow: Literal["drop", "block"] = "drop"


class StagePart(ScenarioPart):
    """A stage of a micro-batch job."""

    partitions: AtLeastOne = 8
    cpu: Seconds = 0.0005
    wait: Seconds = 0.0
    task_overhead: Seconds = 0.005
    selectivity: RowRate = 1.0


class BatchPart(ScenarioPart):
    """How a micro-batch job runs: its stages in order, its trigger and what each batch costs."""

    stages: dict[str, StagePart]
    trigger: Seconds = 0.0
    overhead: Seconds = 0.1
    commit: Seconds = 0.05
    max_rows_per_batch: Rows | None = None
    memory_mib: NonNegative = 0.0  # its working set, in all executors together
    restart: Seconds = 10.0
    threads: AtLeastOne = 1
    min_threads: AtLeastOne = 1
    max_threads: AtLeastOne | None = None


class ScaleOutPart(ScenarioPart):
    """A job of so many executors, and how fast it is with them: `capacity`, or the saturated rows of a profile."""

    executors: AtLeastOne = 1
    min_executors: AtLeastOne = 1
    max_executors: AtLeastOne | None = None
    capacity: dict[AtLeastOne, RowRate] = {}  # rows/s by scale-out, as measured
    measured: str | None = None  # a profile beside the scenario to take `capacity` from
    profile: str | None = None  # a profile beside the scenario that policies are given
    checkpoint: PositiveSeconds = 10.0
    downtime: tuple[PositiveSeconds, PositiveSeconds] = (110.0, 130.0)  # for which it stands still after a failure
    detect: tuple[Seconds, Seconds] = (0.0, 0.0)  # before that, from the failure on, it still processes
    unsaved: tuple[Seconds, Seconds] = (0.0, 0.0)  # for so long before it stands still no checkpoint was completed
    downtimes: dict[FailureKind, tuple[PositiveSeconds, PositiveSeconds]] = {}  # of failures that cost another time
    pauses: Annotated[tuple[Seconds, ...], Field(min_length=1)] = (5.0,)
    latency: PositiveSeconds = 1.0
    latency_rise: Seconds = 0.5
    one_second_more_at: PositiveAmount | None = None  # arrivals that add so much to it
    latency_spread: Annotated[float, Field(ge=0, le=2)] = 0.0
    cpu_at_full: PositiveAmount = 1.0
    noise: Annotated[float, Field(ge=0, le=0.5)] = 0.0

    @model_validator(mode="after")
    def _one_law(self) -> "ScaleOutPart":
        if (not self.capacity) == (self.measured is None):
            raise ValueError("give either capacity (rows/s by scale-out) or measured (a profile)")
        return self


class JobPart(ScenarioPart):
    """One job, or several alike: with `copies`, their names get -1, -2, ..."""

    name: Annotated[str, Field(min_length=1)]
    topology: str | None = None
    batch: BatchPart | None = None
    scaleout: ScaleOutPart | None = None
    rate: RatePart
    intent: Annotated[tuple[IntentPart, ...], AfterValidator(that_hold), OneOrMore]
    copies: AtLeastOne = 1
    threads: dict[str, AtLeastOne] = {}  # by operator, over the topology's
    starts: Seconds = 0.0
    ends: Seconds | None = None
    max_threads: AtLeastOne | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "JobPart":
        if [self.topology, self.batch, self.scaleout].count(None) != 2:
            raise ValueError(
                "give exactly one of topology (continuous operators), batch (micro-batches) and scaleout (executors)"
            )
        return self


class ScenarioCluster(ScenarioPart):
    """Machines, all alike; `slots`, `window` and `executor_memory_mib` are for micro-batches."""

    machines: AtLeastOne = 10
    cores: AtLeastOne = 8
    memory_mb: PositiveAmount = 12_000.0
    context_switch: NonNegative = 0.01
    idle_load: NonNegative = 0.001
    network: Seconds = 0.0005
    link_mb_per_s: PositiveAmount = 125.0
    noise: Annotated[float, Field(ge=0, le=0.5)] = 0.0
    slots: AtLeastOne = 8
    window: PositiveSeconds = 30.0  # figures are over so much time
    executor_memory_mib: Annotated[int, Field(ge=LEAST_MEMORY_MIB, le=1 << 30)] = 1024


class FaultPart(ScenarioPart):
    """Something bad: a machine, a job, the link to the controller, or somebody else's load."""

    kind: Literal["machine", "job", "link", "interference"]
    at: Seconds
    duration: Seconds = 0.0
    target: str | int | None = None
    load: NonNegative = 0.0
    lost: FailureKind | None = None  # in a scale-out scenario: a driver, if nothing is said


class ExpectPart(ScenarioPart):
    """A claim and how it is checked; `not_reproduced` says in a sentence that and why it does not come out."""

    claim: str
    metric: str
    policy: str = "henge"
    against: str | None = None  # compare with this policy's figure: the ratio is checked
    against_variant: dict[str, Any] | None = None  # compare with this variant's figure in the same way
    job: str | None = None
    reason: str | None = None
    between: tuple[Seconds, Seconds] | None = None
    variant: dict[str, Any] | None = None
    at_least: float | None = None
    at_most: float | None = None
    equals: Any = None
    not_reproduced: str | None = None

    @model_validator(mode="after")
    def _has_a_bound(self) -> "ExpectPart":
        if self.at_least is None and self.at_most is None and self.equals is None:
            raise ValueError("give at_least, at_most or equals")
        if self.against is not None and self.against_variant is not None:
            raise ValueError("give against or against_variant")
        return self


class ScenarioFile(ScenarioPart):
    """A whole scenario."""

    name: Annotated[str, Field(min_length=1)]
    about: str = ""
    source: str = ""  # what it reproduces
    engine: Literal["continuous", "micro-batch", "scale-out"] = "continuous"
    duration: PositiveSeconds
    govern_from: Seconds = 0.0
    measure_from: Seconds | None = None
    interval: PositiveSeconds = 10.0
    # Whether operators were profiled, and their models used for a policy's first step or for the start already.
    models: Literal["none", "step", "start"] = "none"
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    policies: Annotated[tuple[str, ...], Field(min_length=1)] = ("henge",)
    settings: PolicySettings = {}
    cluster: ScenarioCluster = ScenarioCluster()
    topologies: dict[str, TopologyPart] = {}
    jobs: Annotated[list[JobPart], Field(min_length=1)]
    faults: list[FaultPart] = []
    vary: dict[str, list[Any]] = {}  # "jobs.0.threads.bolt": values; every combination is run
    expect: list[ExpectPart] = []

    @model_validator(mode="after")
    def _times_are_within(self) -> "ScenarioFile":
        for field in ("govern_from", "measure_from"):
            at_s = getattr(self, field)
            if at_s is not None and at_s >= self.duration:
                raise within(ConfigError(field, at_s, f"write a time before the end: duration is {self.duration:g} s"))
        for number, fault in enumerate(self.faults):
            if fault.at >= self.duration:
                remedy = f"write a time before the end: duration is {self.duration:g} s"
                raise within(ConfigError(f"faults.{number}.at", fault.at, remedy))
            if fault.lost is not None and self.engine != "scale-out":
                remedy = "leave it out: only in scale-out scenarios failures are told apart by what is lost"
                raise within(ConfigError(f"faults.{number}.lost", fault.lost.value, remedy))
        return self

    @model_validator(mode="after")
    def _can_be_simulated(self) -> "ScenarioFile":
        jobs = sum(job.copies for job in self.jobs)
        if jobs > MOST_JOBS:
            raise within(ConfigError("jobs", f"{jobs:,} jobs", f"write {MOST_JOBS:,} or less, copies included"))
        if jobs * self.duration > MOST_JOB_SECONDS:
            remedy = f"write {MOST_JOB_SECONDS / jobs:.0f}s or less with so many jobs: {jobs}"
            raise within(ConfigError("duration", self.duration, remedy))
        if self.duration / self.interval > MOST_ROUNDS:
            remedy = f"write {self.duration / MOST_ROUNDS:.3g}s or more: each round of the duration is lived through"
            raise within(ConfigError("interval", self.interval, remedy))
        if jobs * self.cluster.machines > MOST_JOBS_ON_MACHINES:
            remedy = f"write {MOST_JOBS_ON_MACHINES // jobs:,} or less with so many jobs: {jobs}"
            raise within(ConfigError("cluster.machines", self.cluster.machines, remedy))
        threads = sum(self._threads_of(job) for job in self.jobs)
        if threads > MOST_THREADS:
            raise within(
                ConfigError("jobs", f"{threads:,} threads", f"write {MOST_THREADS:,} or less, copies included")
            )
        return self

    def _threads_of(self, job: JobPart) -> int:
        shape = self.topologies.get(job.topology or "")
        operators = shape.operators if shape is not None else {}
        return job.copies * sum({**{name: part.threads for name, part in operators.items()}, **job.threads}.values())
