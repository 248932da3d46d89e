"""Metrics for Prometheus: the newest cycle and the counts of a run. The names stay.

scripts/reference.py writes docs/reference/metrics.md from these families, with their help texts.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

from penstock.core.asked.budget import text_of_days
from penstock.core.asked.intents import Latency
from penstock.core.cycle import GOVERNING_ENDED
from penstock.core.levers import WHOLE, Dial
from penstock.core.seen.contacts import Contacts
from penstock.core.seen.failures import FailureKind
from penstock.core.seen.shares import shares_of
from penstock.core.seen.states import State, possible_utility, states_of
from penstock.core.seen.trouble import TroubleKind
from penstock.core.seen.view import JobView, View
from penstock.engines.applications.wishes import enough
from penstock.store.gallery import Newest
from penstock.web.shapes import DecisionOut, RunOut
from penstock.web.shapes_control import ControlOut

_WEIGHT = "Weight of the job for dividing the slots; or its threads, if its operators have threads of their own"
_SHARE = "Slots that the job's weight amounts to; no sample if its operators have threads of their own"
_BUSY = (
    "Share of time that the operator is busy; for *, all operators that share the job's slots, how busy the job's share"
    " is, above 1 if it uses slots that others left"
)
_OFF = (
    "Mean distance between the job's predicted and actual utility, as a share of its maximum; no sample before the"
    " first comparison"
)
_MET = (
    "1 while current figures show that the job meets its intent; no sample while nobody can tell, or no target applies."
    " A job with a juice target alone can meet it at any latency"
)
_WANTED = "Executors that were decided for the application; no sample without a live controller"
_NEEDED = (
    "Executors beyond which more add almost no utility, whether the cluster has them or not; no sample if unknown or"
    " without a live controller"
)
_HELD = "Executors that the application holds; in the run of a coordinator, of each application"
_AGENT = "Time since the application's agent last reported; no sample without a live controller"
_CLUSTER = (
    "Time since the cluster manager last said what is free; executors are promised below 30 s only; no sample without a"
    " live controller"
)
_USUAL = (50.0, 95.0, 99.0)  # percentiles
_OPEN = "not judged"  # yet, or at all: a driver that goes on with a run may judge what its record left open

_PROVEN = frozenset({State.FINE, State.MISSING})

Sample = tuple[tuple[str, ...], float | None]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one scrape tells of."""

    run: RunOut
    newest: Newest | None
    decisions: tuple[DecisionOut, ...]
    control: ControlOut


def exposition(seen: Seen) -> bytes:
    """The metrics as Prometheus reads them."""
    registry = CollectorRegistry()
    registry.register(_Collected(tuple(families(seen))))
    return generate_latest(registry)


class _Collected(Collector):
    def __init__(self, found: tuple[Metric, ...]) -> None:
        self._found = found

    def collect(self) -> Iterable[Metric]:
        return self._found


def families(seen: Seen) -> Iterator[Metric]:
    """Every metric that has a figure; what is absent is left out, never zero."""
    yield from _of_controller(seen)
    if seen.newest is not None:
        run = seen.run.name
        yield from _of_fleet(run, seen.newest.view)
        short = [((run,), bool(seen.newest.shortfall))]
        yield _gauge("penstock_shortfall", "1 while no shares meet all intents", ("run",), short)
        ended = [((run,), seen.newest.note.startswith(GOVERNING_ENDED))]
        about = "1 if governing ended by itself: another controller has the lease, or the application is gone"
        yield _gauge("penstock_governing_ended", about, ("run",), ended)
        yield from _of_jobs(run, seen.newest)
        yield from _states(run, _told_states(seen))
        yield from _budgets(run, seen.newest.view)
        yield from _of_machines(run, seen.newest.view)
        yield from _of_executors(run, seen)
        yield from _of_contacts(run, seen.newest.view.contacts if seen.control.live else Contacts())
    yield from _of_decisions(seen)


