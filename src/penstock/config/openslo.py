"""OpenSLO v1 out and in: intents where people keep their objectives.

Out: each target of a tenant is one SLO over penstock's own metrics; what OpenSLO has no word for (what it is worth, how
that falls) stands in its annotations. In: an SLO over those metrics, or one whose annotation `penstock.io/target` says
what it is about, is a target of the tenant that is its `service`.

Time slices over a rolling window are a tenant's error budget: `target` is the share of slices to keep, and
`timeSliceTarget` what of a slice makes it good. OpenSLO has a budget for each SLO and a tenant one for all its targets:
those of its SLOs are to be alike. A tenant without a budget goes out with the one that the alerts go by, and a note.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.config.composing import compose_all
from penstock.config.document import wrong_yaml
from penstock.config.intents import IntentPart
from penstock.config.openslo_shape import check_shape
from penstock.config.scalars import NotYamlError
from penstock.config.wanted import WantedFile, WantedPart
from penstock.core.asked.budget import DAY_S, Budget, text_of_days
from penstock.core.units import text_of_seconds
from penstock.errors import ConfigError, refuse

VERSION = "openslo/v1"
BY_ALERTS = Budget(
    0.95, windows_s=60.0
)  # of tenants without a budget; deploy/prometheus/penstock.rules.yml says the same
_OURS = "penstock.io/"
_METRICS = {
    "latency": "penstock_job_latency_seconds",
    "mean-latency": "penstock_job_latency_mean_seconds",
    "juice": "penstock_job_juice_ratio",
    "recovery": "penstock_job_recovery_seconds",
}
_BESIDE = frozenset(IntentPart.model_fields) - {"latency", "percentile", "juice"}
_NO_BUDGET = "none"
_MOST_SECONDS = 1e15  # nobody asks for more; Python adds no number to one of a thousand digits
_DURATION = re.compile(r"(\d+)([a-zA-Z]+)")
_DAYS = {"d": 1, "w": 7, "M": 30, "Q": 90, "Y": 365}
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, **{unit: days * DAY_S for unit, days in _DAYS.items()}}
_QUANTILE = re.compile(r'quantile="(0?\.\d+)"')
_AT_MOST, _AT_LEAST = ("lte", "lt"), ("gte", "gt")


@dataclass(frozen=True, slots=True)
class Read:
    """Intents by tenant, as a tenants file has them, and in words what of the documents is no part of them."""

    jobs: tuple[dict[str, Any], ...]
    left_out: tuple[str, ...]


def to_openslo(run: str, wanted: WantedFile) -> list[dict[str, Any]]:
    """An SLO for each target of each tenant, in their order; what is excluded for all is so in each."""
    parts = (part.model_copy(update={"excluded": (*wanted.excluded, *part.excluded)}) for part in wanted.jobs)
    return [slo for part in parts for intent in part.intents for slo in _slos(run, part, intent)]


def openslo_in(text: str, path: Path) -> Read:
    """The intents in the text of a file of OpenSLO documents."""
    try:
        documents, twice = compose_all(text)
    except NotYamlError as error:
        raise wrong_yaml(path, "OpenSLO file", error) from None
    refuse([wrong_yaml(path, ".".join(map(str, error.path)), error) for error in twice])
    return from_openslo([one.value for one in documents if one.value is not None])


def from_openslo(documents: Iterable[Any]) -> Read:
    """The intents in these documents; an error names the SLO and what is wrong with it."""
    intents: dict[str, list[dict[str, Any]]] = {}
    lasting: dict[str, dict[str, Any]] = {}
    slos, left_out = _slos_of([_known(document) for document in documents])
    for document in slos:
        check_shape(_name(document), document)
        tenant, intent = _intent(document)
        intents.setdefault(tenant, []).append(intent)
        found, unread = _lasting(document)
        left_out += [f"{_name(document)}: {text}" for text in unread]
        known = lasting.setdefault(tenant, found)
        if known != found:
            left_out.append(
                f"{_name(document)}: its budget is another than that of {tenant}'s first SLO, which is read"
            )
    jobs = (
        {"name": name, "intent": found[0] if len(found) == 1 else found, **lasting[name]}
        for name, found in intents.items()
    )
    return Read(tuple(jobs), tuple(left_out))


def _known(document: Any) -> Mapping[str, Any]:
    if not isinstance(document, Mapping) or document.get("apiVersion") != VERSION:
        raise ConfigError("apiVersion", _of(document, "apiVersion"), f"write {VERSION}")
    return document


def _slos_of(documents: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[str]]:
    """SLOs, each with the indicator that it names; and in words the documents that say nothing of any."""
    indicators = {_name(document): document for document in documents if document.get("kind") == "SLI"}
    slos = [_with_indicator(document, indicators) for document in documents if document.get("kind") == "SLO"]
    named = {str(_spec(slo).get("indicatorRef")) for slo in slos}
    others = (document for document in documents if document.get("kind") != "SLO")
    unread = [document for document in others if document.get("kind") != "SLI" or _name(document) not in named]
    return slos, [f"{_name(one)}: its kind is {one.get('kind')}, of which nothing is read" for one in unread]


def _with_indicator(slo: Mapping[str, Any], indicators: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    spec = _spec(slo)
    found = indicators.get(str(spec.get("indicatorRef")))
    return slo if found is None else {**slo, "spec": {**spec, "indicator": found}}


def _slos(run: str, part: WantedPart, intent: IntentPart) -> Iterable[dict[str, Any]]:
    """A recovery target beside another bounds plans and is no objective of its own: it goes with that one."""
    tenant, given = part.name, None if part.budget is None else part.budget.budget()
    budget = given or BY_ALERTS
    beside = intent.model_dump(
        mode="json", by_alias=True, exclude_unset=True, exclude={"latency", "percentile", "juice"}
    )
    alone = intent.latency is None and intent.juice is None
    notes = {
        f"{_OURS}{name}": json.dumps(value) for name, value in beside.items() if not (alone and name == "recovery")
    }
    if part.budget is None:
        notes[f"{_OURS}budget"] = _NO_BUDGET
    if part.excluded:
        periods = [one.model_dump(mode="json", by_alias=True, exclude_unset=True) for one in part.excluded]
        notes[f"{_OURS}excluded"] = json.dumps(periods)
    if intent.latency is not None:
        name = "mean-latency" if intent.percentile is None else "latency"
        quantile = "" if intent.percentile is None else f',quantile="{intent.percentile / 100:g}"'
        title = f"{tenant}-{'mean' if intent.percentile is None else f'p{intent.percentile:g}'}-latency"
        yield _slo(title, tenant, f'run="{run}",job="{tenant}"{quantile}', name, intent.latency, notes, budget)
    if intent.juice is not None:
        yield _slo(f"{tenant}-juice", tenant, f'run="{run}",job="{tenant}"', "juice", intent.juice, notes, budget)
    if alone and intent.recovery is not None:
        where = f'run="{run}",job="{tenant}"'
        yield _slo(f"{tenant}-recovery", tenant, where, "recovery", intent.recovery, notes, budget)


def _slo(
    title: str, tenant: str, where: str, about: str, value: float, notes: Mapping[str, str], budget: Budget
) -> dict[str, Any]:
    query = f"{_METRICS[about]}{{{where}}}"
    kept = {"target": budget.keep, "timeSliceTarget": budget.each, "timeSliceWindow": text_of_days(budget.windows_s)}
    # Names of OpenSLO are those of Kubernetes.
    name = re.sub(r"[^a-z0-9-]+", "-", title.lower()).strip("-")
    return {
        "apiVersion": VERSION,
        "kind": "SLO",
        "metadata": {"name": name, "displayName": title, "annotations": {f"{_OURS}target": about, **notes}},
        "spec": {
            "service": tenant,
            "indicator": {
                "metadata": {"name": name},
                "spec": {"thresholdMetric": {"metricSource": {"type": "Prometheus", "spec": {"query": query}}}},
            },
            "timeWindow": [{"duration": text_of_days(budget.over_s), "isRolling": True}],
            "budgetingMethod": "Timeslices",
            "objectives": [{"op": "gte" if about == "juice" else "lte", "value": value, **kept}],
        },
    }


def _intent(document: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    name, spec = _name(document), document.get("spec") or {}
    tenant, objectives = spec.get("service"), spec.get("objectives") or []
    if not isinstance(tenant, str) or not tenant:
        raise ConfigError(f"{name}.spec.service", tenant, "write the tenant's name: its query's")
    if len(objectives) != 1:
        raise ConfigError(f"{name}.spec.objectives", len(objectives), "write one objective: a target has one value")
    notes = (document.get("metadata") or {}).get("annotations") or {}
    query = _query(spec)
    about = notes.get(f"{_OURS}target") or next(
        (key for key, metric in _METRICS.items() if f"{metric}{{" in query), None
    )
    if not isinstance(about, str) or about not in _METRICS:
        remedy = f"annotate it with {_OURS}target: one of {', '.join(_METRICS)}; or ask penstock's own metrics"
        raise ConfigError(f"{name}.metadata.annotations", about, remedy)
    value = _value(name, objectives[0], _AT_LEAST if about == "juice" else _AT_MOST)
    target = {"juice": value} if about == "juice" else {_field(about): text_of_seconds(value)}
    return tenant, {**target, **_percentile(name, about, notes, query), **_worth(notes)}


def _field(about: str) -> str:
    return "recovery" if about == "recovery" else "latency"


def _value(name: str, objective: Mapping[str, Any], ops: tuple[str, ...]) -> float:
    if objective.get("op") not in ops:
        raise ConfigError(
            f"{name}.spec.objectives.op", objective.get("op"), f"write {ops[0]}: nothing else is a target"
        )
    value = objective.get("value")
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < _MOST_SECONDS:
        raise ConfigError(f"{name}.spec.objectives.value", value, "write a number above zero; latencies are in seconds")
    return float(value)


def _percentile(name: str, about: str, notes: Mapping[str, Any], query: str) -> dict[str, float]:
    if about != "latency":
        return {}
    found = _QUANTILE.search(query)
    told = notes.get(f"{_OURS}percentile", None if found is None else round(100.0 * float(found.group(1)), 6))
    if told is None:
        raise ConfigError(f"{name}.metadata.annotations", None, f"annotate it with {_OURS}percentile, such as '95'")
    return {"percentile": _number(name, "percentile", told)}


def _worth(notes: Mapping[str, Any]) -> dict[str, Any]:
    """All that an intent has beside its target; a tenants file is checked for what they may be."""
    fields = {key.removeprefix(_OURS): value for key, value in notes.items() if key.startswith(_OURS)}
    return {field: _read(value) for field, value in fields.items() if field in _BESIDE}


def _read(value: object) -> Any:
    """As JSON, or a bare word; of what YAML has beside these, such as days, the words."""
    try:
        return json.loads(str(value))
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(json.dumps(value, default=str))
    except (TypeError, RecursionError):  # keys that are no words
        return str(value)


def _number(name: str, field: str, value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        raise ConfigError(f"{name}.metadata.annotations.{_OURS}{field}", value, "write a number") from None


def _query(spec: Mapping[str, Any]) -> str:
    """That of its indicator; one that is named and not in the file has none here."""
    metric = ((spec.get("indicator") or {}).get("spec") or {}).get("thresholdMetric") or {}
    return str(((metric.get("metricSource") or {}).get("spec") or {}).get("query", ""))


def _lasting(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The budget and the excluded periods, as a tenants file has them; and in words what of them is read otherwise."""
    notes = (document.get("metadata") or {}).get("annotations") or {}
    periods = notes.get(f"{_OURS}excluded")
    found = {} if periods is None else {"excluded": _read(periods)}
    kept = document["spec"]["objectives"][0].get("target", document["spec"]["objectives"][0].get("targetPercent"))
    if kept is None or notes.get(f"{_OURS}budget") == _NO_BUDGET:
        return found, []
    try:
        budget, otherwise = _budget(document["spec"])
    except (ConfigError, TypeError, ValueError, ArithmeticError) as error:
        return found, [f"its budget is not read: {error}"]
    return {"budget": budget, **found}, otherwise


