"""What the API answers, as values: FastAPI makes JSON and the OpenAPI description of them. Absent is null."""

from dataclasses import dataclass
from typing import Literal

StateOut = Literal["missing", "blind", "stale", "starting", "fine"]  # as core.states has them
CameOut = Literal["better", "no change", "worse", "not judged", "not done", "not carried out"]


@dataclass(frozen=True, slots=True)
class ErrorOut:
    """What went wrong, and what would be right."""

    message: str
    field: str | None = None
    remedy: str | None = None


@dataclass(frozen=True, slots=True)
class HealthOut:
    """That this server is well, and which it is."""

    status: Literal["up", "ready"]
    version: str


@dataclass(frozen=True, slots=True)
class RunOut:
    """A recorded run. `started_at` is epoch seconds, null in simulated time; `live` while its controller shows life.

    `cycles` are those that are kept, from `first_s` to `last_s` of the run's clock; null while there is none.
    """

    id: str
    name: str
    policy: str
    engine: str
    master: str
    started_at: float | None
    live: bool
    cycles: int = 0
    first_s: float | None = None
    last_s: float | None = None


@dataclass(frozen=True, slots=True)
class TargetOut:
    """One thing that a tenant asks for, beside what it has. `share` is that of its utility."""

    kind: Literal["latency", "juice", "recovery"]
    text: str
    target: float
    percentile: float | None
    now: float | None
    met: bool | None
    utility: float


@dataclass(frozen=True, slots=True)
class ChangeOut:
    """One turn of a lever, `text` in words; a routing table has no figures before and after."""

    kind: str
    job: str
    operator: str
    before: float | None
    after: float | None
    text: str


@dataclass(frozen=True, slots=True)
class DecisionOut:
    """A decision: what, why, what was expected, what came of it. `number` counts from 1 in its run."""

    number: int
    at_s: float
    reason: str
    jobs: tuple[str, ...]
    changes: tuple[ChangeOut, ...]
    text: str
    why: str
    foretold: str  # in words, of those tenants whose lot changes; empty where nothing was foretold
    utility_before: float
    expected_utility: float | None
    came: CameOut
    verdict: str | None
    utility_came: float | None
    judged_at_s: float | None
    errors: tuple[str, ...]
    again: bool = False  # it is looked at once more: `came` may become another


@dataclass(frozen=True, slots=True)
class LeverOut:
    """A lever as it stands, in figures of its `unit` and in words; `most` is null where no bound is known.

    Ask for it with its `kind`, `job` and `operator`, see `POST /api/control`.
    """

    kind: str
    job: str
    operator: str
    name: str
    unit: str
    now: float | None
    asked: float | None
    least: float
    most: float | None
    now_text: str
    asked_text: str | None
    limits: str
    disturbs: str
    shows: str


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
    given: str  # what all have together: slots by weight, threads of their own
    note: str
    headline: str
    possible_utility: float  # the maximum of those that are not starting
    state: StateOut | None  # the worst of any tenant: all is well only where it is `fine`
    tenants: tuple[TenantOut, ...]
    machines: tuple[MachineOut, ...]
    levers: tuple[LeverOut, ...] = ()
    shortfall: str = ""  # that no shares meet all, what is best and what would do
    price: PriceOut | None = None  # as the tenants file gives it


@dataclass(frozen=True, slots=True)
class SeriesOut:
    """Figures over time; number i of each column belongs to `at_s[i]`."""

    at_s: tuple[float, ...]
    values: dict[str, tuple[float | None, ...]]


@dataclass(frozen=True, slots=True)
class ProposalOut:
    """A decision that waits for a tenant's yes."""

    number: int
    at_s: float
    text: str
    why: str
    jobs: tuple[str, ...]
    answer: str
    who: str | None


@dataclass(frozen=True, slots=True)
class ActOut:
    """An act of a person that the controller has heard, on the run's clock, in words."""

    at_s: float
    who: str
    text: str
    job: str | None


@dataclass(frozen=True, slots=True)
class AskedForOut:
    """What a tenant asked for from `from_s` on, until the next."""

    from_s: float
    text: str
    targets: tuple[TargetOut, ...]


@dataclass(frozen=True, slots=True)
class AuditOut:
    """An act of a person."""

    at_epoch_s: float
    who: str
    act: str
    detail: str


@dataclass(frozen=True, slots=True)
class ControlOut:
    """How the controller stands, what waits for it, and what was asked of it."""

    live: bool
    may_act: bool
    paused_by: str | None
    dry_run: bool
    interval_s: float | None
    seen_at_epoch_s: float | None
    approval: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    proposals: tuple[ProposalOut, ...] = ()


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


@dataclass(frozen=True, slots=True)
class DecisionsOut:
    """Some decisions of a run, newest first, of so many that match."""

    total: int
    reasons: tuple[str, ...]
    jobs: tuple[str, ...]
    decisions: tuple[DecisionOut, ...]


@dataclass(frozen=True, slots=True)
class SessionOut:
    """Who looks: `none` must give a token first."""

    role: Literal["none", "read", "operate"]
    tokens_required: bool
    version: str


@dataclass(frozen=True, slots=True)
class AskedOut:
    """A request lies on the controller's desk."""

    number: int
    control: ControlOut


@dataclass(frozen=True, slots=True)
class FutureOut:
    """A simulated future: the share of the maximum utility, `at_s` seconds from the present."""

    policy: str
    series: SeriesOut
    share: float | None
    decisions: int
    whole: bool


@dataclass(frozen=True, slots=True)
class WhatIfJobOut:
    """One tenant: as it really was, as it would go on, and as it would with the changes."""

    name: str
    past_share: float | None
    past_met: float | None
    as_is_share: float | None
    as_is_met: float | None
    changed_share: float | None
    changed_met: float | None
    slots_now: int
    slots_then: int | None
    off: float | None  # how far its mean utility share was off in the trial


