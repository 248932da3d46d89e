"""Calibration: the figures of one cycle turned into simulated jobs that would show the same figures.

What a query's batches cost is learnt from its past where that tells it (see service.py). What the figures do not tell
is assumed simple: service takes as long for every row, and rows that wait now arrive in the first second of a warm-up.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.levers import Kind
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, OperatorFigures
from penstock.core.seen.topology import Edge, Topology
from penstock.core.seen.view import View
from penstock.engines.sim.microbatch.spec import MicroBatchCluster, MicroBatchJob, MicroBatchStage
from penstock.engines.sim.spec import SimCluster, SimJob, SimOperator
from penstock.whatif.service import NOT_BEHIND, Service

DEFAULT_ROW_S = 0.0005  # an operator that was idle shows no cost
LEAST_ROWS_RPS = 0.01
LONGEST_LEAD_S = 900  # rows that waited longer than that are taken for as old as this

ArrivalsByJob = Mapping[str, Sequence[float]]


def is_micro_batch(view: View) -> bool:
    """Whether jobs share slots, as in a Spark application, rather than having threads for each operator."""
    return all(op.name == ALL_OPERATORS for job in view.jobs for op in job.figures.operators)


def micro_batch_jobs(
    view: View,
    arrivals: ArrivalsByJob,
    slots: int,
    services: Mapping[str, Service],
    lead_s: int = 0,
    warm_up_s: float = 0.0,
) -> list[MicroBatchJob]:
    """Each job as a query that costs what its past tells, or else one stage that costs what its batches cost now.

    They are down for the first `lead_s` seconds, in which those rows arrive that wait when they come up; what waits
    now then waits `warm_up_s` later.
    """
    held = sum(job.figures.threads for job in view.jobs)
    stretch = _slowdown(view)
    found: list[MicroBatchJob] = []
    for job in view.jobs:
        rows, service = _led_in(job.figures, arrivals, lead_s, warm_up_s), services.get(job.name)
        if service is None:
            query = _query(job.figures, rows, job.figures.threads / held * slots)
        else:
            query = _learnt_query(job.figures, rows, service, stretch)
        found.append(replace(query, restart_s=float(lead_s)) if lead_s else query)
    return found


def micro_batch_cluster(
    view: View, slots: int, scheduling: str, services: Mapping[str, Service] = MappingProxyType({})
) -> MicroBatchCluster:
    """The machines with their cores, and so many slots between them."""
    alive = [machine for machine in view.machines if machine.alive]
    machines = min(max(1, len(alive)), slots)
    learnt = list(services.values())
    return MicroBatchCluster(
        slots=slots,
        cores=max(machines, sum(machine.cores for machine in alive) or slots),
        machines=machines,
        scheduling=scheduling,
        driver_noise=sum(service.overhead_spread for service in learnt) / len(learnt) if learnt else 0.0,
        launch_s=min((service.launch_s for service in learnt), default=0.0),
    )


def foreign_load(view: View, services: Mapping[str, Service]) -> float:
    """Runnable threads of each machine that are not of the jobs' tasks: somebody else's, or the driver's."""
    loads = [machine.load for machine in view.machines if machine.alive and machine.load is not None]
    if not loads:
        return 0.0
    ours = sum(_cores_used(job.figures, services.get(job.name)) for job in view.jobs) * _slowdown(view)
    return max(0.0, (sum(loads) - ours) / len(loads))


def lead_in_s(view: View, warm_up_s: float) -> int:
    """Seconds in which all those rows arrived that are to wait before the warm-up."""
    return min(LONGEST_LEAD_S, max((math.ceil(_waited_s(job.figures, warm_up_s)) for job in view.jobs), default=0))


def continuous_jobs(view: View, arrivals: ArrivalsByJob) -> list[SimJob]:
    """Each job with its operators, each costing what it was seen to cost."""
    slowdown = _slowdown(view)
    return [_topology_job(job.figures, _rows(job.figures, arrivals), slowdown) for job in view.jobs]


def continuous_cluster(view: View, slots: int) -> SimCluster:
    """The machines with so many cores between them."""
    machines = max(1, sum(machine.alive for machine in view.machines))
    return SimCluster(machines=machines, cores=max(1, round(slots / machines)))


