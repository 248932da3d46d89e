"""What `penstock check` reads, by the kind of file, and what it says of one that is right."""

from pathlib import Path

from penstock.config.checking import Asked, check_tenants, sentence
from penstock.config.document import read_document

_OF_SCENARIOS, _OF_PLANS = {"topologies", "cluster", "duration", "engine"}, {"flow"}  # fields that no other kind has


def said_of(path: Path, asked: Asked) -> str:
    """What the file holds, in a line; a ConfigError for all that is wrong with it."""
    fields = read_document(path, "file").values.keys()
    if fields & _OF_PLANS:
        return _plan(path)
    if fields & _OF_SCENARIOS:
        return _scenario(path)
    return sentence(check_tenants(path, asked), asked)


def _plan(path: Path) -> str:
    from penstock.config.plan_job import read_plan_job

    job = read_plan_job(str(path))
    return f"{job.name}: a job of {len(job.topology.operators)} operators to plan"


def _scenario(path: Path) -> str:
    from penstock.simulation.checking import check_scenario  # the simulator takes a second to import

    variants = check_scenario(path)
    scenario = variants[0].scenario
    times = "" if len(variants) == 1 else f", {len(variants)} variants"
    jobs = sum(job.copies for job in scenario.jobs)
    return f"{scenario.name}: a scenario of {jobs} job{'s' if jobs > 1 else ''} for {scenario.duration:g} s{times}"
