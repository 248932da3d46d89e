"""Read a scenario file: YAML to checked values, one clear error for what is wrong."""

import copy
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penstock.config.document import Document, read_document
from penstock.config.policies import wrong_policies
from penstock.config.problems import tried
from penstock.errors import ConfigError, refuse
from penstock.simulation.schema import ScenarioFile

MOST_VARIANTS = 1000


@dataclass(frozen=True, slots=True)
class Variant:
    """One combination of what a scenario varies, as a whole scenario."""

    values: Mapping[str, Any]
    scenario: ScenarioFile

    @property
    def label(self) -> str:
        """Such as "bolt=5 latency=40ms"; empty when nothing is varied."""
        return " ".join(f"{path.rsplit('.', 1)[-1]}={value}" for path, value in self.values.items())


def variants_in(document: Document, base: Path) -> tuple[Variant, ...]:
    """All variants of the scenario that a document states, one when it varies nothing; `base` is its directory."""
    with document.located():
        raw = _included(_fields(document), base)
        varied = _varied(raw.get("vary"))
        return tuple(Variant(values, _scenario(raw, values, document)) for values in varied)


def _varied(paths: Any) -> list[dict[str, Any]]:
    """Every combination of what varies; one of nothing when nothing does."""
    paths = {} if paths is None else paths
    if not isinstance(paths, dict) or not all(isinstance(values, list) and values for values in paths.values()):
        raise ConfigError("vary", paths, "write a list of values for each path, such as jobs.0.threads.bolt: [5, 10]")
    count = math.prod(len(values) for values in paths.values())
    if count > MOST_VARIANTS:
        raise ConfigError("vary", f"{count:,} variants", f"write {MOST_VARIANTS:,} combinations or less")
    names = [str(path) for path in paths]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*paths.values())]


def _fields(document: Document) -> dict[str, Any]:
    # What only lends anchors to other parts of the file is left out.
    return {key: value for key, value in document.values.items() if not str(key).startswith("x-")}


def _included(raw: dict[str, Any], base: Path) -> dict[str, Any]:
    """Topologies that several scenarios share live in files of their own."""
    names = raw.pop("include", [])
    if not isinstance(names, list):
        raise ConfigError("include", names, "write a list of files beside the scenario")
    shared: dict[str, Any] = {}
    for name in names:
        included = read_document(base / str(name), "include")
        refuse(included.errors)
        lent = _fields(included).get("topologies") or {}
        if not isinstance(lent, dict):
            raise included.error(("topologies",), lent, "write topologies by their names")
        shared.update(lent)
    if not shared:
        return raw
    own = raw.get("topologies") or {}
    return {**raw, "topologies": {**shared, **own}} if isinstance(own, dict) else raw


def _scenario(raw: Mapping[str, Any], values: Mapping[str, Any], document: Document) -> ScenarioFile:
    whole = _with(raw, values)
    found, errors = tried(ScenarioFile, whole, replace(document, values=whole))
    refuse([*errors, *wrong_policies(document, "policies")])
    assert found is not None  # nothing was wrong
    return found


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