def _rows(job: JobFigures, arrivals: ArrivalsByJob) -> Floats:
    rates = np.array(arrivals.get(job.name) or [job.arrival_rps or 0.0], dtype=float)
    rates[0] += job.backlog_rows or 0.0
    whole: Floats = np.maximum(rates, 0.0)
    return whole


def _led_in(job: JobFigures, arrivals: ArrivalsByJob, lead_s: int, warm_up_s: float) -> Floats:
    """Nothing, then what is to wait at the end of the lead, at the present rate; then the arrivals."""
    told = np.array(arrivals.get(job.name) or [job.arrival_rps or 0.0], dtype=float)
    rates: Floats = np.maximum(told, 0.0)
    wait = _waiting_before(job, warm_up_s)
    if lead_s == 0:
        rates[0] += wait
        return rates
    early = np.zeros(lead_s)
    since_s = min(lead_s, math.ceil(_waited_s(job, warm_up_s)))
    if since_s:
        early[lead_s - since_s :] = wait / since_s
    else:
        early[-1] = wait
    return np.concatenate((early, rates))


def _waiting_before(job: JobFigures, warm_up_s: float) -> float:
    """Rows that wait now, less those by which the job has fallen behind in so much time at its present pace."""
    behind_rps = (job.arrival_rps or 0.0) - (job.processed_rps or 0.0)
    return max(0.0, (job.backlog_rows or 0.0) - behind_rps * warm_up_s)


def _waited_s(job: JobFigures, warm_up_s: float) -> float:
    rate_rps = job.arrival_rps or 0.0
    return _waiting_before(job, warm_up_s) / rate_rps if rate_rps > LEAST_ROWS_RPS else 0.0


def _cores_used(job: JobFigures, service: Service | None) -> float:
    if service is None:
        operator = job.operators[0]
        return (operator.cpu_share or 0.0) * operator.threads
    return (job.processed_rps or 0.0) * sum(stage.row_s for stage in service.stages) * service.core_share


def _learnt_query(job: JobFigures, rows: Floats, service: Service, stretch: float) -> MicroBatchJob:
    """Its tasks' time on a core was stretched by what else ran; the rest of their time is waiting."""
    operator = job.operators[0]
    on_core = min(service.core_share, 1.0 / stretch)
    waiting = 1.0 - on_core * stretch
    stages = tuple(
        MicroBatchStage(
            name=f"stage {number}",
            partitions=stage.tasks,
            cpu_s_per_row=stage.row_s * on_core,
            wait_s_per_row=stage.row_s * waiting,
            task_overhead_s=stage.task_s * waiting,
            task_cpu_s=stage.task_s * on_core,
        )
        for number, stage in enumerate(service.stages, start=1)
    )
    return MicroBatchJob(
        name=job.name,
        stages=stages,
        arrivals=np.round(rows),
        trigger_s=_trigger_s(job, service.trigger_s),
        batch_overhead_s=service.overhead_s,
        max_rows_per_batch=_bound(job, service.most_rows),
        **_pieces(job),
        **_threads(job, operator),
    )


def _trigger_s(job: JobFigures, learnt: float) -> float:
    told = _now(job, "trigger")
    return learnt if told is None else told


def _bound(job: JobFigures, learnt: int | None) -> int | None:
    told = _now(job, "bound")
    return learnt if told is None else round(told)


def _pieces(job: JobFigures) -> dict[str, Any]:
    told = _now(job, "piece")
    return {"cuttable": job.lever("piece") is not None, "max_rows_per_task": None if told is None else round(told)}


def _now(job: JobFigures, kind: Kind) -> float | None:
    """How the job's lever stands, where the engine tells: else it is learnt from its batches."""
    found = job.lever(kind)
    return None if found is None else found.now


def _threads(job: JobFigures, operator: OperatorFigures) -> dict[str, Any]:
    most = None if job.max_threads is None else max(job.max_threads, operator.min_threads)
    threads = max(operator.threads, operator.min_threads)
    return {"threads": threads, "min_threads": operator.min_threads, "max_threads": most}


def _query(job: JobFigures, rows: Floats, share_slots: float) -> MicroBatchJob:
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
        **_pieces(job),
        **_threads(job, operator),
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


def _topology_job(job: JobFigures, rows: Floats, slowdown: float) -> SimJob:
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
