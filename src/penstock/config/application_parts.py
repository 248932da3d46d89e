"""Tenants of one file in several applications: which share a driver, and what the file says of each application alone.

An application goes by the name of the file and of its first tenant (`shop.fraud`), whatever else is in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from penstock.config.tenants import TenantsFile
from penstock.errors import ConfigError, choose


@dataclass(frozen=True, slots=True)
class ApplicationPart:
    """One application of several: its name, its tenants in the order of the file, the most executors it may hold."""

    name: str
    jobs: tuple[str, ...]
    executors: int


def applications(tenants: TenantsFile, coordinated: bool) -> tuple[ApplicationPart, ...]:
    """One for each tenant, or for each group of those that are to be together; what `executors` says is for all.

    Without a coordinator nobody moves executors: each has a part for good, by its tenants. With one each may come to
    have all but one for each of the others.
    """
    if tenants.executors is None:
        raise ConfigError("executors", None, "write the most executors that all these tenants may hold together")
    found = groups([job.name for job in tenants.jobs], tenants.together)
    parts = in_parts(tenants.executors, [len(group) for group in found])
    if coordinated:
        parts = [tenants.executors - len(found) + 1] * len(found)
    return tuple(
        ApplicationPart(application_name(tenants, group), group, part) for group, part in zip(found, parts, strict=True)
    )


def part(tenants: TenantsFile, names: Sequence[str], executors: int | None, field: str) -> TenantsFile:
    """What of the file is wanted: these jobs, or all where none is named, on so many executors where that is said."""
    wanted = only(tenants, names) if names else tenants
    return wanted if executors is None else with_executors(wanted, executors, field)


def with_executors(tenants: TenantsFile, executors: int, field: str) -> TenantsFile:
    """The file with another most of executors, which `field` asks for."""
    if executors < len(tenants.jobs):
        raise ConfigError(field, executors, f"write at least one for each job: {len(tenants.jobs)}")
    return tenants.model_copy(update={"executors": executors})


def groups(jobs: Sequence[str], together: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """All jobs by the driver that they are in, both in the order of the file.

    >>> groups(["fraud", "ads", "bots"], [["bots", "fraud"]])
    (('fraud', 'bots'), ('ads',))
    """
    group_of = {name: frozenset(group) for group in together for name in group}
    whole = [group_of.get(name, frozenset({name})) for name in jobs]
    return tuple(tuple(name for name in jobs if name in group) for group in dict.fromkeys(whole))


def in_parts(executors: int, tenants: Sequence[int]) -> list[int]:
    """Executors by the number of tenants; what is left over goes to the first ones.

    >>> in_parts(8, [1, 2, 1]), in_parts(5, [1, 1, 1])
    ([2, 4, 2], [2, 2, 1])
    """
    parts = [executors * count // sum(tenants) for count in tenants]
    left = executors - sum(parts)
    return [part + (place < left) for place, part in enumerate(parts)]


def only(tenants: TenantsFile, names: Sequence[str]) -> TenantsFile:
    """The file as if it had these jobs alone, under a name of its own."""
    known = [job.name for job in tenants.jobs]
    for name in names:
        if name not in known:
            raise ConfigError("--only", name, choose(name, known))
    group = tuple(name for name in known if name in names)
    return tenants.model_copy(
        update={
            "name": application_name(tenants, group),
            "jobs": tuple(job for job in tenants.jobs if job.name in group),
            "profiles": {name: path for name, path in tenants.profiles.items() if name in group},
            "models": {name: part for name, part in tenants.models.items() if name in group},
            "together": (),
        }
    )


def application_name(tenants: TenantsFile, group: Sequence[str]) -> str:
    """What the application of these tenants goes by."""
    return f"{tenants.name}.{group[0]}"
