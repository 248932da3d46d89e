"""The tenants file: which jobs run in one Spark application, what is wanted of each, and within which limits.

name: shop
conf: {spark.sql.shuffle.partitions: 4}
kafka: true                       # some job reads or writes Kafka
commit_offsets: true              # what each job has read of Kafka is kept there as consumer group shop-fraud, too
executors: 8                      # on a cluster: at most so many, as many as the jobs have slots; else left alone
executor_memory: 2g               # on a cluster: the heap of each executor to begin with; Spark's own default else
together: [fraud, clicks]        # penstock submit: these share a driver, each other job has one; or a list of lists
price: {slot_hour: 0.05, currency: EUR}  # or executor_hour, with spark.executor.cores in conf
profiles: {fraud: fraud.csv}      # what was profiled of jobs, for policies that plan ahead; paths beside this file
models: {fraud: fraud-plan.yaml}   # what a job's operators can do; see config/job_models.py
jobs:
  - name: fraud
    job: shop.jobs:fraud          # a function (spark, **params) -> DataStreamWriter
    route: shop.jobs:ROUTE        # the ps.Routing that it groups by, if it does; `routing: advise` above governs it
    params: {topic: payments}
    intent: {latency: 2s, percentile: 95, utility: 35}
    budget: {keep: 99%, windows: 5m, over: 28d}  # how often that may be missed; see config/lasting.py
    min_slots: 1
    max_slots: 6
    slots: 2                      # to begin with; an equal share else
    max_rows_per_batch: 500       # the bound to begin with
    trigger: 5s                   # instead of the one that the function sets
    partitions: 8                 # of its state, at its first start: a checkpoint that is there keeps its own
    restart: {backoff: 1s, max_backoff: 5m}

What a job begins with is where its levers stand at first; each can be turned while it runs, see docs/levers.md.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from penstock.config.asked import Asking
from penstock.config.document import Document, read_document
from penstock.config.fields import (
    A_NUMBER,
    Matching,
    OneOrMore,
    PolicySettings,
    PositiveSeconds,
    Rows,
    Seconds,
    SizeMib,
    SlotCount,
    within,
)
from penstock.config.intents import IntentPart, that_hold
from penstock.config.job_models import FileOrPart
from penstock.config.lasting import BudgetPart, ExcludedParts
from penstock.config.named import function_named
from penstock.config.pricing import PricePart
from penstock.config.problems import tried
from penstock.config.profiles import read_profile
from penstock.config.relations import MOST_JOBS, disagreements
from penstock.core.asked.price import Price
from penstock.core.asked.real_time import RealTime
from penstock.core.asked.restart_policy import RestartPolicy
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.known.job_models import JobModels
from penstock.core.seen.evidence import Observation
from penstock.errors import ConfigError, refuse

# It names a pool, a query and a checkpoint directory.
Name = Annotated[str, Matching(r"^[A-Za-z0-9_.-]+$", "write letters, digits, dots, _ and - only")]
InModule = Annotated[str, Matching(r"^[\w.]+:\w+$", "write module:name, such as shop.jobs:fraud")]
# YAML reads a bare off as false.
Mode = Annotated[Literal["off", "advise", "act"], BeforeValidator(lambda value: "off" if value is False else value)]

_LEAST_HEAP_MIB = 450  # with less no executor of Spark starts
_NOT_IN_REAL_TIME = {
    "max_rows_per_batch": "leave it out: real_time has no such bound",
    "trigger": "leave it out: in real_time no trigger begins a batch; real_time itself says how long batches are",
    "partitions": "leave it out, and write real_time_tasks: N, which its state goes by",
}


class _TenantsPart(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class RestartPart(_TenantsPart):
    """How a query that died comes back."""

    max_restarts: Annotated[int, Field(ge=0, le=1_000_000), A_NUMBER] | None = None
    backoff: PositiveSeconds = 1.0
    max_backoff: PositiveSeconds = 120.0

    def policy(self) -> RestartPolicy:
        """As the engine knows it."""
        return RestartPolicy(self.max_restarts, self.backoff, self.max_backoff)


class TenantPart(_TenantsPart):
    """One tenant's job."""

    name: Name
    job: InModule
    route: InModule | None = None
    params: dict[str, Any] = {}
    intents: Annotated[tuple[IntentPart, ...], AfterValidator(that_hold), OneOrMore, Field(alias="intent")]
    budget: BudgetPart | None = None
    excluded: ExcludedParts = ()
    min_slots: Annotated[int, Field(ge=0, le=100_000), A_NUMBER] = 1
    max_slots: SlotCount | None = None
    slots: SlotCount | None = None
    max_rows_per_batch: Rows | None = None
    max_files_per_batch: Rows | None = None
    trigger: Seconds | None = None
    partitions: SlotCount | None = None
    real_time: PositiveSeconds | None = None  # real-time mode, with batches (between checkpoints) of this length
    real_time_tasks: SlotCount | None = None  # behind each of its shuffles; the session's shuffle partitions by default
    restart: RestartPart = RestartPart()
    approval: bool = False  # ask before anything is done to it; see `penstock control`

    @model_validator(mode="after")
    def _agrees(self) -> "TenantPart":
        try:
            limits = self.limits()
            if self.slots is not None and not limits.min_slots <= self.slots <= (limits.max_slots or self.slots):
                raise ConfigError("slots", self.slots, "write a number between min_slots and max_slots")
            self._check_mode()
        except ConfigError as error:
            raise within(error) from None
        return self

    def _check_mode(self) -> None:
        if self.mode() is None:
            if self.real_time_tasks is not None:
                raise ConfigError("real_time_tasks", self.real_time_tasks, "write real_time too, such as real_time: 5m")
            return
        for field, remedy in _NOT_IN_REAL_TIME.items():
            if getattr(self, field) is not None:
                raise ConfigError(field, getattr(self, field), remedy)

    def mode(self) -> RealTime | None:
        """Real-time mode, where it asks for it."""
        return None if self.real_time is None else RealTime.asked(self.real_time, self.real_time_tasks)

    def limits(self) -> SlotLimits:
        """The slots it may have."""
        return SlotLimits(self.min_slots, self.max_slots)

    def function(self) -> Callable[..., Any]:
        """The function that `job` names; a ConfigError when there is none."""
        return function_named(f"jobs.{self.name}.job", self.job)


