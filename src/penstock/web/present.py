"""The present: the newest cycle of a run as the pages show it, tenants by trouble."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from penstock.core.asked.budget import SpentBudget
from penstock.core.asked.intents import Intent
from penstock.core.asked.price import Price
from penstock.core.known.outlook import JobOutlook, RecoveryForetold
from penstock.core.known.prediction import PredictionError
from penstock.core.levers import Dial, unit_of
from penstock.core.run import asked_latency_s
from penstock.core.seen.figures import JobFigures, MachineFigures, StageFigures
from penstock.core.seen.shares import Share, pool_of, shares_of
from penstock.core.seen.states import (
    UNSEEN,
    WORST_FIRST,
    LastLatency,
    State,
    known_utility,
    possible_utility,
    state_of,
    states_of,
    tally_of,
    worst_of,
)
from penstock.core.seen.view import JobView
from penstock.store.gallery import Newest
from penstock.store.thinning import Columns
from penstock.telling.binding import binding
from penstock.telling.levers import asked_text, lever_name, limits_text, now_text
from penstock.telling.shares import busy_text, given_text, share_text
from penstock.telling.states import blind_text, headline, lost, unasked_latency
from penstock.telling.words import note_said
from penstock.web.shapes import DecisionOut, LeverOut, SeriesOut
from penstock.web.shapes_fleet import (
    AskedForOut,
    BindOut,
    BudgetOut,
    BurnOut,
    ForecastOut,
    KeysOut,
    MachineKeysOut,
    MachineOut,
    OperatorOut,
    PartitionKeysOut,
    PredictionErrorOut,
    PresentOut,
    PriceOut,
    RecoveryOut,
    ShareOut,
    StageOut,
    TenantOut,
)
from penstock.web.trouble import has_figures, not_done, targets, targets_of, why


@dataclass(frozen=True, slots=True)
class KnownBefore:
    """What the present is told with of each tenant: when it last had what it asked for, and its last known latency."""

    met_s: Mapping[str, float | None] = field(default_factory=dict)  # of those that are not fine
    latency: Mapping[str, LastLatency] = field(default_factory=dict)  # of those that have none now
    price: Price | None = None


def present(newest: Newest, decisions: Sequence[DecisionOut], past: KnownBefore) -> PresentOut:
    """The fleet now."""
    view = newest.view
    last = {job: decision for decision in decisions for job in decision.jobs}
    shares = shares_of(view)
    tenants = [tenant(job, shares[job.name], newest, last.get(job.name), past) for job in view.jobs]
    lacking = {job.name: lost(job) for job in view.jobs}
    tenants.sort(key=lambda one: (WORST_FIRST.index(State(one.state)), -lacking[one.name], one.name))
    worst, tally = worst_of(view), tally_of(view)
    return PresentOut(
        at_s=view.at_s,
        cycle=newest.cycle,
        utility=view.utility,
        max_utility=view.max_utility,
        slots=view.slots,
        given=given_text(pool_of(view), sum(share.threads for share in shares.values() if share.pool is None)),
        note=_note(newest),
        headline=headline(view, past.latency),
        known_utility=known_utility(view),
        possible_utility=possible_utility(view),
        met=tally.met,
        judged=tally.judged,
        starting=tally.starting,
        state=None if worst is None else worst.value,
        tenants=tuple(tenants),
        machines=tuple(_machine(machine) for machine in view.machines),
        levers=tuple(_lever(dial) for dial in view.levers),
        shortfall=newest.shortfall,
        resting=tally.resting,
        price=None if past.price is None else PriceOut(past.price.slot_hour, past.price.currency),
    )


def tenant(
    job: JobView, share: Share, newest: Newest, last_decision: DecisionOut | None, past: KnownBefore
) -> TenantOut:
    """One tenant now; `share` is what its threads stand for."""
    figures, recovery_s = job.figures, newest.recovery_s(job)
    state, binds = state_of(job), binding(job, newest.view)
    return TenantOut(
        name=job.name,
        state=state.value,
        intent=job.intent.text(),
        targets=targets(job, recovery_s),
        utility=job.utility,
        max_utility=job.max_utility,
        met=state is State.FINE,
        slots=figures.threads,
        max_slots=figures.max_threads,
        share=_share(share),
        latency_s=finite(asked_latency_s(job)),
        latency_estimated=figures.latency is not None and figures.latency.estimated,
        juice=figures.juice,
        arrival_rps=figures.arrival_rps,
        processed_rps=figures.processed_rps,
        backlog_rows=figures.backlog_rows,
        why=_why(job, newest, share, past.latency.get(job.name)),
        missed_since_s=past.met_s.get(job.name),
        last_decision=last_decision,
        not_done=not_done(job, _note(newest), binds),
        recovery_s=finite(recovery_s),
        recovery_target_s=job.intent.recovery_s,
        certainty=job.intent.certainty,
        levers=tuple(_lever(dial) for dial in figures.dials),
        prediction_error=_error(newest.errors.get(job.name)),
        binds=tuple(BindOut(bind.what, bind.helps) for bind in binds),
        beside=unasked_latency(job),
        cost_hour=None if past.price is None else past.price.of(share.paid_slots),
        budget=None if job.spent is None else budget(job.spent),
        trouble=None if (which := figures.which_trouble) is None else which.kind.value,
    )


def budget(spent: SpentBudget) -> BudgetOut:
    """How an error budget stands."""
    asked = spent.asked
    return BudgetOut(
        text=spent.text(),
        keep=asked.keep,
        windows_s=asked.windows_s,
        over_s=asked.over_s,
        allowed=spent.allowed,
        good=spent.good,
        bad=spent.bad,
        unknown=spent.unknown,
        left=spent.left,
        burns=tuple(BurnOut(burn.over_s, burn.rate) for burn in spent.burns),
        urgency=spent.urgency,
    )


def operators(figures: JobFigures) -> tuple[OperatorOut, ...]:
    """The job's operators with what they do."""
    names = ("name", "threads", "capacity", "rows_in_rps", "rows_out_rps", "backlog_rows", "is_source")
    return tuple(OperatorOut(*(getattr(operator, name) for name in names)) for operator in figures.operators)


