"""Extension points: what packages beside penstock add, each by the group of its entry point.

    [project.entry-points."penstock.sinks"]
    statsd = "statsd_sink:sink"

docs/extending.md says of each group what its entry points lead to; `penstock extensions` lists what is installed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from penstock.errors import ConfigError, told

GROUPS = {
    "policy": "penstock.policies",
    "engine": "penstock.engines",
    "cluster": "penstock.clusters",
    "notifier": "penstock.notifiers",
    "sink": "penstock.sinks",
}


@dataclass(frozen=True, slots=True)
class Extension:
    """Something that a package adds. `wrong` is why it cannot be used; None where it can be imported."""

    kind: str
    name: str
    package: str
    version: str
    wrong: str | None = None

    def text(self) -> str:
        """In a line.

        >>> Extension("sink", "statsd", "statsd-sink", "0.1.0").text()
        'sink statsd: statsd-sink 0.1.0'
        """
        end = "" if self.wrong is None else f"; cannot be used: {self.wrong}"
        return f"{self.kind} {self.name}: {self.package} {self.version}{end}"


@cache
def points(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, in their order; nothing is imported."""
    return tuple(sorted(entry_points(group=group), key=lambda point: (point.name, point.value)))


def named(group: str) -> Mapping[str, EntryPoint]:
    """The same by name; of two with one name the last counts."""
    return {point.name: point for point in points(group)}


def loaded(point: EntryPoint, field: str) -> Any:
    """What it leads to; a ConfigError about that field where its package cannot be used."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # somebody else's code may raise anything
        raise ConfigError(field, point.name, f"fix its package: {told(error)}") from None


def extensions() -> tuple[Extension, ...]:
    """Everything that packages beside penstock add, each imported once to see whether it can be used."""
    return tuple(_extension(kind, point) for kind, group in GROUPS.items() for point in points(group))


def _extension(kind: str, point: EntryPoint) -> Extension:
    package, version = ("unknown", "") if point.dist is None else (point.dist.name, point.dist.version)
    try:
        point.load()
    except (Exception, SystemExit) as error:
        return Extension(kind, point.name, package, version, told(error))
    return Extension(kind, point.name, package, version)
