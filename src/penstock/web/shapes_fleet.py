"""What the API answers of the fleet as it stands: tenants, machines, keys, as values."""

from dataclasses import dataclass

from penstock.web.shapes import DecisionOut, LeverOut, RunOut, SeriesOut, StateOut, TargetOut, TroubleOut
from penstock.web.shapes_control import ControlOut


@dataclass(frozen=True, slots=True)
class ShareOut:
    """What a tenant's threads stand for, in `text` and in figures.

    `weight` of `weights` stands for `slots` of `of_slots`; null where operators have threads of their own, or nobody
    tells how many slots there are. `busy` is of its share: above 1 it used slots that others left, `used_slots` in all.
    `cores` are those that its tasks kept busy.
    """

    text: str
    weight: int | None
    weights: int | None
    slots: float | None
    of_slots: int | None
    busy: float | None
    busy_text: str | None
    used_slots: float | None
    cores: float | None


@dataclass(frozen=True, slots=True)
class PredictionErrorOut:
    """How far off what was foretold of a tenant's utility was: the mean share of its maximum over `of` comparisons."""

    share: float
    of: int


@dataclass(frozen=True, slots=True)
class BindOut:
    """What keeps a tenant below its intent, and what would help."""

    what: str
    helps: str


@dataclass(frozen=True, slots=True)
class BurnOut:
    """How fast an error budget went over that time: at 1 it lasts just as long as its period."""

    over_s: float
    rate: float | None


@dataclass(frozen=True, slots=True)
class BudgetOut:
    """How a tenant's error budget stands: of the windows of the period `allowed` may be bad.

    `left` is the share that is left of it, below 0 once more is lost than may be; `urgency` is how many times its worth
    the tenant counts for meanwhile.
    """

    text: str
    keep: float
    windows_s: float
    over_s: float
    allowed: float
    good: int
    bad: int
    unknown: int
    left: float
    burns: tuple[BurnOut, ...]
    urgency: float


@dataclass(frozen=True, slots=True)
class TenantOut:
    """A tenant now: what it wants, what it has, why it falls short, what was done about it and whether it helped."""

    name: str
    state: StateOut
    intent: str
    targets: tuple[TargetOut, ...]
    utility: float | None
    max_utility: float
    met: bool  # by figures of now: never of a tenant whose figures are not there or too old
    slots: int  # its weight in sharing them, or its operators' threads: see `share`
    max_slots: int | None
    share: ShareOut
    latency_s: float | None
    latency_estimated: bool
    juice: float | None
    arrival_rps: float | None
    processed_rps: float | None
    backlog_rows: float | None
    why: str | None  # in words what is missed, or what is known where figures are not there
    missed_since_s: float | None  # on the run's clock; null when it is met, or never was
    last_decision: DecisionOut | None
    not_done: str  # said where there is no decision
    recovery_s: float | None = None
    recovery_target_s: float | None = None  # stated as an objective, or as a bound for plans only
    certainty: float | None = None
    levers: tuple[LeverOut, ...] = ()
    prediction_error: PredictionErrorOut | None = None
    binds: tuple[BindOut, ...] = ()
    beside: str | None = None  # what it did not ask for, and yet should be seen: a latency of minutes
    cost_hour: float | None = None  # of its share of the slots now; null where no price is given
    budget: BudgetOut | None = None  # where its intent has one
    trouble: TroubleOut | None = None  # what kind of thing is wrong with it


@dataclass(frozen=True, slots=True)
class MachineOut:
    """A machine now."""

    name: str
    cores: int
    load: float | None
    memory_share: float | None
    executors: int | None
    alive: bool
    congested: bool


@dataclass(frozen=True, slots=True)
class PriceOut:
    """What an hour of one slot costs."""

    slot_hour: float
    currency: str