def edges(figures: JobFigures) -> tuple[tuple[str, str], ...]:
    """Who sends to whom; a job whose stages are known but not its operators runs through them in order."""
    if figures.topology is not None:
        return figures.topology.edges
    names = [operator.name for operator in figures.operators]
    return tuple(itertools.pairwise(names))


def stages(job: JobFigures) -> tuple[StageOut, ...]:
    """The job's stages with their shuffles."""
    return tuple(_stage(job.name, stage) for stage in job.stages)


def keys(jobs: Sequence[JobFigures]) -> tuple[KeysOut, ...]:
    """Where keys live, operator by operator."""
    return tuple(
        KeysOut(
            job=job.name,
            operator=placed.operator,
            table=placed.table,
            locality=placed.locality,
            machines=tuple(MachineKeysOut(m.machine, m.partitions, m.keys, m.share) for m in placed.machines),
            partitions=tuple(
                PartitionKeysOut(p.partition, p.executor, p.machine, p.keys, p.share) for p in placed.partitions
            ),
        )
        for job in jobs
        for placed in job.keys
    )


def forecast(outlook: JobOutlook | None) -> ForecastOut | None:
    """The forecast with an instant for each value: the middle of the step that it is the mean of."""
    if outlook is None or outlook.forecast is None:
        return None
    found = outlook.forecast
    at_s = tuple(outlook.at_s + (number + 0.5) * found.step_s for number in range(len(found.mean)))
    return ForecastOut(found.method, at_s, found.mean, found.lower, found.upper, found.level)


def recoveries(foretold: Sequence[RecoveryForetold]) -> tuple[RecoveryOut, ...]:
    """What each kind of failure would cost."""
    return tuple(RecoveryOut(one.lost, finite(one.seconds), one.low_s, one.high_s, one.of) for one in foretold)


def asked_for(from_s: float, intent: Intent) -> AskedForOut:
    """What was asked for from then on; how it was met is told by the figures over time."""
    return AskedForOut(from_s, intent.text(), targets_of(intent, JobFigures("", ())))


def series(columns: Columns | None, digits: int = 5) -> SeriesOut:
    """Columns in as many digits as a screen can show."""
    if columns is None:
        return SeriesOut((), {})
    return SeriesOut(
        columns.at_s, {name: tuple(_short(v, digits) for v in kept) for name, kept in columns.values.items()}
    )


def finite(value: float | None) -> float | None:
    """JSON has no infinity; what never ends is not there."""
    return value if value is not None and math.isfinite(value) else None


def _short(value: float | None, digits: int) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return value if value.is_integer() else float(f"{value:.{digits}g}")


def _share(share: Share) -> ShareOut:
    pool = share.pool
    return ShareOut(
        text=share_text(share),
        weight=None if pool is None else share.threads,
        weights=None if pool is None else pool.weight,
        slots=share.slots,
        of_slots=None if pool is None else pool.slots,
        busy=share.busy,
        busy_text=busy_text(share),
        used_slots=share.used_slots,
        cores=share.cores,
    )


def _why(job: JobView, newest: Newest, share: Share, last: LastLatency | None) -> str | None:
    if state_of(job) is State.RESTING:
        return None
    if state_of(job) in (State.FINE, State.MISSING):
        return why(job, newest.recovery_s(job), share)
    return blind_text(job, newest.view, last)


def _error(error: PredictionError | None) -> PredictionErrorOut | None:
    return None if error is None or not error.of else PredictionErrorOut(error.share, error.of)


def _note(newest: Newest) -> str:
    all_seen = not UNSEEN.intersection(states_of(newest.view).values())
    return note_said(newest.note, has_figures(newest.view), all_seen)


def _lever(dial: Dial) -> LeverOut:
    return LeverOut(
        kind=dial.kind,
        job=dial.job,
        operator=dial.operator,
        name=lever_name(dial),
        unit=unit_of(dial.kind),
        now=dial.now,
        asked=dial.asked,
        least=dial.least,
        most=finite(dial.most),
        now_text=now_text(dial),
        asked_text=asked_text(dial),
        limits=limits_text(dial),
        disturbs=dial.disturbs.value,
        shows=dial.shows.value,
    )


def _machine(machine: MachineFigures) -> MachineOut:
    names = ("name", "cores", "load", "memory_share", "executors", "alive", "congested")
    return MachineOut(*(getattr(machine, name) for name in names))


def _stage(job: str, stage: StageFigures) -> StageOut:
    names = ("name", "tasks", "rows_in", "rows_out", "capacity", "shuffle_local_bytes", "shuffle_remote_bytes")
    return StageOut(job, *(getattr(stage, name) for name in names))
