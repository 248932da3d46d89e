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
        "conf": "Spark settings; they override penstock's own.",
        "executors": "On a cluster: the most executors. They follow the slots that the jobs get.",
        "executor_memory": "On a cluster: the initial heap of each executor, such as 2g.",
        "together": "Names of jobs that share a driver under `penstock submit`, or several such lists.",
        "kafka": "Whether any job reads or writes Kafka.",
        "commit_offsets": "Whether offsets are committed to the broker after each batch, as group <name>-<job>.",
        "checkpoints": "A directory for the checkpoints of all queries, by name.",
        "policy": f"The policy; `penstock policies` lists all. Default: {DEFAULT}.",
        "settings": "Settings of policies, by policy.",
        "routing": "Whether jobs with a route are left alone, advised on, or re-routed.",
        "routing_window": "The length of the windows in which key pairs are counted.",
        "routing_memory": "The half-life of counted key pairs: tables are made of about so long.",
        "price": "The price of slots. With it, pages and reports show what tenants cost.",
        "interval": "The time between two rounds of the control loop.",
        "window": "The time over which metrics are computed; at least the interval.",
        "profiles": "Profiles: a CSV file for each job.",
        "models": "Performance models: a file of `penstock plan` for each job.",
        "excluded": "Periods in which no intent applies: maintenance, backfills.",
        "jobs": "The tenants' jobs.",
    },
    "TenantPart": {
        "name": "Names the job, its pool, its query and its checkpoint.",
        "job": "module:function, which is called as (spark, **params) and returns a DataStreamWriter.",
        "route": "module:NAME of the penstock.Routing that the job groups by.",
        "params": "Parameters of the function, after the session.",
        "intent": "The job's targets, and what they are worth.",
        "budget": "How often the intent may be missed.",
        "excluded": "Periods in which its intent does not apply.",
        "min_slots": "The fewest slots that it gets.",
        "max_slots": "The most slots that it gets.",
        "slots": "Initial slots. Default: an equal share.",
        "max_rows_per_batch": "The initial bound of a batch, in rows.",
        "max_files_per_batch": "The bound of a batch, in files.",
        "trigger": "The trigger's interval, instead of the function's.",
        "partitions": "State partitions at its first start; an existing checkpoint keeps its own.",
        "real_time": "Run it in Spark's real-time mode, with batches of this length.",
        "real_time_tasks": "Tasks after each shuffle in real-time mode.",
        "restart": "How its query is restarted after a failure.",
        "approval": "Whether changes to the job need approval.",
    },
    "IntentPart": {
        "latency": "The longest time from arrival to result, such as 2s.",
        "percentile": "The percentile of the latency, such as 95. Default: the mean.",
        "juice": "The smallest share of the input to process, such as 0.9.",
        "recovery": "The longest time to recover from a failure.",
        "certainty": "The share of predicted futures that plans must cover, from 0.5 to below 1.",
        "utility": "What it is worth to meet the intent, relative to other tenants.",
        "shape": "How utility falls if the target is missed.",
        "points": "For the shape piecewise: pairs of a value and a share of the utility.",
        "zero_at": "For the shape linear: the value at which utility is zero.",
        "spread": "For the shape lognormal: how widely utility falls.",
        "hours": "The hours in which this target applies.",
    },
    "BudgetPart": {
        "keep": "The share of windows that must be good, such as 99%.",
        "windows": "How long a window is.",
        "over": "The period; it rolls.",
        "each": "The share of a window's rounds that must be good. Default: all.",
    },
    "HoursPart": {
        "from": 'The start, a time of day such as "06:00".',
        "to": "The end; on the next day if it is not after the start.",
        "days": "Days of the week on which it starts, such as mon-fri or [sat, sun]. Default: all.",
        "zone": "The time zone, such as Europe/Berlin.",
    },
    "ExcludedPart": {
        "from": "The start, such as 2026-12-24 18:00.",
        "to": "The end.",
        "zone": "The time zone of both, if they have no offset.",
        "why": "The reason, which is shown: maintenance, a backfill.",
    },
    "PricePart": {
        "slot_hour": "The price of a slot for an hour; or use executor_hour.",
        "executor_hour": "The price of an executor for an hour; its slots are spark.executor.cores in conf.",
        "currency": "The currency, such as EUR.",
    },
    "RestartPart": {
        "max_restarts": "Give up after this many failures in a row; null: never.",
        "backoff": "The wait before the first restart; it doubles.",
        "max_backoff": "The longest wait.",
    },
    "ModelsPart": {
        "plan": "A file of `penstock plan`, or the name of a built-in DAG.",
        "rate": "Expected rows per second at each source.",
        "headroom": "The planned rate, as a multiple of the expected one.",
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
