"""Calibration: the figures of one cycle turned into simulated jobs that would show the same figures.

What a query's batches cost is learnt from its past where that tells it (see service.py). What the figures do not tell
is assumed simple: service takes as long for every row, and rows that wait now arrive in the first second of a warm-up.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penstock.core.figures import ALL_OPERATORS, JobFigures, OperatorFigures
from penstock.core.levers import Kind
from penstock.core.topology import Edge, Topology
from penstock.core.view import View
from penstock.engines.sim.microbatch.spec import MicroBatchCluster, MicroBatchJob, MicroBatchStage
from penstock.engines.sim.spec import Rates, SimCluster, SimJob, SimOperator
from penstock.whatif.service import NOT_BEHIND, Service

DEFAULT_ROW_S = 0.0005  # an operator that was idle shows no cost
LEAST_ROWS_RPS = 0.01

Arrivals = Mapping[str, Sequence[float]]


def is_micro_batch(view: View) -> bool:
    """Whether jobs share slots, as in a Spark application, rather than having threads for each operator."""
    return all(op.name == ALL_OPERATORS for job in view.jobs for op in job.figures.operators)


def micro_batch_jobs(
    view: View, arrivals: Arrivals, slots: int, services: Mapping[str, Service]
) -> list[MicroBatchJob]:
    """Each job as a query that costs what its past tells, or else one stage that costs what its batches cost now."""
    held = sum(job.figures.threads for job in view.jobs)
    found: list[MicroBatchJob] = []
    for job in view.jobs:
        rows, service = _rows(job.figures, arrivals), services.get(job.name)
        if service is None:
            found.append(_query(job.figures, rows, job.figures.threads / held * slots))
        else:
            found.append(_learnt_query(job.figures, rows, service))
    return found


def micro_batch_cluster(view: View, slots: int, scheduling: str) -> MicroBatchCluster:
    """The machines with so many slots between them."""
    machines = min(max(1, sum(machine.alive for machine in view.machines)), slots)
    return MicroBatchCluster(slots=slots, cores=max(slots, machines), machines=machines, scheduling=scheduling)


def continuous_jobs(view: View, arrivals: Arrivals) -> list[SimJob]:
    """Each job with its operators, each costing what it was seen to cost."""
    slowdown = _slowdown(view)
    return [_topology_job(job.figures, _rows(job.figures, arrivals), slowdown) for job in view.jobs]


def continuous_cluster(view: View, slots: int) -> SimCluster:
    """The machines with so many cores between them."""
    machines = max(1, sum(machine.alive for machine in view.machines))
    return SimCluster(machines=machines, cores=max(1, round(slots / machines)))


def _rows(job: JobFigures, arrivals: Arrivals) -> Rates:
    rates = np.array(arrivals.get(job.name) or [job.arrival_rps or 0.0], dtype=float)
    rates[0] += job.backlog_rows or 0.0
    whole: Rates = np.maximum(rates, 0.0)
    return whole


def _learnt_query(job: JobFigures, rows: Rates, service: Service) -> MicroBatchJob:
    operator = job.operators[0]
    stages = tuple(
        MicroBatchStage(f"stage {number}", stage.tasks, 0.0, stage.row_s, stage.task_s)
        for number, stage in enumerate(service.stages, start=1)
    )
    return MicroBatchJob(
        name=job.name,
        stages=stages,
        arrivals=np.round(rows),
        trigger_s=_trigger_s(job, service.trigger_s),
        batch_overhead_s=service.overhead_s,
        max_rows_per_batch=_bound(job, service.most_rows),
        **_threads(operator),
    )


def _trigger_s(job: JobFigures, learnt: float) -> float:
    told = _now(job, "trigger")
    return learnt if told is None else told


def _bound(job: JobFigures, learnt: int | None) -> int | None:
    told = _now(job, "bound")
    return learnt if told is None else round(told)


def _now(job: JobFigures, kind: Kind) -> float | None:
    """How the job's lever stands, where the engine tells: else it is learnt from its batches."""
    return next((dial.now for dial in job.levers if dial.kind == kind), None)


def _threads(operator: OperatorFigures) -> dict[str, Any]:
    most = None if operator.max_threads is None else max(operator.max_threads, operator.threads)
    threads = max(operator.threads, operator.min_threads)
    return {"threads": threads, "min_threads": operator.min_threads, "max_threads": most}


