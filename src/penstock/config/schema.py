"""The JSON Schema of a tenants file, for editors: completion, a sentence for each field, and red lines while one types.

It ships as tenants.schema.json beside this file, so that `penstock check --schema` imports nothing. After a change of
the fields write it anew: python scripts/reference.py
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from penstock.config.tenants import TenantsFile
from penstock.planning.registry import DEFAULT, POLICIES

SHIPPED = Path(__file__).with_name("tenants.schema.json")

SENTENCES: Mapping[str, Mapping[str, str]] = {
    "TenantsFile": {
        "name": "The application's name; runs are recorded under it.",
        "master": "Where Spark runs: local[8], spark://host:port, yarn or k8s://...",
        "conf": "Settings of Spark, over penstock's own.",
        "executors": "On a cluster: at most so many, as many as the jobs have slots.",
        "executor_memory": "On a cluster: the heap of each executor to begin with, such as 2g.",
        "together": "Names of jobs that share a driver under `penstock submit`; or several such lists.",
        "kafka": "Whether some job reads or writes Kafka.",
        "commit_offsets": "Whether the broker is told after each batch what a job has read, as group <name>-<job>.",
        "checkpoints": "A directory; each query's checkpoint is below it, by name.",
        "policy": f"What decides; `penstock policies` lists them. By default {DEFAULT}.",
        "settings": "Settings of policies, by policy.",
        "routing": "Whether jobs with a route are left alone, advised on, or re-routed.",
        "routing_window": "Pairs of keys are told of in windows of so much time.",
        "price": "What slots cost: what tenants cost is then told.",
        "interval": "How often penstock looks and decides.",
        "window": "Figures are over so much time; not shorter than the interval.",
        "profiles": "What was profiled of jobs: a CSV file by job.",
        "models": "What a job's operators can do: a file of `penstock plan` by job.",
        "excluded": "Periods in which nothing is asked of any job: maintenance, backfills.",
        "jobs": "The tenants' jobs.",
    },
    "TenantPart": {
        "name": "Names the job, its pool, its query and its checkpoint.",
        "job": "module:function, which is called as (spark, **params) and returns a DataStreamWriter.",
        "route": "module:NAME of the penstock.Routing that the job groups by.",
        "params": "What the function takes beside the session.",
        "intent": "What is wanted of the job, and what it is worth.",
        "budget": "How often that may be missed.",
        "excluded": "Periods in which nothing is asked of it.",
        "min_slots": "Slots that it is promised.",
        "max_slots": "Slots that it may have at most.",
        "slots": "Slots to begin with; an equal share by default.",
        "max_rows_per_batch": "The most rows of a batch, to begin with.",
        "max_files_per_batch": "The most files of a batch.",
        "trigger": "How often batches begin, instead of what the function sets.",
        "partitions": "Of its state, at its first start; a checkpoint that is there keeps its own.",
        "real_time": "Asks for Spark's real-time mode, with batches of this length.",
        "real_time_tasks": "Tasks behind each of its shuffles in real-time mode.",
        "restart": "How its query comes back after it died.",
        "approval": "Whether penstock asks before it does anything to the job.",
    },
    "IntentPart": {
        "latency": "At most so long from arrival to result, such as 2s.",
        "percentile": "Of latency, such as 95; the mean without it.",
        "juice": "At least this share of the input processed, such as 0.9.",
        "recovery": "Back to normal so soon after a failure.",
        "certainty": "The share of all futures that plans are to cover, from 0.5 to below 1.",
        "utility": "What it is worth to have all of it, beside the other tenants.",
        "shape": "How utility falls when the target is missed.",
        "points": "Of the shape piecewise: pairs of a value and a share of the utility.",
        "zero_at": "Of the shape linear: where the utility is nothing.",
        "spread": "Of the shape lognormal: how widely utility falls.",
        "hours": "When this target holds; at other times nothing is asked.",
    },
    "BudgetPart": {
        "keep": "The share of windows that is to be good, such as 99%.",
        "windows": "How long a window is.",
        "over": "The period; it rolls.",
        "each": "The share of a window's looks that makes it good; all of them by default.",
    },
    "HoursPart": {
        "from": 'From this time of day on, such as "06:00".',
        "to": "Until this one; on the next day where it is not after from.",
        "days": "Days of the week on which it begins, such as mon-fri or [sat, sun]; all by default.",
        "zone": "The time zone whose clocks count, such as Europe/Berlin.",
    },
    "ExcludedPart": {
        "from": "When it begins, such as 2026-12-24 18:00.",
        "to": "When it ends.",
        "zone": "The time zone of both, where they name no offset.",
        "why": "What for: maintenance, a backfill. It is shown.",
    },
    "PricePart": {
        "slot_hour": "An hour of one slot; or executor_hour.",
        "executor_hour": "An hour of an executor; its slots are spark.executor.cores of conf.",
        "currency": "Told behind amounts, such as EUR.",
    },
    "RestartPart": {
        "max_restarts": "After so many failures in a row it is given up; null: never.",
        "backoff": "The wait before the first start; it doubles.",
        "max_backoff": "The longest wait.",
    },
    "ModelsPart": {
        "plan": "A file of `penstock plan`, or a DAG that ships.",
        "rate": "Rows a second that are expected at each source.",
        "headroom": "Times the expected rate that is planned for.",
    },
}


def tenants_schema() -> dict[str, Any]:
    """The schema, with the policies and their settings as they are."""
    schema = TenantsFile.model_json_schema(by_alias=True)
    parts = {"TenantsFile": schema, **schema["$defs"]}
    for part, sentences in SENTENCES.items():
        for name, sentence in sentences.items():
            parts[part]["properties"][name]["description"] = sentence
    schema["properties"]["policy"] = {"enum": list(POLICIES), "description": SENTENCES["TenantsFile"]["policy"]}
    schema["properties"]["settings"] = _settings()
    title = "A tenants file of penstock"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}


def text() -> str:
    """The schema as the file has it."""
    return json.dumps(tenants_schema(), indent=1, ensure_ascii=False) + "\n"


def _settings() -> dict[str, Any]:
    by_policy = {name: _of(entry.settings) for name, entry in POLICIES.items() if entry.settings is not None}
    return {**_object(by_policy), "description": SENTENCES["TenantsFile"]["settings"]}


def _of(kind: type[Any]) -> dict[str, Any]:
    return _object({field.name: _setting(field) for field in fields(kind) if field.default is not MISSING})


def _setting(field: "Field[Any]") -> dict[str, Any]:
    if is_dataclass(field.default):
        return _of(type(field.default))
    if isinstance(field.default, int | float):
        return {"type": "integer" if isinstance(field.default, int) else "number", "default": field.default}
    if isinstance(field.default, Enum):
        return {"enum": [str(word) for word in type(field.default)], "default": str(field.default)}
    return {"type": "string", "default": str(field.default)}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}
