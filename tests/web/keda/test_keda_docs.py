"""The ScaledObject that the documentation shows is one that penstock answers, where the chart serves it."""

import re
from pathlib import Path
from typing import Any

import yaml

from penstock.web.keda.answers import KEYS, asked_by

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")


def shown() -> Any:
    (found,) = (block for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "kind: ScaledObject" in block)
    return yaml.safe_load(found)


def test_its_trigger_asks_what_can_be_answered() -> None:
    (trigger,) = shown()["spec"]["triggers"]
    assert (trigger["type"], trigger["metricType"]) == ("external", "AverageValue")
    asked = asked_by(trigger["metadata"])
    assert (asked.kind, asked.name, asked.count, asked.per_replica) == ("fleet", "streams", "needed", 4.0)
    assert asked.token == "PENSTOCK_KEDA_TOKEN"  # here its variable's name, which KEDA replaces


def test_every_word_of_metadata_is_told() -> None:
    section = PAGE.split("## KEDA")[1].split("\n## ")[0]
    assert [key for key in KEYS if f"`{key}`" not in section] == ["token"]  # told to nobody: it would stand in the open


def test_its_address_is_that_of_the_charts_service() -> None:
    (trigger,) = shown()["spec"]["triggers"]
    host, port = trigger["metadata"]["scalerAddress"].split(":")
    service = (ROOT / "deploy" / "helm" / "penstock" / "templates" / "coordinator.yaml").read_text(encoding="utf-8")
    assert f"- name: keda\n      port: {port}\n" in service
    assert host == f"fleet-coordinator.{shown()['metadata']['namespace']}"
    assert "fleet-coordinator" in PAGE  # of `helm install fleet`
