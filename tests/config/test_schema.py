"""The JSON Schema for editors: what ships is what the fields say, and it takes and refuses what penstock does."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from penstock.config.schema import SENTENCES, SHIPPED, tenants_schema, text
from penstock.config.tenants import read_tenants

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "examples").glob("*.yaml"), *(ROOT / "workloads").glob("*.yaml")])
JOB = {"name": "ads", "job": "m:f", "intent": {"latency": "2s"}}


def test_the_schema_that_ships_is_that_of_the_fields() -> None:
    assert SHIPPED.read_text(encoding="utf-8") == text(), "run: python scripts/reference.py"


def test_every_field_has_a_sentence() -> None:
    schema = tenants_schema()
    parts = {"TenantsFile": schema, **schema["$defs"]}
    assert {part: set(parts[part]["properties"]) for part in parts} == {
        part: set(sentences) for part, sentences in SENTENCES.items()
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_files_that_ship_are_right_by_the_schema_and_by_penstock(path: Path) -> None:
    Draft202012Validator(tenants_schema()).validate(yaml.safe_load(path.read_text()))
    read_tenants(path)


@pytest.mark.parametrize(
    "change",
    [
        {"intervall": "2s"},
        {"interval": "soon"},
        {"policy": "hengge"},
        {"settings": {"henge": {"reductoin": 0.5}}},
        {"settings": {"henge": {"reduction": "half"}}},
        {"executors": 0},
        {"executor_memory": "lots"},
        {"jobs": [{**JOB, "job": "shop.jobs.fraud"}]},
        {"jobs": [{**JOB, "intent": {"latncy": "2s"}}]},
        {"jobs": []},
    ],
)
def test_what_penstock_refuses_is_red_in_the_editor(change: dict[str, Any]) -> None:
    assert not Draft202012Validator(tenants_schema()).is_valid({"jobs": [JOB], **change})


@pytest.mark.parametrize(
    "change",
    [
        {"interval": 2, "window": "1 h"},
        {"executor_memory": "2g"},
        {"models": {"ads": "linear"}},
        {"settings": {"penstock": {"henge": {"reduction": 0.7}, "memory": "act"}}},
        {"jobs": [{**JOB, "intent": [{"latency": 2}, {"juice": 0.9}]}]},
    ],
)
def test_every_way_to_write_it_is_right_in_the_editor(change: dict[str, Any]) -> None:
    Draft202012Validator(tenants_schema()).validate({"jobs": [JOB], **change})