def _query(job: JobFigures, rows: Rates, share_slots: float) -> MicroBatchJob:
    operator, tasks = job.operators[0], max((stage.tasks for stage in job.stages), default=1)
    batch_s, overhead_s = _batch_times(job)
    behind = _behind(job)
    stage = MicroBatchStage("work", max(1, tasks), 0.0, _cost_s(job, operator, share_slots), task_overhead_s=0.0)
    trigger_s = 0.0 if behind or job.latency is None else max(0.0, 2.0 * (job.latency.mean_s - 1.5 * batch_s))
    most = max(1, round((job.processed_rps or 1.0) * max(batch_s, 0.1))) if behind else None
    return MicroBatchJob(
        name=job.name,
        stages=(stage,),
        arrivals=np.round(rows),
        trigger_s=_trigger_s(job, trigger_s),
        batch_overhead_s=overhead_s,
        max_rows_per_batch=_bound(job, most),
        **_threads(operator),
    )


def _cost_s(job: JobFigures, operator: OperatorFigures, share_slots: float) -> float:
    """Slot time for a row: what the stages report, else the busy part of the slots that the job holds."""
    rows = max((stage.rows_in or 0 for stage in job.stages), default=0)
    busy_s = sum(stage.busy_s or 0.0 for stage in job.stages)
    if rows and busy_s:
        return busy_s / rows
    done = job.processed_rps
    if operator.busy_share is None or done is None or done < LEAST_ROWS_RPS:
        return DEFAULT_ROW_S
    return operator.busy_share * share_slots / done


def _batch_times(job: JobFigures) -> tuple[float, float]:
    """How long a batch takes, and how much of it is not spent in tasks."""
    work_s = job.phases_s.get("addBatch", job.phases_s.get("stages", 0.0))  # as Spark and as the simulator call it
    batch_s = job.batch_s or 0.0
    return batch_s, max(0.02, batch_s - work_s) if batch_s else 0.1


def _behind(job: JobFigures) -> bool:
    return (job.processed_rps or 0.0) < NOT_BEHIND * (job.arrival_rps or 0.0)


def _slowdown(view: View) -> float:
    """How much longer work takes than on a machine of its own: the simulator will slow it down again by itself."""
    shares = [m.load / m.cores for m in view.machines if m.alive and m.load is not None]
    return max(1.0, sum(shares) / len(shares)) if shares else 1.0


def _topology_job(job: JobFigures, rows: Rates, slowdown: float) -> SimJob:
    topology = job.topology or _in_a_row(job)
    by_name = {operator.name: operator for operator in job.operators}
    shares = _source_shares(topology, by_name)
    return SimJob(
        name=job.name,
        topology=topology,
        operators=tuple(_operator(by_name[name], slowdown) for name in topology.operators),
        arrivals={source: rows * shares[source] for source in topology.sources},
        selectivity=_selectivity(topology, by_name),
        max_threads=job.max_threads,
    )


def _in_a_row(job: JobFigures) -> Topology:
    names = [operator.name for operator in job.operators]
    return Topology({name: [after] if after else [] for name, after in zip(names, [*names[1:], ""], strict=True)})


def _source_shares(topology: Topology, operators: Mapping[str, OperatorFigures]) -> dict[str, float]:
    taken = {source: operators[source].rows_in_rps or 0.0 for source in topology.sources}
    total = sum(taken.values())
    return {source: rate / total if total > 0 else 1.0 / len(taken) for source, rate in taken.items()}


def _operator(operator: OperatorFigures, slowdown: float) -> SimOperator:
    rate, busy = operator.rows_in_rps or 0.0, operator.busy_share or 0.0
    known = rate >= LEAST_ROWS_RPS and busy > 0
    row_s = busy * operator.threads / rate if known else DEFAULT_ROW_S
    on_core = min(1.0, (operator.cpu_share or 0.0) / busy) if known else 1.0
    return SimOperator(
        name=operator.name,
        threads=operator.threads,
        cpu_s=row_s * on_core / slowdown,
        wait_s=row_s * (1.0 - on_core),
        memory_mb_per_thread=0.0,
        min_threads=operator.min_threads,
        max_threads=operator.max_threads,
    )


def _selectivity(topology: Topology, operators: Mapping[str, OperatorFigures]) -> dict[Edge, float]:
    """Rows into a child for each row into its parents together."""
    found: dict[Edge, float] = {}
    for parent, child in topology.edges:
        above = sum(operators[name].rows_in_rps or 0.0 for name in topology.parents(child))
        rate = operators[child].rows_in_rps
        found[parent, child] = rate / above if rate is not None and above >= LEAST_ROWS_RPS else 1.0
    return found
