"""Policies of other people: packages beside penstock tell of theirs by the group of their entry point.

    [project.entry-points."penstock.policies"]
    steady = "steady_policy:ENTRY"

See examples/policy for one that is whole.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any, NoReturn

from penstock.core.ports import Policy
from penstock.errors import ConfigError, told
from penstock.extending import GROUPS, points


@dataclass(frozen=True, slots=True)
class PolicyEntry:
    """One line of `penstock policies`, and how to make the policy from its settings (None: the defaults)."""

    about: str
    make: Callable[[Any], Policy[Any]]
    settings: type[Any] | None = None


def installed(taken: Collection[str]) -> Mapping[str, PolicyEntry]:
    """By name; one whose name is `taken` by a policy that ships has its package before it: "acme.henge"."""
    found = {}
    for point in _points():
        name = f"{point.value.partition(':')[0].partition('.')[0]}.{point.name}" if point.name in taken else point.name
        found[name] = _loaded(point)
    return found


def _points() -> tuple[EntryPoint, ...]:
    return points(GROUPS["policy"])


def _loaded(point: EntryPoint) -> PolicyEntry:
    """A package that cannot be used says so when it is chosen, and in the list: all else works on."""
    try:
        entry = point.load()
    except Exception as error:  # somebody else's code may raise anything
        return _unusable(point, told(error))
    if isinstance(entry, PolicyEntry):
        return entry
    return _unusable(point, f"{point.value} is {type(entry).__name__}; let it be a penstock.PolicyEntry")


def _unusable(point: EntryPoint, why: str) -> PolicyEntry:
    def refuse(settings: Any) -> NoReturn:
        raise ConfigError("policy", point.name, f"fix its package: {why}")

    return PolicyEntry(f"cannot be used: {why}", refuse)
