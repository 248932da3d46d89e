"""`penstock check`: everything that a user can write wrongly in a tenants file, told before anything starts.

Fields are checked by tenants.py, how they go together by relations.py. Here is what lies outside the file: policies
and their settings, modules with the functions in them, profiles and models. Each part reads the file as it was written,
so that one mistake does not hide the next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from penstock.config.document import Document, read_document
from penstock.config.named import TooSoonError, Unstarted, function_named, modules_beside, route_named, wrong_params
from penstock.config.policies import wrong_policies
from penstock.config.problems import tried
from penstock.config.profiles import read_profile
from penstock.config.relations import disagreements, jobs_of, wrong_at
from penstock.config.tenants import TenantsFile
from penstock.core.seen.routes import NamedRoute
from penstock.errors import ConfigError, WrongFileError, refuse
from penstock.planning.registry import DEFAULT


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What the command line says beside the file. Modules of jobs are imported where it says how, see `Unstarted`."""

    policy: str | None = None
    master: str | None = None
    modules: Unstarted | None = None


def check_tenants(path: Path, asked: CheckOptions = CheckOptions(), document: Document | None = None) -> TenantsFile:
    """The tenants in that file; whatever is wrong with them is raised at once, in the order of the file.

    `document` is what somebody has read of it already: a pipe gives its text once.
    """
    document = document or read_document(path, "tenants file")
    base = path.absolute().parent
    tenants, errors = tried(TenantsFile, document.values, document)
    errors += disagreements(document)
    errors += wrong_at(document, asked.master)
    errors += wrong_policies(document, "policy", asked.policy)
    errors += _wrong_files(document, tenants, base)
    if asked.modules is not None:
        errors += _wrong_modules(document, base, asked.modules)
    refuse(in_order(errors))
    assert tenants is not None  # nothing was wrong
    return tenants


def sentence(tenants: TenantsFile, asked: CheckOptions = CheckOptions()) -> str:
    """What the file holds, in a line."""
    jobs = sentence_of([job.name for job in tenants.jobs], asked.policy or tenants.policy)
    return f"{jobs} at {asked.master or tenants.master}"


def sentence_of(names: Sequence[str], policy: str | None) -> str:
    """Which jobs, and under which policy."""
    jobs = "one job" if len(names) == 1 else f"{len(names)} jobs"
    listed = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
    return f"{jobs} ({listed}) under {policy or DEFAULT}"


def in_order(errors: list[ConfigError]) -> list[ConfigError]:
    """As they stand in the file, one of each field, what is found first; at their head what stands in none."""
    once: dict[str, ConfigError] = {}
    for error in errors:
        once.setdefault(error.field, error)
    return sorted(once.values(), key=_position)


def _wrong_modules(document: Document, code: Path, unstarted: Unstarted) -> list[ConfigError]:
    errors: list[ConfigError] = []
    with modules_beside(code, unstarted):
        for number, job in jobs_of(document):
            errors += _wrong_function(document, number, job)
    return errors


def _wrong_function(document: Document, number: int, job: dict[Any, Any]) -> Iterator[ConfigError]:
    for wrong in (_in_function, _in_route):
        try:
            errors = wrong(job)
        except ConfigError as error:
            errors = [error]
        except TooSoonError:  # it is imported again when Spark is there
            errors = []
        yield from (_of_job(document, number, error) for error in errors)


def _in_function(job: dict[Any, Any]) -> list[ConfigError]:
    place, params = job.get("job"), job.get("params")
    if not _in_module(place):
        return []
    named = params if isinstance(params, dict) else {}
    return wrong_params(function_named("job", place), place, {str(name): named[name] for name in named})


def _in_route(job: dict[Any, Any]) -> list[ConfigError]:
    if _in_module(job.get("route")):
        route_named("route", job["route"], NamedRoute)
    return []


def _of_job(document: Document, number: int, error: ConfigError) -> ConfigError:
    path = ("jobs", number, *error.field.split("."))
    return document.error(path, error.value, error.remedy, at_key="no such parameter" in error.remedy)


def _in_module(place: object) -> TypeGuard[str]:
    module, colon, name = place.partition(":") if isinstance(place, str) else ("", "", "")
    return bool(colon) and name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def _wrong_files(document: Document, tenants: TenantsFile | None, base: Path) -> Iterator[ConfigError]:
    """Profiles of jobs, and models, that cannot be read; models only once the fields beside them are right."""
    profiles, jobs = document.values.get("profiles"), [job.get("name") for _, job in jobs_of(document)]
    for name, place in profiles.items() if isinstance(profiles, dict) else ():
        if isinstance(place, str) and name in jobs:
            try:
                read_profile(base / place, f"profiles.{name}")
            except ConfigError as error:
                yield document.placed(error)
    for name, part in tenants.models.items() if tenants is not None else ():
        try:
            part.read(base, f"models.{name}")
        except WrongFileError as errors:
            yield from map(document.placed, errors.errors)
        except ConfigError as error:
            yield document.placed(error)


def _position(error: ConfigError) -> tuple[int, int]:
    if error.place is None:
        return 0, 0
    _, line, column = error.place.rsplit(":", 2)
    return int(line), int(column)
