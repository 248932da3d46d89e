"""`penstock run`: a file's tenants in one application, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.config.problems import checked
from penstock.config.tenants import TenantsFile, read_tenants
from penstock.core.evidence import Observation
from penstock.errors import ConfigError
from penstock.governing.application import check_master
from penstock.governing.run import RunOptions, policy_of, run_tenants
from penstock.planning.registry import POLICIES, takes_profiles

pytestmark = pytest.mark.jvm

ROOT = Path(__file__).parents[2]
TENANTS = """
name: shop
master: local[2]
interval: 1s
window: 5s
jobs:
  - name: quick
    job: tests.governing.tenant_jobs:quick
    params: {rows_per_second: 50}
    intent: {juice: 0.5, utility: 10}
  - name: broken
    job: tests.governing.tenant_jobs:broken
    intent: {latency: 2s}
    restart: {max_restarts: 1, backoff: 100ms}
"""
MAIN = "import sys; from penstock.cli.run import run; run(sys.argv[1:])"


def penstock_run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", MAIN, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)


def test_one_tenants_broken_job_is_reported_and_the_other_is_governed(tmp_path: Path) -> None:
    (tmp_path / "tenants.yaml").write_text(TENANTS)
    done = penstock_run(str(tmp_path / "tenants.yaml"), "--for", "25s", "--json", "-")
    assert done.returncode == 0, done.stderr[-2000:]
    story = json.loads(done.stdout)
    assert story["jobs"]["broken"]["trouble"] == "given up after 2 failures; the last: no credentials"
    assert story["jobs"]["quick"]["trouble"] is None
    assert story["jobs"]["quick"]["juice"] is not None


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_that_take_profiles_get_those_of_the_file(policy: str, tmp_path: Path) -> None:
    (tmp_path / "quick.csv").write_text("scaleout,rate_rps,latency_s,saturated\n1,100,,1\n")
    (tmp_path / "tenants.yaml").write_text(f"{TENANTS}\nprofiles: {{quick: quick.csv}}")
    made = policy_of(read_tenants(tmp_path / "tenants.yaml"), RunOptions(policy, code=tmp_path))
    profiles = getattr(getattr(made, "settings", None), "profiles", None)
    assert profiles == ({"quick": (Observation(1, 100.0, saturated=True),)} if takes_profiles(policy) else None)


def test_local_masters_need_nobody_to_listen() -> None:
    check_master("local[4]")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"penstock": {"henge": {"reduction": 2}}}, "reduction: 2.0 will not do; write a share between 0 and 1"),
        ({"penstock": {"henge": {"hurry": 2}}}, "settings.penstock.henge.hurry"),
        ({"henge": {"reduction": 2}}, None),
        ({"hurry": {}}, "settings: 'hurry' will not do; choose one of fifo"),
    ],
)
def test_a_files_settings_reach_the_default_policy_before_spark_starts(settings: object, said: str | None) -> None:
    job = {"name": "quick", "job": "tests.governing.tenant_jobs:quick", "intent": {"juice": 0.5}}
    tenants = checked(TenantsFile, {"master": "nowhere", "jobs": [job], "settings": settings}, "tenants file")
    # Settings of a policy that does not decide are left alone: then it is the master that will not do.
    with pytest.raises(ConfigError, match=said or "master"):
        run_tenants(tenants, RunOptions(store=None), lambda view: None)