def _of_controller(seen: Seen) -> Iterator[Metric]:
    run, control = (seen.run.name,), seen.control
    yield _gauge("penstock_controller_up", "1 while the run's controller is alive", ("run",), [(run, control.live)])
    yield _gauge("penstock_paused", "1 while governing is paused", ("run",), [(run, control.paused_by is not None)])
    yield _gauge("penstock_dry_run", "1 while decisions are not carried out", ("run",), [(run, control.dry_run)])
    yield _gauge(
        "penstock_proposals_open",
        "Decisions that wait for a tenant's approval",
        ("run",),
        [(run, len(control.proposals))],
    )
    seen_at = control.seen_at_epoch_s
    # Of a controller whose clock is ahead of ours nobody can say it.
    age_s = None if seen_at is None or control.life == "ahead" else max(0.0, time.time() - seen_at)
    yield _gauge("penstock_cycle_age_seconds", "Time since the last cycle", ("run",), [(run, age_s)])
    yield _counter("penstock_cycles_total", "Cycles of the loop", ("run",), [(run, seen.run.cycles)])


def _told_states(seen: Seen) -> Mapping[str, State]:
    """Every job's state; what a controller saw that is gone is too old."""
    known: Mapping[str, State] = {} if seen.newest is None else states_of(seen.newest.view)
    return known if seen.control.live else dict.fromkeys(known, State.STALE)


def _states(run: str, states: Mapping[str, State]) -> Iterator[Metric]:
    """How each job stands: one of its states is 1. What nobody can tell has no `slo_met`, neither 1 nor 0."""
    every: list[Sample] = [((run, job, state), found is state) for job, found in states.items() for state in State]
    about = f"1 for the state that the job is in, 0 for the others: {', '.join(State)}; stale without a live controller"
    yield _gauge("penstock_job_state", about, ("run", "job", "state"), every)
    met: list[Sample] = [((run, job), found is State.FINE) for job, found in states.items() if found in _PROVEN]
    yield _gauge("penstock_job_slo_met", _MET, ("run", "job"), met)


def _budgets(run: str, view: View) -> Iterator[Metric]:
    """How error budgets stand, of those who have one."""
    found = [(job.name, job.spent) for job in view.jobs if job.spent is not None]
    labels = ("run", "job")
    kept: list[Sample] = [((run, job), spent.asked.keep) for job, spent in found]
    yield _gauge("penstock_job_budget_keep_ratio", "Share of windows that its error budget is to keep", labels, kept)
    left: list[Sample] = [((run, job), spent.left) for job, spent in found]
    about = "Share of the job's error budget that is left; below 0 once it is overspent"
    yield _gauge("penstock_job_budget_left_ratio", about, labels, left)
    burns: list[Sample] = [
        ((run, job, text_of_days(burn.over_s)), burn.rate) for job, spent in found for burn in spent.burns
    ]
    about = "Burn rate of the error budget over that time, such as 5m; at 1 it lasts exactly its period"
    yield _gauge("penstock_job_budget_burn_rate", about, (*labels, "over"), burns)
    urgency: list[Sample] = [((run, job), spent.urgency) for job, spent in found]
    about = "Factor by which a low error budget raises the job's worth; else 1"
    yield _gauge("penstock_job_urgency", about, labels, urgency)


def _of_fleet(run: str, view: View) -> Iterator[Metric]:
    about = "Total utility of all jobs; for stale jobs the last known value"
    yield _gauge("penstock_utility", about, ("run",), [((run,), view.utility)])
    yield _gauge("penstock_utility_max", "Maximum of the total utility", ("run",), [((run,), view.max_utility)])
    about = "Maximum over the jobs that are not starting: a job that starts has lost nothing yet"
    yield _gauge("penstock_utility_possible", about, ("run",), [((run,), possible_utility(view))])


