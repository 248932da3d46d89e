"""Scale-out scenarios: from a checked scenario to a simulated pool of executors, and the profiles that policies get."""

from pathlib import Path

import numpy as np

from penstock.config.profiles import read_profile
from penstock.core.seen.evidence import Observation
from penstock.core.seen.failures import FailureKind
from penstock.engines.sim.scaleout.engine import ScaleOutCluster
from penstock.engines.sim.scaleout.spec import JobFailure, ScaleOutJob
from penstock.errors import ConfigError
from penstock.simulation.jobs import arrivals_of, named_jobs
from penstock.simulation.schema import JobPart, ScaleOutPart, ScenarioFile


def scale_out_cluster(scenario: ScenarioFile, base: Path, seed: int) -> ScaleOutCluster:
    """The scenario's jobs on a pool of `cluster.slots` executors."""
    seconds = int(scenario.duration) + 1
    jobs = []
    for place, (name, number, part) in enumerate(named_jobs(scenario)):
        rng = np.random.default_rng([seed, place])
        arriving = arrivals_of(part.rate, seconds, base, rng, f"jobs.{number}.rate")
        jobs.append(_job(name, _part(part, number), arriving, base, f"jobs.{number}.scaleout"))
    for number, fault in enumerate(scenario.faults):
        if fault.kind != "job" or not isinstance(fault.target, str):
            raise ConfigError(f"faults.{number}.kind", fault.kind, "jobs with a scale-out fail: write job and a target")
    failures = [JobFailure(str(f.target), f.at, f.lost or FailureKind.DRIVER) for f in scenario.faults]
    return ScaleOutCluster(jobs, scenario.cluster.slots, failures, seed)


def profiles_of(scenario: ScenarioFile, base: Path) -> dict[str, tuple[Observation, ...]]:
    """What was profiled of each job, by name."""
    return {
        name: read_profile(base / part.scaleout.profile, f"jobs.{number}.scaleout.profile")
        for name, number, part in named_jobs(scenario)
        if part.scaleout is not None and part.scaleout.profile is not None
    }


def _part(part: JobPart, number: int) -> ScaleOutPart:
    if part.scaleout is None:
        raise ConfigError(f"jobs.{number}.scaleout", None, "a scale-out scenario needs `scaleout` for every job")
    return part.scaleout


def _job(
    name: str, part: ScaleOutPart, arriving: "np.ndarray[tuple[int], np.dtype[np.float64]]", base: Path, field: str
) -> ScaleOutJob:
    return ScaleOutJob(
        name=name,
        capacities=capacities_of(part, base, field),
        arrivals=arriving,
        executors=part.executors,
        min_executors=part.min_executors,
        max_executors=part.max_executors,
        checkpoint_s=part.checkpoint,
        downtime_s=part.downtime,
        detect_s=part.detect,
        unsaved_s=part.unsaved,
        downtimes_s=part.downtimes,
        pauses_s=part.pauses,
        latency_s=part.latency,
        latency_rise_s=part.latency_rise,
        one_second_more_at_rps=part.one_second_more_at,
        latency_spread=part.latency_spread,
        cpu_at_full=part.cpu_at_full,
        noise=part.noise,
    )


def capacities_of(part: ScaleOutPart, base: Path, field: str) -> dict[int, float]:
    """Measured rows/s by scale-out, from the scenario or from the profile that it names."""
    if part.measured is None:
        return dict(part.capacity)
    measured = read_profile(base / part.measured, f"{field}.measured")
    found = {seen.scaleout: seen.rate_rps for seen in measured if seen.saturated}
    if not found:
        raise ConfigError(f"{field}.measured", part.measured, "it must hold saturated rows: they are the capacities")
    return found