@dataclass(frozen=True, slots=True)
class PresentOut:
    """The whole fleet at its newest cycle, tenants by trouble; `levers` are those of the application."""

    at_s: float
    cycle: int
    utility: float
    max_utility: float
    slots: int | None
    given: str  # what all have together: slots and weights, threads of their own
    note: str
    headline: str
    known_utility: float  # of those whose figures are not too old; `utility` has the others as they were last
    possible_utility: float  # the maximum of those that are not starting
    met: int  # tenants that have what they asked for by figures of now
    judged: int  # those of whom that can be asked: all but who is starting
    starting: int
    state: StateOut | None  # the worst of any tenant: all is well only where it is `fine`
    tenants: tuple[TenantOut, ...]
    machines: tuple[MachineOut, ...]
    levers: tuple[LeverOut, ...] = ()
    shortfall: str = ""  # that no shares meet all, what is best and what would do
    resting: int = 0  # of whom nothing is asked now: they are outside their hours, or in a period that is left out
    price: PriceOut | None = None  # as the tenants file gives it


@dataclass(frozen=True, slots=True)
class AskedForOut:
    """What a tenant asked for from `from_s` on, until the next."""

    from_s: float
    text: str
    targets: tuple[TargetOut, ...]


@dataclass(frozen=True, slots=True)
class OverviewOut:
    """All that the first page needs, in one answer."""

    run: RunOut
    control: ControlOut
    present: PresentOut | None
    totals: SeriesOut
    jobs: dict[str, SeriesOut]
    decisions: tuple[DecisionOut, ...]


@dataclass(frozen=True, slots=True)
class OperatorOut:
    """An operator of a job's graph."""

    name: str
    threads: int
    capacity: float | None
    rows_in_rps: float | None
    rows_out_rps: float | None
    backlog_rows: float | None
    is_source: bool


@dataclass(frozen=True, slots=True)
class StageOut:
    """A stage of the physical plan, with its shuffle."""

    job: str
    name: str
    tasks: int
    rows_in: int | None
    rows_out: int | None
    capacity: float | None
    shuffle_local_bytes: int | None
    shuffle_remote_bytes: int | None


@dataclass(frozen=True, slots=True)
class ForecastOut:
    """Arrivals to come, with their interval where the method gives one."""

    method: str
    at_s: tuple[float, ...]
    mean_rps: tuple[float, ...]
    low_rps: tuple[float, ...]
    high_rps: tuple[float, ...]
    level: float | None


@dataclass(frozen=True, slots=True)
class RecoveryOut:
    """What the loss of that would cost; nine in ten lie within the bounds, which need nine recoveries to be known."""

    lost: str
    seconds: float | None  # None: for ever
    low_s: float | None
    high_s: float | None
    of: int


@dataclass(frozen=True, slots=True)
class JobOut:
    """One tenant's page."""

    run: RunOut
    tenant: TenantOut | None
    series: SeriesOut
    operators: tuple[OperatorOut, ...]
    edges: tuple[tuple[str, str], ...]
    stages: tuple[StageOut, ...]
    phases_s: dict[str, float]
    state_bytes: int | None
    forecast: ForecastOut | None
    recovery_s: float | None
    recovery_target_s: float | None
    decisions: tuple[DecisionOut, ...]
    asked: tuple[AskedForOut, ...] = ()
    recoveries: tuple[RecoveryOut, ...] = ()


@dataclass(frozen=True, slots=True)
class PartitionKeysOut:
    """What of an operator's keys lives in one partition: how many are in the routing table, their share of the rows."""

    partition: int
    executor: str | None
    machine: str | None
    keys: int | None
    share: float | None


@dataclass(frozen=True, slots=True)
class MachineKeysOut:
    """What of an operator's keys lives on one machine; `partitions` is their number."""

    machine: str
    partitions: int
    keys: int | None
    share: float | None


@dataclass(frozen=True, slots=True)
class KeysOut:
    """Where the keys of an operator live, machine by machine and partition by partition (the 64 with most rows).

    `locality` is the share of rows that come from the routed operator before it and stay on their machine; `table`
    the version of the routing table.
    """

    job: str
    operator: str
    table: int | None
    locality: float | None
    machines: tuple[MachineKeysOut, ...]
    partitions: tuple[PartitionKeysOut, ...]


@dataclass(frozen=True, slots=True)
class ClusterOut:
    """The machines' page."""

    run: RunOut
    present: PresentOut | None
    machines: dict[str, SeriesOut]
    stages: tuple[StageOut, ...]
    keys: tuple[KeysOut, ...] = ()
