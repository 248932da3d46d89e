"""A driver that freezes while it governs is replaced within a minute: all limits on the way there, added up."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.engines.hand import ANSWERS_WITHIN_S
from penstock.governing.groups import LEAVES_WITHIN_S
from penstock.governing.pulse import BEAT_EVERY_S, MOVES_WITHIN_S, SILENT_AT_MOST_S
from penstock.governing.supervise import LOOK_EVERY_S, POLICY

DEPLOY = Path(__file__).parents[2] / "deploy"
WITHIN_S = 60.0
# From freezing to the first beat that is left out.
FOUND_OUT_S = {
    "Python": BEAT_EVERY_S,
    "the JVM": BEAT_EVERY_S + ANSWERS_WITHIN_S + BEAT_EVERY_S,
    "the control loop": MOVES_WITHIN_S + BEAT_EVERY_S,
}


@pytest.mark.parametrize("frozen", FOUND_OUT_S)
def test_a_supervisor_starts_the_next_driver_within_a_minute(frozen: str) -> None:
    replaced_s = SILENT_AT_MOST_S + LOOK_EVERY_S + LEAVES_WITHIN_S + POLICY.wait_s(1)
    assert FOUND_OUT_S[frozen] + replaced_s <= WITHIN_S


@pytest.mark.parametrize("frozen", FOUND_OUT_S)
def test_kubernetes_ends_a_frozen_driver_within_a_minute(frozen: str) -> None:
    probe = driver()["livenessProbe"]
    (age_min,) = re.findall(r"-mmin -([0-9.]+)", probe["exec"]["command"][-1])
    looks_s = probe["periodSeconds"] * probe["failureThreshold"] + probe["timeoutSeconds"]
    replaced_s = 60.0 * float(age_min) + looks_s + probe["terminationGracePeriodSeconds"]
    assert FOUND_OUT_S[frozen] + replaced_s <= WITHIN_S


def test_one_look_that_takes_too_long_on_a_busy_node_ends_no_driver() -> None:
    assert driver()["livenessProbe"]["failureThreshold"] > 1


@pytest.mark.parametrize(
    "file", ["kubernetes/coordinator/coordinator.yaml", "helm/penstock/templates/coordinator.yaml"]
)
def test_kubernetes_begins_to_end_a_frozen_coordinator_within_a_minute(file: str) -> None:
    # Another one leads long before: its lease is over. The chart's template is no YAML, but these lines of it are.
    (probe,) = re.findall(r"livenessProbe:\n(?:.*\n)+?( +periodSeconds(?:.*\n){3})", (DEPLOY / file).read_text())
    limits = yaml.safe_load(probe)
    looks_s = limits["periodSeconds"] * limits["failureThreshold"] + limits["timeoutSeconds"]
    assert looks_s <= WITHIN_S


def driver() -> dict[str, Any]:
    """Its container, as the manifests have it."""
    parts = yaml.safe_load_all((DEPLOY / "kubernetes" / "driver.yaml").read_text(encoding="utf-8"))
    (pods,) = [part["spec"]["template"]["spec"] for part in parts if part["kind"] == "StatefulSet"]
    container: dict[str, Any] = pods["containers"][0]
    return container