@dataclass(frozen=True, slots=True)
class TrialOut:
    """How near the simulator came to the last `span_s`, knowing only what was seen before: shares of the utility.

    `off` is the mean difference, instant by instant; `series.at_s` is negative, up to the present.
    """

    span_s: float
    series: SeriesOut
    share: float | None
    real_share: float
    off: float


@dataclass(frozen=True, slots=True)
class WhatIfOut:
    """The same arrivals twice more, beside what really happened; `past.at_s` is negative, up to the present.

    `trial` says how far the simulator can be trusted here; null where the run is too short for one.
    """

    present_s: float
    span_s: float
    past: SeriesOut
    past_share: float | None
    as_is: FutureOut
    changed: FutureOut
    trial: TrialOut | None
    jobs: tuple[WhatIfJobOut, ...]
    slots: int | None
    took_s: float


@dataclass(frozen=True, slots=True)
class CompareSideOut:
    """One of two runs: shares over all of it; `series.at_s` counts from its first cycle."""

    run: RunOut
    length_s: float
    utility_share: float | None  # of what tenants could have
    met_share: float | None  # of the time, mean over tenants
    decisions: int
    helped: int
    series: SeriesOut


@dataclass(frozen=True, slots=True)
class CompareJobOut:
    """One tenant in both runs: what it asked for at the end, its share of its utility, how often it had it all."""

    name: str
    asks_a: str | None
    asks_b: str | None
    utility_a: float | None
    utility_b: float | None
    met_a: float | None
    met_b: float | None


@dataclass(frozen=True, slots=True)
class CompareOut:
    """Two runs side by side, in figures and in sentences."""

    a: CompareSideOut
    b: CompareSideOut
    jobs: tuple[CompareJobOut, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IncidentChapterOut:
    """One heading of an incident report, and what is said below it."""

    name: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IncidentEventOut:
    """Something that happened meanwhile."""

    at_s: float
    text: str


@dataclass(frozen=True, slots=True)
class IncidentOut:
    """One tenant in one part of a run, as a page to pass on: what happened, to whom, why, and what it cost.

    `utility_lost` is a share of what it could have had, `slot_h` the slot-hours that it held, `missed_slot_h` those of
    them while it missed.
    """

    run: str
    name: str
    policy: str
    tenant: str
    intent: str
    from_s: float
    to_s: float
    missed_s: float
    unseen_s: float
    worst_latency_s: float | None
    worst_latency_at_s: float | None
    most_rows: float | None
    utility_lost: float | None
    slot_h: float
    missed_slot_h: float
    chapters: tuple[IncidentChapterOut, ...]
    events: tuple[IncidentEventOut, ...]


@dataclass(frozen=True, slots=True)
class TurnOut:
    """A lever and the value to ask for, as `POST /api/control` and `POST /api/what-if` take it."""

    kind: str
    job: str | None
    operator: str
    value: float | None


@dataclass(frozen=True, slots=True)
class RemedyOut:
    """One change that was tried for a tenant: `met` of the simulated time, and what became of all (`share`).

    `turns`, `slots` and `max_slots` are what to ask a what-if; `ask` is what to ask a controller for, where it can be.
    `dear`: others lose by it, all in all.
    """

    kind: Literal["lever", "limit", "slots"]
    what: str
    price: str
    met: float
    share: float | None
    enough: bool
    dear: bool
    turns: tuple[TurnOut, ...]
    slots: int | None
    max_slots: dict[str, int]
    ask: TurnOut | None


@dataclass(frozen=True, slots=True)
class RemediesOut:
    """What would help a tenant, tried from the cheapest change on, on `span_s` of the last arrivals.

    `met` and `share` are as it is; `keeps` are the targets that it would keep so, objective by objective. `off` is how
    far off its utility was when the simulator was tried. `whole` is false where the time was over before a remedy.
    """

    job: str
    at_s: float
    span_s: float
    met: float | None
    share: float | None
    cheapest: RemedyOut | None
    tried: tuple[RemedyOut, ...]
    keeps: tuple[float, ...] | None
    by_itself: bool
    off: float | None
    whole: bool
    text: str
    took_s: float


@dataclass(frozen=True, slots=True)
class JobWithoutOut:
    """One tenant's share of its maximum utility, simulated with a decision and without it."""

    job: str
    with_it: float
    without: float


@dataclass(frozen=True, slots=True)
class WithoutOut:
    """How it would have gone without one decision, all others as they were: shares of the maximum utility.

    Both ways are simulated over `span_s` from the decision on; `off` is how far what was simulated with it was from
    what really was. Nulls, and in `why` the reason, where it could not be tried; `tells` is false there, and where the
    simulator was too far off.
    """

    number: int
    text: str
    tells: bool
    span_s: float | None = None
    really: float | None = None
    with_it: float | None = None
    without: float | None = None
    gain: float | None = None
    off: float | None = None
    slot_s_saved: float | None = None
    jobs: tuple[JobWithoutOut, ...] = ()
    why: str | None = None


@dataclass(frozen=True, slots=True)
class WorthOut:
    """What the newest decisions brought, each tried by itself; `waits` are those that were not tried yet.

    `gain` is the mean share of the maximum utility over the `span_s` that followed them, `text` all of it in words.
    """

    text: str
    decisions: int
    span_s: float
    gain: float | None
    off: float | None
    slot_h_saved: float
    untold: int
    misled: int
    waits: int
    each: tuple[WithoutOut, ...]


@dataclass(frozen=True, slots=True)
class PolicyOut:
    """A policy that can be asked for."""

    name: str
    about: str
