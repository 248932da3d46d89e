"""Continuous-operator scenarios: from a checked scenario to a simulated cluster."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.known.job_models import JobModels
from penstock.core.seen.topology import Topology
from penstock.engines.sim.continuous import ContinuousCluster
from penstock.engines.sim.profiling import profiled
from penstock.engines.sim.spec import Fault, SimCluster, SimJob, SimOperator
from penstock.errors import ConfigError
from penstock.planning.combined import first_threads
from penstock.simulation.jobs import arrivals_of, named_jobs
from penstock.simulation.schema import JobPart, OperatorPart, ScenarioFile, TopologyPart


def continuous_cluster(scenario: ScenarioFile, base: Path, seed: int) -> ContinuousCluster:
    """The scenario's jobs on the scenario's machines; with models from the start, sized by them."""
    jobs, machines = _jobs(scenario, base, seed), _machines(scenario)
    if scenario.models == "start":
        jobs = [_as_modelled(job, _models(job, machines)) for job in jobs]
    return ContinuousCluster(jobs, machines, faults_of(scenario), seed)


def models_of(scenario: ScenarioFile, base: Path, seed: int) -> dict[str, JobModels]:
    """The models of every job by its name; none when the scenario does without."""
    if scenario.models == "none":
        return {}
    machines = _machines(scenario)
    return {job.name: _models(job, machines) for job in _jobs(scenario, base, seed)}


def _models(job: SimJob, machines: SimCluster) -> JobModels:
    return JobModels({operator.name: profiled(operator, machines) for operator in job.operators}, job.selectivity)


def _as_modelled(job: SimJob, models: JobModels) -> SimJob:
    """Sized for what arrives in its first minute."""
    begins = int(job.starts_at_s)
    per_source = float(np.mean([rates[begins : begins + 60].mean() for rates in job.arrivals.values()]))
    threads = first_threads(models, job.topology, per_source)
    operators = tuple(replace(operator, threads=threads[operator.name]) for operator in job.operators)
    return replace(job, operators=operators)


def _jobs(scenario: ScenarioFile, base: Path, seed: int) -> list[SimJob]:
    seconds = int(scenario.duration) + 1
    jobs = []
    for place, (name, number, part) in enumerate(named_jobs(scenario)):
        if part.topology not in scenario.topologies:
            known = ", ".join(scenario.topologies) or "none is defined"
            raise ConfigError(f"jobs.{number}.topology", part.topology, f"name one of topologies: {known}")
        rng = np.random.default_rng([seed, place])
        arriving = arrivals_of(part.rate, seconds, base, rng, f"jobs.{number}.rate")
        jobs.append(_job(name, f"jobs.{number}", part, scenario.topologies[part.topology], arriving))
    return jobs


def _machines(scenario: ScenarioFile) -> SimCluster:
    cluster = scenario.cluster
    return SimCluster(
        machines=cluster.machines,
        cores=cluster.cores,
        memory_mb=cluster.memory_mb,
        context_switch=cluster.context_switch,
        idle_load=cluster.idle_load,
        network_s=cluster.network,
        link_mb_per_s=cluster.link_mb_per_s,
        noise=cluster.noise,
    )


def faults_of(scenario: ScenarioFile) -> list[Fault]:
    """What goes wrong in it."""
    return [Fault(fault.kind, fault.at, fault.duration, fault.target, fault.load) for fault in scenario.faults]


def _job(name: str, field: str, part: JobPart, shape: TopologyPart, arriving: Floats) -> SimJob:
    topology = Topology(shape.flow)
    for where, names in (("threads", part.threads), ("operators", shape.operators)):
        for operator in names:
            if operator not in topology.operators:
                known = ", ".join(topology.operators)
                raise ConfigError(f"{field}.{where}.{operator}", operator, f"name an operator of it: {known}")
    operators = tuple(
        _operator(op, shape.operators.get(op, OperatorPart()), part.threads.get(op)) for op in topology.operators
    )
    return SimJob(
        name=name,
        topology=topology,
        operators=operators,
        arrivals={source: arriving / len(topology.sources) for source in topology.sources},
        selectivity=_selectivity(topology, shape, field),
        starts_at_s=part.starts,
        ends_at_s=float("inf") if part.ends is None else part.ends,
        pause_s=shape.pause,
        restart_s=shape.restart,
        checkpoint_s=shape.checkpoint,
        overflow=shape.overflow,
        max_threads=part.max_threads,
    )


def _operator(name: str, part: OperatorPart, threads: int | None) -> SimOperator:
    return SimOperator(
        name=name,
        threads=part.threads if threads is None else threads,
        cpu_s=part.cpu,
        wait_s=part.wait,
        variability=part.variability,
        memory_mb_per_thread=part.memory_mb,
        retention_s=part.retention,
        bytes_per_tuple=part.row_bytes,
        queue_limit=part.queue_limit,
        min_threads=part.min_threads,
        max_threads=part.max_threads,
    )


def _selectivity(topology: Topology, shape: TopologyPart, field: str) -> dict[tuple[str, str], float]:
    result: dict[tuple[str, str], float] = {}
    for key, value in shape.selectivity.items():
        parent, arrow, child = (part.strip() for part in key.partition("->"))
        edges = [edge for edge in topology.edges if edge[0] == parent and (not arrow or edge[1] == child)]
        if not edges:
            known = ", ".join(f"{a} -> {b}" for a, b in topology.edges)
            raise ConfigError(f"{field}.topology.selectivity", key, f"name an operator or an edge of it: {known}")
        result.update(dict.fromkeys(edges, value))
    return result
