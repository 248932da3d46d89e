"""Read a scenario file: YAML to checked values, one clear error for what is wrong."""

import copy
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.config.problems import checked, read_yaml
from penstock.errors import ConfigError
from penstock.simulation.schema import ScenarioFile


@dataclass(frozen=True, slots=True)
class Variant:
    """One combination of what a scenario varies, as a whole scenario."""

    values: Mapping[str, Any]
    scenario: ScenarioFile

    @property
    def label(self) -> str:
        """Such as "bolt=5 latency=40ms"; empty when nothing is varied."""
        return " ".join(f"{path.rsplit('.', 1)[-1]}={value}" for path, value in self.values.items())


def read_scenario(path: Path) -> tuple[Variant, ...]:
    """All variants of the scenario in that file; just one when it varies nothing."""
    raw = _included(_yaml(path), path.parent)
    paths = raw.get("vary") or {}
    if not isinstance(paths, dict) or not all(isinstance(values, list) and values for values in paths.values()):
        raise ConfigError("vary", paths, "write a list of values for each path, such as jobs.0.threads.bolt: [5, 10]")
    return tuple(
        Variant(dict(zip(paths, values, strict=True)), _scenario(raw, dict(zip(paths, values, strict=True))))
        for values in itertools.product(*paths.values())
    )


def _yaml(path: Path) -> dict[str, Any]:
    # What only lends anchors to other parts of the file is left out.
    return {key: value for key, value in read_yaml(path, "scenario").items() if not str(key).startswith("x-")}


def _included(raw: dict[str, Any], base: Path) -> dict[str, Any]:
    """Topologies that several scenarios share live in files of their own."""
    names = raw.pop("include", [])
    if not isinstance(names, list):
        raise ConfigError("include", names, "write a list of files beside the scenario")
    shared: dict[str, Any] = {}
    for name in names:
        shared.update(_yaml(base / str(name)).get("topologies") or {})
    if not shared:
        return raw
    return {**raw, "topologies": {**shared, **(raw.get("topologies") or {})}}


def _scenario(raw: Mapping[str, Any], values: Mapping[str, Any]) -> ScenarioFile:
    return checked(ScenarioFile, _with(raw, values), "scenario")


def _with(raw: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = copy.deepcopy(dict(raw))
    for path, value in values.items():
        *parents, last = path.split(".")
        place: Any = result
        try:
            for name in parents:
                place = place[int(name)] if isinstance(place, list) else place.setdefault(name, {})
            place[int(last) if isinstance(place, list) else last] = value
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise ConfigError("vary", path, "name a field of this scenario, such as jobs.0.intent.latency") from None
    return result
