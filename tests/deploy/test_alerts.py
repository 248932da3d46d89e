"""The alert rules speak of metrics that there are; what they say when is tested by promtool, see `make alerts`."""

import re
from pathlib import Path

import yaml

from penstock.core.plan import Reason

ROOT = Path(__file__).parents[2]
GROUPS = yaml.safe_load((ROOT / "deploy/prometheus/penstock.rules.yml").read_text())["groups"]
RULES = [rule for group in GROUPS for rule in group["rules"]]
ALERTS = {rule["alert"]: rule for rule in RULES if "alert" in rule}
TESTS = yaml.safe_load((ROOT / "deploy/prometheus/penstock.rules.test.yml").read_text())["tests"]


def test_rules_name_metrics_and_reasons_that_there_are() -> None:
    documented = set(
        re.findall(r"^\| `(penstock_\w+)`", (ROOT / "docs/reference/metrics.md").read_text(), re.MULTILINE)
    )
    asked = {name for rule in RULES for name in re.findall(r"\bpenstock_\w+", rule["expr"])}
    assert asked <= documented
    reasons = {reason for rule in RULES for reason in re.findall(r'reason="(\w+)"', rule["expr"])}
    assert reasons <= {reason.value for reason in Reason}


def test_every_alert_is_tested_told_in_words_and_documented() -> None:
    tested = {case["alertname"] for test in TESTS for case in test["alert_rule_test"] if case["exp_alerts"]}
    assert tested == set(ALERTS)
    assert all({"summary", "description"} == set(rule["annotations"]) for rule in ALERTS.values())
    told = (ROOT / "docs/metrics.md").read_text()
    assert all(f"`{name}`" in told for name in ALERTS)