def _budget(spec: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    objective, windows = spec["objectives"][0], spec.get("timeWindow") or [{}]
    keep = float(objective["target"]) if "target" in objective else float(objective["targetPercent"]) / 100.0
    method, slices = spec.get("budgetingMethod", "Timeslices"), objective.get("timeSliceWindow")
    otherwise = []
    if method != "Timeslices":
        otherwise.append(f"it counts {method}, which is read as time slices of {slices or '1m'}")
    if windows[0].get("calendar") or windows[0].get("isRolling") is False:
        otherwise.append("its window is the calendar's; one of its length that rolls is read")
    read = Budget(
        round(keep, 12),
        _seconds(slices or "1m"),
        _seconds(windows[0].get("duration") or "28d"),
        float(objective.get("timeSliceTarget", 1.0)),
    )
    told = {"keep": read.keep, "windows": text_of_days(read.windows_s), "over": text_of_days(read.over_s)}
    return told if read.each == 1 else {**told, "each": read.each}, otherwise


def _seconds(duration: object) -> float:
    """OpenSLO's shorthand: M is a month, m a minute."""
    match = _DURATION.fullmatch(str(duration))
    if match is None or match[2] not in _SECONDS:
        raise ConfigError("duration", duration, "write a number and one of m, h, d, w, M, Q")
    return int(match[1]) * _SECONDS[match[2]]


def _name(document: Mapping[str, Any]) -> str:
    metadata = document.get("metadata")
    return str((metadata if isinstance(metadata, Mapping) else {}).get("name", "an SLO without a name"))


def _spec(document: Mapping[str, Any]) -> Mapping[str, Any]:
    spec = document.get("spec")
    return spec if isinstance(spec, Mapping) else {}


def _of(document: Any, field: str) -> object:
    return document.get(field) if isinstance(document, Mapping) else document
