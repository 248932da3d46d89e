"""From a checked scenario to a simulated cluster, its intents and its limits."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from penstock.core.intents import Intent, Juice, Latency, Objective
from penstock.core.topology import Topology
from penstock.engines.sim.continuous import ContinuousCluster
from penstock.engines.sim.spec import Fault, SimCluster, SimJob, SimOperator
from penstock.errors import ConfigError
from penstock.simulation.schema import (
    IntentPart,
    JobPart,
    OperatorPart,
    RatePart,
    ScenarioFile,
    TopologyPart,
    TraceRate,
)
from penstock.workloads import rates


def named_jobs(scenario: ScenarioFile) -> Iterator[tuple[str, int, JobPart]]:
    """Every job by its own name, with its number in the file: copies become -1, -2, ..."""
    seen: set[str] = set()
    for number, job in enumerate(scenario.jobs):
        names = [job.name] if job.copies == 1 else [f"{job.name}-{i}" for i in range(1, job.copies + 1)]
        for name in names:
            if name in seen:
                raise ConfigError(f"jobs.{number}.name", name, "give each job a name of its own")
            seen.add(name)
            yield name, number, job


def intents_of(scenario: ScenarioFile) -> dict[str, Intent]:
    """What each job asks for."""
    return {name: _intent(job.intent, f"jobs.{number}.intent") for name, number, job in named_jobs(scenario)}


def continuous_cluster(scenario: ScenarioFile, base: Path, seed: int) -> ContinuousCluster:
    """The scenario's jobs on the scenario's machines."""
    seconds = int(scenario.duration) + 1
    jobs = []
    for place, (name, number, part) in enumerate(named_jobs(scenario)):
        if part.topology not in scenario.topologies:
            known = ", ".join(scenario.topologies) or "none is defined"
            raise ConfigError(f"jobs.{number}.topology", part.topology, f"name one of topologies: {known}")
        rng = np.random.default_rng([seed, place])
        arriving = arrivals(part.rate, seconds, base, rng, f"jobs.{number}.rate")
        jobs.append(_job(name, f"jobs.{number}", part, scenario.topologies[part.topology], arriving))
    cluster = scenario.cluster
    machines = SimCluster(
        machines=cluster.machines,
        cores=cluster.cores,
        memory_mb=cluster.memory_mb,
        context_switch=cluster.context_switch,
        idle_load=cluster.idle_load,
        network_s=cluster.network,
        link_mb_per_s=cluster.link_mb_per_s,
        noise=cluster.noise,
    )
    return ContinuousCluster(jobs, machines, faults_of(scenario), seed)


def faults_of(scenario: ScenarioFile) -> list[Fault]:
    """What goes wrong in it."""
    return [Fault(fault.kind, fault.at, fault.duration, fault.target, fault.load) for fault in scenario.faults]


def arrivals(part: RatePart, seconds: int, base: Path, rng: np.random.Generator, field: str) -> rates.Rates:
    """Rows that arrive in each second of the run."""
    curve = _curve(part, seconds, base, field)
    return rates.noisy(curve, part.noise, rng) if part.noise > 0 else curve


def _curve(part: RatePart, seconds: int, base: Path, field: str) -> rates.Rates:
    if part.spike is not None:
        spike = part.spike
        return rates.spike(spike.base, spike.factor, spike.start, spike.end, seconds)
    if part.step is not None:
        return rates.step(part.step.before, part.step.after, part.step.at, seconds)
    if part.sine is not None:
        return rates.sine(part.sine.mean, part.sine.amplitude, part.sine.period, seconds)
    if part.trace is not None:
        recorded = _recorded(part.trace, base)
        return rates.replay(recorded, seconds, part.trace.mean, part.trace.speed, part.trace.smooth)
    if part.constant is None:
        raise ConfigError(field, None, "give exactly one of constant, spike, step, sine, trace")
    return rates.constant(part.constant, seconds)


def _recorded(part: TraceRate, base: Path) -> rates.Trace:
    if part.file is not None:
        return rates.read_trace(base / part.file, part.step)
    return rates.Trace(np.array(part.values, dtype=float), part.step)


def _job(name: str, field: str, part: JobPart, shape: TopologyPart, arriving: rates.Rates) -> SimJob:
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


def _intent(parts: Sequence[IntentPart], field: str) -> Intent:
    try:
        objectives = [objective for part in parts for objective in _objectives(part)]
        recovery = next((part.recovery for part in parts if part.recovery is not None), None)
        return Intent(*objectives, recovery=recovery)
    except ConfigError as error:
        raise ConfigError(f"{field}.{error.field}", error.value, error.remedy) from None


def _objectives(part: IntentPart) -> Iterator[Objective]:
    if part.latency is not None:
        yield Latency(part.latency, part.percentile, part.utility, part.shape, part.points, part.zero_at, part.spread)
    if part.juice is not None:
        yield Juice(part.juice, part.utility, part.shape, part.points, part.zero_at, part.spread)
