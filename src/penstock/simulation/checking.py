"""A scenario looked through before it is lived through: its fields, its files, and the cluster that they describe."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from penstock.config.document import Document, read_document
from penstock.errors import ConfigError, choose, refuse
from penstock.planning.registry import policies, policy_named, takes_profiles
from penstock.simulation.continuous import models_of
from penstock.simulation.expect import METRICS
from penstock.simulation.jobs import intents_of, named_jobs
from penstock.simulation.run import cluster_of
from penstock.simulation.scale_out import profiles_of
from penstock.simulation.scenario_file import Variant, variants_in
from penstock.simulation.schema import ScenarioFile

_BUILT = 20  # variants whose cluster is made: they differ in a value or two
_COPIES = 2  # of a job that a cluster is made of: of one alone the names have no number


def check_scenario(path: Path, policies: Sequence[str] = (), document: Document | None = None) -> tuple[Variant, ...]:
    """All variants of the scenario in that file; a ConfigError for what cannot be simulated under these policies.

    Without any they are the scenario's own. `document` is what somebody has read of it already.
    """
    document = document or read_document(path, "scenario")
    variants = variants_in(document, path.parent)
    with document.located():
        for name in policies or variants[0].scenario.policies:
            _check_policy(variants[0].scenario, name, path.parent)
        for variant in variants[:_BUILT]:
            _build(variant.scenario, path.parent)
        refuse(list(_wrong_claims(variants)))
    return variants


def _wrong_claims(variants: Sequence[Variant]) -> Iterator[ConfigError]:
    """Claims that nothing can judge: told before the runs, not after them."""
    scenario = variants[0].scenario
    jobs = [name for name, _, _ in named_jobs(scenario)]
    for number, part in enumerate(scenario.expect):
        names = (
            ("metric", part.metric, METRICS),
            ("policy", part.policy, policies()),
            ("against", part.against, policies()),
        )
        for field, name, known in names:
            if name is not None and name not in known:
                yield ConfigError(f"expect.{number}.{field}", name, choose(name, known))
        if part.job is not None and part.job not in jobs:
            yield ConfigError(f"expect.{number}.job", part.job, choose(part.job, jobs))
        for field, values in (("variant", part.variant), ("against_variant", part.against_variant)):
            if not any((values or {}).items() <= variant.values.items() for variant in variants):
                yield ConfigError(f"expect.{number}.{field}", values, "name values that `vary` lists")


def _check_policy(scenario: ScenarioFile, name: str, base: Path) -> None:
    profiles = {"profiles": profiles_of(scenario, base)} if takes_profiles(name) else {}
    policy_named(name, {**scenario.settings.get(name, {}), **profiles})


def _build(whole: ScenarioFile, base: Path) -> None:
    scenario = _few_of_each(whole)
    intents_of(scenario)
    cluster_of(scenario, base, scenario.seed, scenario.policies[0])
    models_of(scenario, base, scenario.seed)


def _few_of_each(scenario: ScenarioFile) -> ScenarioFile:
    """The same with at most two copies of each job. They are alike, so that a fault of one is a fault of the first."""
    first: dict[int, str] = {}
    alike: dict[object, str] = {name: first.setdefault(number, name) for name, number, _ in named_jobs(scenario)}
    jobs = [job.model_copy(update={"copies": min(job.copies, _COPIES)}) for job in scenario.jobs]
    faults = [one.model_copy(update={"target": alike.get(one.target, one.target)}) for one in scenario.faults]
    return scenario.model_copy(update={"jobs": jobs, "faults": faults})
