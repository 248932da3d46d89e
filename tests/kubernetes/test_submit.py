"""`penstock submit` on `penstock cluster up --kubernetes`: executors are pods of an application for each tenant."""

import subprocess
from pathlib import Path
from signal import SIGINT

import pytest

from penstock.engines.applications.kubernetes import KubernetesCluster
from tests.cli.calling import ROOT, command, environment
from tests.governing.shop import NAMES, shop
from tests.kubernetes.here import Here
from tests.patience import eventually

pytestmark = pytest.mark.kubernetes


def test_each_tenant_has_pods_of_its_own_until_ctrl_c_which_leaves_none(here: Here, tmp_path: Path) -> None:
    room = KubernetesCluster(here.kubernetes.admin, "default")
    given = ["submit", str(shop(tmp_path)), "--master", f"k8s://{here.found.server}", "--logs", str(tmp_path / "logs")]
    environ = {**environment(), **here.found.environment}
    with (tmp_path / "submit.log").open("wb") as log:
        submit = subprocess.Popen(command(*given), cwd=ROOT, env=environ, stdout=log, stderr=log)
    try:
        # Three executors: two for the two that are together, one for the third.
        eventually(lambda: sorted(room.room().held.values()) == [1, 2] and here.running() == 3)
        eventually(lambda: all((tmp_path / "checkpoints" / name / "commits" / "1").exists() for name in NAMES))
        submit.send_signal(SIGINT)
        assert submit.wait() == 130
    finally:
        submit.kill()
    eventually(lambda: not room.room().held and here.running() == 0)
