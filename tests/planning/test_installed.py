"""Somebody else's policy: installed beside penstock, it is chosen by its name, checked, and held to limits like any."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.errors import ConfigError
from penstock.planning import installed as found
from penstock.planning.registry import POLICIES, policies, policy_named
from tests.installing import ROOT, installed_into

SCENARIO = ROOT / "scenarios" / "spark" / "urgent.yaml"


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the example's package is installed."""
    return installed_into(tmp_path_factory.mktemp("site"), ROOT / "examples" / "policy")


def penstock(beside: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = [str(beside), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    command = [sys.executable, "-c", "from penstock.cli.main import main; main()", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_it_is_listed_with_its_own_line(beside: Path) -> None:
    assert "steady     one slot more while a job misses its intent" in penstock(beside, "policies").stdout


def test_it_decides_in_a_scenario_and_helps(beside: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.yaml"
    short.write_text(yaml.safe_dump({**yaml.safe_load(SCENARIO.read_text()), "duration": "240s", "expect": []}))
    told = penstock(beside, "simulate", str(short), "--policy", "static,steady", "--json", "-")
    runs = {run["policy"]: run for run in json.loads(told.stdout)["runs"]}
    assert runs["steady"]["reconfigurations"] > 0
    assert runs["steady"]["utility_mean"] > runs["static"]["utility_mean"]


def test_its_settings_are_checked_as_all_are(beside: Path, tmp_path: Path) -> None:
    file = tmp_path / "tenants.yaml"
    jobs = "jobs: {ads: {function: os:getcwd, latency: 2s}}"
    file.write_text(f"name: shop\npolicy: steady\nsettings: {{steady: {{well_rouds: 3}}}}\n{jobs}\n")
    told = penstock(beside, "check", str(file))
    said = told.stderr + told.stdout
    assert "did you mean" in said
    assert "well_rounds" in said


class Point:
    """An entry point that leads to `what`."""

    def __init__(self, name: str, what: Any) -> None:
        self.name, self.value, self._what = name, f"acme.policies:{name.upper()}", what

    def load(self) -> Any:
        if isinstance(self._what, Exception):
            raise self._what
        return self._what


@pytest.mark.parametrize(
    ("what", "why"),
    [
        (ImportError("no module named torch"), "fix its package: ImportError: no module named torch"),
        (3, "fix its package: acme.policies:BROKEN is int; let it be a penstock.PolicyEntry"),
    ],
)
def test_one_that_cannot_be_used_says_so_when_it_is_chosen_and_hinders_no_other(
    monkeypatch: pytest.MonkeyPatch, what: object, why: str
) -> None:
    monkeypatch.setattr(found, "_points", lambda: (Point("broken", what),))
    assert policies()["broken"].about.startswith("cannot be used: ")
    with pytest.raises(ConfigError, match=why):
        policy_named("broken")
    assert policy_named("henge").name == "henge"


def test_one_with_the_name_of_one_that_ships_is_called_by_its_packages_name_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    theirs = found.PolicyEntry("another henge", lambda settings: policy_named("static"))
    monkeypatch.setattr(found, "_points", lambda: (Point("henge", theirs),))
    assert (policies()["henge"], policies()["acme.henge"]) == (POLICIES["henge"], theirs)
    assert policy_named("acme.henge").name == "static"