def _of_jobs(run: str, newest: Newest) -> Iterator[Metric]:
    jobs, shares = newest.view.jobs, shares_of(newest.view)
    for name, about, figure in (
        ("penstock_job_utility", "Utility of the job", lambda job: job.utility),
        ("penstock_job_utility_max", "Most that the job can be worth", lambda job: job.max_utility),
        ("penstock_job_slots", _WEIGHT, lambda job: job.figures.threads),
        ("penstock_job_slot_share", _SHARE, lambda job: shares[job.name].slots),
        ("penstock_job_cores", "Cores that the job's tasks kept busy", lambda job: shares[job.name].cores),
        ("penstock_job_latency_mean_seconds", "Mean latency from arrival to result", _mean_latency),
        ("penstock_job_juice_ratio", "Share of the input that is processed", lambda job: job.figures.juice),
        ("penstock_job_arrival_rows_per_second", "Rows arriving per second", lambda job: job.figures.arrival_rps),
        ("penstock_job_processed_rows_per_second", "Rows processed per second", lambda job: job.figures.processed_rps),
        ("penstock_job_backlog_rows", "Rows that wait in the source", lambda job: job.figures.backlog_rows),
        ("penstock_job_figures_age_seconds", "Age of the job's figures", lambda job: job.figures.age_s),
        ("penstock_job_state_bytes", "Size of the job's state", lambda job: job.figures.state_bytes),
        (
            "penstock_job_trouble",
            "1 while something is wrong with the job, such as a query that ended",
            lambda job: job.figures.trouble is not None,
        ),
        ("penstock_prediction_error", _OFF, lambda job: _off(newest, job)),
        ("penstock_job_recovery_seconds", "Estimated time to recover from a failure", newest.recovery_s),
    ):
        yield _gauge(name, about, ("run", "job"), [((run, job.name), figure(job)) for job in jobs])
    yield _troubles(run, jobs)
    yield from _recoveries(run, newest)
    yield _latency(run, jobs)
    operators = [(job.name, operator) for job in jobs for operator in job.figures.operators]
    labels = ("run", "job", "operator")
    capacity: list[Sample] = [((run, job, op.name), op.capacity) for job, op in operators]
    yield _gauge("penstock_operator_capacity_ratio", _BUSY, labels, capacity)
    threads: list[Sample] = [((run, job, op.name), op.threads) for job, op in operators]
    about = "Threads of the operator; for * the job's weight"
    yield _gauge("penstock_operator_threads", about, labels, threads)
    yield _shuffle(run, jobs)


def _troubles(run: str, jobs: Iterable[JobView]) -> Metric:
    """Those that there are: what is well has no sample."""
    told = [(job.name, which.kind.value) for job in jobs if (which := job.figures.which_trouble) is not None]
    about = f"1 for the kind of thing that is wrong with the job: {', '.join(TroubleKind)}; no sample while nothing is"
    samples: list[Sample] = [((run, job, kind), 1) for job, kind in told]
    return _gauge("penstock_job_trouble_kind", about, ("run", "job", "kind"), samples)


def _recoveries(run: str, newest: Newest) -> Iterator[Metric]:
    """By what would be lost, with the bounds within which nine in ten lie where these are known."""
    told = [(job.name, one) for job in newest.view.jobs for one in newest.recoveries_by_kind(job)]
    about = f"Predicted time to recover if that were lost now: {', '.join(FailureKind)}"
    labels = ("run", "job", "lost")
    expected: list[Sample] = [((run, job, one.lost), one.seconds) for job, one in told]
    yield _gauge("penstock_job_recovery_foretold_seconds", about, labels, expected)
    bounds: list[Sample] = [
        ((run, job, one.lost, bound), seconds)
        for job, one in told
        for bound, seconds in (("low", one.low_s), ("high", one.high_s))
    ]
    about = "low and high: nine in ten such recoveries lie between them; no sample before nine recoveries of that kind"
    yield _gauge("penstock_job_recovery_bound_seconds", about, (*labels, "bound"), bounds)


def _latency(run: str, jobs: Iterable[JobView]) -> Metric:
    """Those quantiles that anybody looks at: the usual ones, and those that the job's intent is about."""
    samples: list[Sample] = []
    for job in jobs:
        known = {} if job.figures.latency is None else dict(job.figures.latency.quantiles)
        asked = {o.percentile for o in job.intent.objectives if isinstance(o, Latency) and o.percentile is not None}
        told = sorted({*_USUAL, *asked} & known.keys())
        samples += [((run, job.name, f"{percent / 100:g}"), known[percent]) for percent in told]
    about = "Latency from arrival to result, by quantile: 0.5, 0.95, 0.99 and the one of the job's intent"
    return _gauge("penstock_job_latency_seconds", about, ("run", "job", "quantile"), samples)


def _mean_latency(job: JobView) -> float | None:
    return None if job.figures.latency is None else job.figures.latency.mean_s


def _shuffle(run: str, jobs: Iterable[JobView]) -> Metric:
    samples: list[Sample] = []
    for job in jobs:
        for where in ("local", "remote"):
            found = [getattr(stage, f"shuffle_{where}_bytes") for stage in job.figures.stages]
            known = [value for value in found if value is not None]
            samples.append(((run, job.name, where), sum(known) if known else None))
    about = "Bytes read in shuffles, local or remote, as the engine last reported them"
    return _gauge("penstock_job_shuffle_bytes", about, ("run", "job", "where"), samples)


