"""`ds2`: parallelism for the target rate from true processing rates, through the topology.

DS2 (Kalavri et al., OSDI 2018) and Flink's autoscaler: an operator's true rate is what its threads process
per second of useful time; the arrival rate, carried through the topology by the measured selectivities,
says what each operator must process; the quotient is its parallelism.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.levers import ThreadMove, thread_move
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.core.units import positive

LEAST_BUSY = 0.02  # below it a true rate is noise divided by noise


@dataclass(frozen=True, slots=True)
class Ds2Settings:
    """Names and defaults after Flink's autoscaler."""

    utilization_target: float = 0.7  # share of time an operator should be busy
    utilization_boundary: float = 0.3  # no change while the busy share is within target +- boundary x target
    catch_up_duration_s: float = 600.0  # time in which the backlog should be worked off
    stabilization_interval_s: float = 60.0  # a rescaled job is not changed for this time

    def __post_init__(self) -> None:
        positive(self.utilization_target, "utilization_target", "write a share above zero")
        positive(self.catch_up_duration_s, "catch_up_duration_s")


@dataclass(frozen=True, slots=True)
class Ds2Memory:
    """When each job was last rescaled."""

    rescaled_at_s: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ds2:
    """Each job gets what its input needs, at once for all its operators."""

    settings: Ds2Settings = Ds2Settings()
    name: str = "ds2"

    def start(self) -> Ds2Memory:
        """Nothing was rescaled yet."""
        return Ds2Memory()

    def decide(self, view: View, memory: Ds2Memory) -> tuple[Plan, Ds2Memory]:
        """One rescale for each job that is outside its boundary."""
        rescaled = dict(memory.rescaled_at_s)
        decisions = []
        for job in view.jobs:
            waiting = view.at_s - rescaled.get(job.name, -math.inf) < self.settings.stabilization_interval_s
            if waiting or not job.fresh or job.figures.settling:
                continue
            moves = tuple(_moves(job, self.settings))
            if moves:
                rescaled[job.name] = view.at_s
                why = f"{job.name} takes in {job.figures.arrival_rps or 0:.0f} rows/s; its threads follow from that"
                decisions.append(Decision(Reason.RESCALED, moves, why, view.at_s, view.utility))
        return Plan(tuple(decisions)), Ds2Memory(rescaled)


def _moves(job: JobView, settings: Ds2Settings) -> list[ThreadMove]:
    targets = target_rates(job.figures, settings.catch_up_duration_s)
    moves = []
    for operator in job.figures.operators:
        threads = _threads_for(operator, targets.get(operator.name), settings)
        if threads is not None and threads != operator.threads:
            moves.append(thread_move(job.name, operator.name, operator.threads, threads))
    return moves


def target_rates(job: JobFigures, catch_up_s: float) -> dict[str, float]:
    """What each operator must process per second to keep up and to catch up."""
    if job.arrival_rps is None:
        return {}
    wanted = job.arrival_rps + (job.backlog_rows or 0.0) / catch_up_s
    if job.topology is None:
        return {ALL_OPERATORS: wanted}
    operators = {operator.name: operator for operator in job.operators}
    rates = dict.fromkeys(job.topology.sources, wanted / len(job.topology.sources))
    for name in job.topology.operators:
        children = job.topology.children(name)
        for child in children:
            flow = rates.get(name, 0.0) * _selectivity(operators[name]) / len(children)
            rates[child] = rates.get(child, 0.0) + flow
    return rates


def _selectivity(operator: OperatorFigures) -> float:
    """Rows out, on all edges together, for each row in."""
    if not operator.rows_in_rps or operator.rows_out_rps is None:
        return 1.0
    return operator.rows_out_rps / operator.rows_in_rps


def _threads_for(operator: OperatorFigures, target_rps: float | None, settings: Ds2Settings) -> int | None:
    busy, rate = operator.busy_share, operator.rows_in_rps
    if target_rps is None or busy is None or rate is None or busy < LEAST_BUSY or rate <= 0:
        return None
    true_rate = rate / (busy * operator.threads)  # rows per second of useful time of one thread
    expected_busy = target_rps / (true_rate * operator.threads)
    low = settings.utilization_target * (1 - settings.utilization_boundary)
    high = settings.utilization_target * (1 + settings.utilization_boundary)
    if low <= expected_busy <= high:
        return operator.threads
    return max(1, operator.min_threads, math.ceil(target_rps / (true_rate * settings.utilization_target)))
