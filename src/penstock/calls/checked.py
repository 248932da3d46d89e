"""What `penstock check` reads, by the kind of file, and what it says of one that is right."""

from pathlib import Path
from typing import Any

from penstock.config.checking import CheckOptions, check_tenants, sentence, sentence_of
from penstock.config.document import Document, read_document
from penstock.config.engine_file import check_engine_file, names_engine

_OF_SCENARIOS = {"topologies", "cluster", "duration", "engine"}  # fields that no other kind has


def said_of(path: Path, asked: CheckOptions) -> str:
    """What the file holds, in a line; a ConfigError for all that is wrong with it."""
    document = read_document(path, "file")
    fields = document.values
    if names_engine(document):
        file = check_engine_file(document, asked.policy)
        return f"{sentence_of([job.name for job in file.jobs], asked.policy or file.policy)} on {file.engine_name}"
    if "flow" in fields and "jobs" not in fields:
        return _plan(path, document)
    if fields.keys() & _OF_SCENARIOS and not _names_functions(fields.get("jobs")):
        return _scenario(path, document)
    return sentence(check_tenants(path, asked, document), asked)


def _names_functions(jobs: Any) -> bool:
    """Whether the jobs are those of tenants: a field too many makes no scenario of them."""
    return isinstance(jobs, list) and any(isinstance(job, dict) and "job" in job for job in jobs)


def _plan(path: Path, document: Document) -> str:
    from penstock.config.plan_job import plan_job_in

    job = plan_job_in(document, path.parent)
    return f"{job.name}: a job of {len(job.topology.operators)} operators to plan"


def _scenario(path: Path, document: Document) -> str:
    from penstock.simulation.checking import check_scenario  # the simulator takes a second to import

    variants = check_scenario(path, document=document)
    scenario = variants[0].scenario
    times = "" if len(variants) == 1 else f", {len(variants)} variants"
    jobs = sum(job.copies for job in scenario.jobs)
    return f"{scenario.name}: a scenario of {jobs} job{'s' if jobs > 1 else ''} for {scenario.duration:g} s{times}"