def _of_machines(run: str, view: View) -> Iterator[Metric]:
    for name, about, field in (
        ("penstock_machine_load", "Running and runnable threads", "load"),
        ("penstock_machine_cores", "Cores of the machine", "cores"),
        ("penstock_machine_memory_ratio", "Share of its memory in use", "memory_share"),
        ("penstock_machine_executors", "Executors on the machine", "executors"),
        ("penstock_machine_up", "1 while the machine is up", "alive"),
    ):
        samples: list[Sample] = [((run, machine.name), getattr(machine, field)) for machine in view.machines]
        yield _gauge(name, about, ("run", "machine"), samples)


def _of_executors(run: str, seen: Seen) -> Iterator[Metric]:
    """Of each application: an autoscaler must not go by what was wanted when somebody last governed."""
    levers = () if seen.newest is None else seen.newest.view.levers
    dials = [(dial, run if dial.job == WHOLE else dial.job) for dial in levers if dial.kind == "executors"]
    live = seen.control.live
    for name, about, figure in (
        ("penstock_executors", _HELD, lambda dial: dial.now),
        ("penstock_executors_wanted", _WANTED, _wanted if live else _unknown),
        ("penstock_executors_needed", _NEEDED, _needed if live else _unknown),
    ):
        samples: list[Sample] = [((run, application), figure(dial)) for dial, application in dials]
        yield _gauge(name, about, ("run", "application"), samples)


def _of_contacts(run: str, contacts: Contacts) -> Iterator[Metric]:
    """As of the last round of a coordinator."""
    agents: list[Sample] = [((run, name), heard_s) for name, heard_s in contacts.agents_s.items()]
    yield _gauge("penstock_agent_silent_seconds", _AGENT, ("run", "application"), agents)
    yield _gauge("penstock_cluster_silent_seconds", _CLUSTER, ("run",), [((run,), contacts.cluster_s)])


def _wanted(dial: Dial) -> float | None:
    return dial.now if dial.asked is None else dial.asked


def _needed(dial: Dial) -> float | None:
    worth = [(round(count), utility) for count, utility in dial.worth if isfinite(count) and isfinite(utility)]
    most = max((count for count, _ in worth), default=0) if dial.most is None else dial.most
    return enough(worth, round(dial.least), round(most)) if isfinite(dial.least) and isfinite(most) else None


def _unknown(dial: Dial) -> float | None:
    return None


def _of_decisions(seen: Seen) -> Iterator[Metric]:
    run = seen.run.name
    reasons = Counter(decision.reason for decision in seen.decisions)
    # What is looked at again may turn out otherwise, and a count that has come never falls.
    judged = ((one.came, one.again or one.came.startswith(_OPEN)) for one in seen.decisions)
    came = Counter(_OPEN if is_open else found.replace(" ", "_") for found, is_open in judged)
    by_reason: list[Sample] = [((run, reason), count) for reason, count in sorted(reasons.items())]
    yield _counter("penstock_decisions_total", "Decisions, by reason", ("run", "reason"), by_reason)
    # Those are closed later, so their number may fall.
    open_now = came.pop(_OPEN, 0)
    about = "Decisions without a final verdict"
    yield _gauge("penstock_decisions_not_judged", about, ("run",), [((run,), open_now)])
    by_outcome: list[Sample] = [((run, outcome), count) for outcome, count in sorted(came.items())]
    about = "Decisions, by final verdict: better, no_change, worse, not_done, not_carried_out"
    yield _counter("penstock_decision_outcomes_total", about, ("run", "came"), by_outcome)
    errors = sum(len(decision.errors) for decision in seen.decisions)
    yield _counter("penstock_step_errors_total", "Steps that the engine refused", ("run",), [((run,), errors)])


def _off(newest: Newest, job: JobView) -> float | None:
    error = newest.errors.get(job.name)
    return None if error is None or not error.of else error.share


def _gauge(name: str, about: str, labels: tuple[str, ...], samples: Iterable[Sample]) -> Metric:
    return _filled(GaugeMetricFamily(name, about, labels=labels), samples)


def _counter(name: str, about: str, labels: tuple[str, ...], samples: Iterable[Sample]) -> Metric:
    return _filled(CounterMetricFamily(name, about, labels=labels), samples)


def _filled(family: GaugeMetricFamily | CounterMetricFamily, samples: Iterable[Sample]) -> Metric:
    for labels, value in samples:
        if value is not None:
            family.add_metric(labels, float(value))
    return family
