"""Figures: what was measured of a job, an operator, a machine. What could not be had is None, never zero."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from penstock.core.asked.coming import ToCome
from penstock.core.levers import ALL_OPERATORS as ALL_OPERATORS
from penstock.core.levers import Dial, Kind
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.contacts import Contacts
from penstock.core.seen.deeds import Deed
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.key_placement import KeyPlacement
from penstock.core.seen.routes import RouteFigures
from penstock.core.seen.topology import Topology
from penstock.core.seen.trouble import TroubleId, TroubleKind


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """Latency from arrival to result over the metrics window, in seconds.

    `quantiles` holds (percentile, seconds) in rising order; `estimated` marks figures that were derived
    from batch times rather than observed row by row.
    """

    mean_s: float
    quantiles: tuple[tuple[float, float], ...] = ()
    estimated: bool = False

    def at(self, percentile: float | None) -> float | None:
        """The mean for None, else the percentile, interpolated in the logarithm of the tail share.

        >>> LatencyFigures(1.0, ((50.0, 0.7), (90.0, 2.3), (99.0, 4.6))).at(90)
        2.3
        """
        if percentile is None:
            return self.mean_s
        if not self.quantiles:
            return None
        below = self.quantiles[0]
        for known in self.quantiles:
            if known[0] >= percentile:
                return _between(below, known, percentile)
            below = known
        return below[1]

    @property
    def measured(self) -> "LatencyFigures | None":
        """What of it is a figure, or None."""
        if not math.isfinite(self.mean_s):
            return None
        if math.isfinite(sum(seconds for _, seconds in self.quantiles)):
            return self
        return replace(self, quantiles=tuple(pair for pair in self.quantiles if math.isfinite(pair[1])))


def _between(below: tuple[float, float], above: tuple[float, float], percentile: float) -> float:
    if above[0] == below[0] or percentile >= above[0]:
        return above[1]
    # A maximum, percentile 100, has no tail to take the logarithm of; the 99.999th stands in for it.
    tails = [math.log(max(1.0 - p / 100.0, 1e-5)) for p in (below[0], percentile, above[0])]
    part = (tails[1] - tails[0]) / (tails[2] - tails[0])
    return below[1] + part * (above[1] - below[1])


@dataclass(frozen=True, slots=True)
class OperatorFigures:
    """One scalable unit of a job: an operator with threads of its own, or `ALL_OPERATORS` with a share of slots.

    `capacity` is equation 3 of Henge: above 1 where it used slots that others left; `busy_share` the share of its
    threads' time spent on rows, at most all; `cpu_share` the share spent on a core; `cores` those that its tasks kept
    busy, those on slots of others included. Rates are rows per second over the metrics window: `rows_in_rps` counts
    rows that were processed, not those that wait. `threads` is what was observed, `asked` what was asked for and has
    not come yet.
    """

    name: str
    threads: int
    capacity: float | None = None
    rows_in_rps: float | None = None
    rows_out_rps: float | None = None
    busy_share: float | None = None
    cpu_share: float | None = None
    backlog_rows: float | None = None
    is_source: bool = False
    min_threads: int = 1
    max_threads: int | None = None
    asked: int | None = None
    cores: float | None = None

    def dial(self, job: str) -> Dial:
        """Its threads as a lever."""
        kind: Literal["slots", "tasks"] = "slots" if self.name == ALL_OPERATORS else "tasks"
        return Dial(kind, job, self.threads, self.min_threads, self.max_threads, self.asked, self.name)


@dataclass(frozen=True, slots=True)
class StageFigures:
    """One stage of the physical plan, in detail: for people, not for policies."""

    name: str
    tasks: int
    rows_in: int | None = None
    rows_out: int | None = None
    busy_s: float | None = None
    capacity: float | None = None
    shuffle_local_bytes: int | None = None
    shuffle_remote_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class JobFigures:
    """One job at an instant. `age_s` is the age of all figures in this record, which were measured together."""

    name: str
    operators: tuple[OperatorFigures, ...]
    age_s: float = 0.0
    latency: LatencyFigures | None = None
    juice: float | None = None
    arrival_rps: float | None = None
    processed_rps: float | None = None
    working_rps: float | None = None  # over the time in which it had rows: all it can do, when some wait
    backlog_rows: float | None = None
    topology: Topology | None = None
    settling: bool = False  # restarting or pausing after an action: figures do not yet show its effect
    up_s: float | None = None
    downtime_s: float | None = None  # how long its last failure kept it from processing
    detect_s: float | None = None  # for how long before that it went on processing, the failure not yet noticed
    unsaved_s: float | None = None  # how long before it stood still its last checkpoint had been taken
    lost: FailureKind | None = None  # what was lost in that failure; None where nobody can say
    failed_at_s: float | None = None  # when, on the snapshot's clock
    short_s: float | None = None  # until how long after it the job was without what was lost, where it went on
    short_of: float | None = None  # how many of its threads ran on what was lost; None: one
    slowed: float | None = None  # the share of their speed that its other executors kept meanwhile
    checkpoint_s: float | None = None  # how often it saves where it is
    max_threads: int | None = None  # over all its operators together: the tenant's limit
    state_bytes: int | None = None
    phases_s: Mapping[str, float] = field(default_factory=dict)
    stages: tuple[StageFigures, ...] = ()
    trouble: str | None = None  # what is wrong with it in words, such as the error that ended its query
    trouble_id: TroubleId | None = None  # which one that is while its words change; None: each of its words is another
    keys: tuple[KeyPlacement, ...] = ()
    levers: tuple[Dial, ...] = ()  # that it has beside its threads
    batches: tuple[BatchFigures, ...] = ()  # the last that ended, oldest first

    @property
    def dials(self) -> tuple[Dial, ...]:
        """All its levers."""
        return (*(operator.dial(self.name) for operator in self.operators), *self.levers)

    def lever(self, kind: Kind) -> Dial | None:
        """The lever of that kind that it has beside its threads."""
        return next((dial for dial in self.levers if dial.kind == kind), None)

    def operator(self, name: str) -> OperatorFigures:
        """The operator of that name."""
        return next(operator for operator in self.operators if operator.name == name)

    @property
    def which_trouble(self) -> TroubleId | None:
        """What tells its trouble from others; None where nothing is wrong with it.

        >>> JobFigures("ads", (), trouble="no disk").which_trouble.text
        'other: no disk'
        """
        if self.trouble is None:
            return None
        return self.trouble_id or TroubleId(TroubleKind.OTHER, self.trouble)

    @property
    def batch_s(self) -> float | None:
        """How long a batch takes, by its phases; None for a job without batches, or none yet."""
        return self.phases_s.get("triggerExecution", sum(self.phases_s.values())) or None

    @property
    def threads(self) -> int:
        """All threads, or slots, that the job holds."""
        return sum(operator.threads for operator in self.operators)

    @property
    def measured(self) -> "JobFigures":
        """Without what is no figure: an engine that divides by zero tells infinity, or NaN, and knows nothing.

        One such figure in a sum over all jobs would leave none of it.

        >>> told = JobFigures("ads", (), arrival_rps=math.nan, backlog_rows=7.0).measured
        >>> told.arrival_rps, told.backlog_rows
        (None, 7.0)
        """
        found = (self.juice, self.arrival_rps, self.processed_rps, self.working_rps, self.backlog_rows)
        latency = None if self.latency is None else self.latency.measured
        if latency is self.latency and math.isfinite(sum(value for value in found if value is not None)):
            return self
        juice, arrival_rps, processed_rps, working_rps, backlog_rows = map(_figure, found)
        return replace(
            self,
            latency=latency,
            juice=juice,
            arrival_rps=arrival_rps,
            processed_rps=processed_rps,
            working_rps=working_rps,
            backlog_rows=backlog_rows,
        )


def _figure(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


@dataclass(frozen=True, slots=True)
class MachineFigures:
    """One machine at an instant. `load` counts running and runnable threads, as the kernel's load does.

    `memory_share` is of the whole machine's memory where a host tells it; `gc_share` is of the time of the tasks that
    ran in its executors, what garbage collection took: the sign of executors that are short of memory.
    """

    name: str
    cores: int
    load: float | None = None
    memory_share: float | None = None
    executors: int | None = None
    alive: bool = True
    age_s: float = 0.0
    slots: int | None = None  # that its executors offer: more or fewer than its cores
    gc_share: float | None = None

    @property
    def congested(self) -> bool:
        """Henge, section 4.3.2: more runnable threads than cores."""
        return self.load is not None and self.load > self.cores


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All jobs and machines at an instant: everything a controller sees.

    `max_threads` is the cluster's limit over all jobs together, where it has one. `levers` are those of the whole
    application. `deeds` are what the engine did by itself in the last minutes. Stores keep neither these nor `routes`
    with the figures, but in places of their own. `to_come` is who is to come yet; stores keep what was decided by it.
    `contacts` are those from whom the figures of a fleet come.
    """

    at_s: float
    jobs: tuple[JobFigures, ...]
    machines: tuple[MachineFigures, ...]
    max_threads: int | None = None
    routes: tuple[RouteFigures, ...] = ()
    levers: tuple[Dial, ...] = ()
    deeds: tuple[Deed, ...] = ()
    to_come: ToCome = ToCome()
    contacts: Contacts = Contacts()
