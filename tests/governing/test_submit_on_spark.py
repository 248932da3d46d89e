"""`penstock submit` on a real standalone cluster: an application for each tenant, and Ctrl-C ends them all."""

import subprocess
from pathlib import Path
from signal import SIGINT

import pytest

from penstock.engines.applications.cluster import Room
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.local.spark import standalone
from tests.cli.calling import ROOT, command, environment
from tests.governing.shop import NAMES, shop
from tests.harness.ports import own_port
from tests.patience import eventually

pytestmark = [pytest.mark.cluster, pytest.mark.long]


def test_each_tenant_has_executors_of_its_own_until_ctrl_c(tmp_path: Path) -> None:
    state = tmp_path / "cluster.json"
    cluster = standalone.up(state, workers=2, cores=2, memory="1g", port=own_port())
    try:
        page = StandaloneCluster(eventually(lambda: standalone.page_of(state)))
        given = ["submit", str(shop(tmp_path)), "--master", cluster.master, "--logs", str(tmp_path / "logs")]
        with (tmp_path / "submit.log").open("wb") as log:
            submit = subprocess.Popen(command(*given), cwd=ROOT, env=environment(), stdout=log, stderr=log)
        try:
            # Three executors: two for the two that are together, one for the third.
            eventually(lambda: sorted(_room(page).held.values()) == [1, 2])
            eventually(lambda: all(any((tmp_path / "checkpoints" / name).iterdir()) for name in NAMES))
            submit.send_signal(SIGINT)
            assert submit.wait(180.0) == 130
        finally:
            submit.kill()
        eventually(lambda: not _room(page).held)
        assert sorted(log.stem for log in (tmp_path / "logs").iterdir()) == ["shop.ads", "shop.etl"]
    finally:
        standalone.down(state)


def _room(page: StandaloneCluster) -> Room:
    return page.room()