def _one_group(value: Any) -> Any:
    """A list of names stands for a list of one such list."""
    plain = isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)
    return [value] if plain else value


NameGroup = Annotated[tuple[Name, ...], Field(min_length=2)]
Groups = Annotated[tuple[NameGroup, ...], BeforeValidator(_one_group)]


def _that_starts(heap_mib: int) -> int:
    if heap_mib < _LEAST_HEAP_MIB:
        raise ValueError(f"write {_LEAST_HEAP_MIB}m or more: Spark's least")
    return heap_mib


class TenantsFile(Asking, _TenantsPart):
    """All tenants of one application."""

    name: Name = "tenants"
    master: str = "local[*]"
    conf: dict[str, str | int | float | bool] = {}
    executors: SlotCount | None = None
    executor_memory: Annotated[SizeMib, AfterValidator(_that_starts)] | None = None
    together: Groups = ()  # of jobs that share a driver where each has one, see config/application_parts.py
    kafka: bool = False  # whether Spark's Kafka connector is needed; it is fetched when it is not cached
    commit_offsets: bool = False  # to groups named by the file and the job, see engines/spark/jvm/commit_offsets.py
    checkpoints: str | None = None  # a directory; each query's checkpoint is below it, by name
    policy: str | None = None
    settings: PolicySettings = {}
    routing: Mode = "off"  # jobs with a route: left alone, advised on, or re-routed
    routing_window: PositiveSeconds = 600.0  # pairs of keys are told of in windows of so much time
    routing_memory: PositiveSeconds = 86_400.0  # and count half after so long
    price: PricePart | None = None  # of slots: what tenants cost is then told wherever they are
    interval: PositiveSeconds = 10.0
    window: PositiveSeconds = 60.0
    profiles: dict[str, str] = {}  # files by job; see config/profiles.py
    models: dict[str, FileOrPart] = {}  # by job; see config/job_models.py
    excluded: ExcludedParts = ()  # periods in which nothing is asked of any job
    jobs: Annotated[tuple[TenantPart, ...], Field(min_length=1, max_length=MOST_JOBS)]

    @property
    def all_conf(self) -> dict[str, str | int | float | bool]:
        """What Spark is told: `conf`, and the fields beside it that stand for settings of Spark's."""
        heap = self.executor_memory
        return {**({} if heap is None else {"spark.executor.memory": f"{heap}m"}), **self.conf}

    @model_validator(mode="after")
    def _prices_slots(self) -> "TenantsFile":
        if self.price is not None and self.price.executor_hour is not None and not self.executor_slots:
            remedy = "write spark.executor.cores in conf, too, so that an executor's slots are known; or slot_hour"
            raise within(ConfigError("price.executor_hour", self.price.executor_hour, remedy))
        return self

    @property
    def executor_slots(self) -> int:
        """The slots of an executor, as far as the file says; 0 where it does not."""
        cores = self.conf.get("spark.executor.cores", 0)
        per_task = self.conf.get("spark.task.cpus", 1)
        return int(cores) // max(1, int(per_task)) if str(cores).isdecimal() and str(per_task).isdecimal() else 0

    def slot_price(self) -> Price | None:
        """What an hour of one slot costs, where the file says so."""
        return None if self.price is None else self.price.of_slots(self.executor_slots)

    def read_profiles(self, base: Path) -> dict[str, tuple[Observation, ...]]:
        """What was profiled of jobs, by name; `base` is the file's directory."""
        return {name: read_profile(base / path, f"profiles.{name}") for name, path in sorted(self.profiles.items())}

    def read_models(self, base: Path) -> dict[str, JobModels]:
        """The models of jobs whose operators were profiled, by name; `base` is the file's directory."""
        return {name: part.read(base, f"models.{name}") for name, part in sorted(self.models.items())}


def read_tenants(path: Path) -> TenantsFile:
    """The tenants in that file, checked."""
    return tenants_in(read_document(path, "tenants file"))


def tenants_in(document: Document) -> TenantsFile:
    """The tenants that a document states, checked."""
    found, errors = tried(TenantsFile, document.values, document)
    refuse([*errors, *disagreements(document)])
    assert found is not None  # nothing was wrong
    return found
