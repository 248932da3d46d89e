"""`penstock submit` on a real standalone cluster: an application for each tenant, and Ctrl-C ends them all."""

import subprocess
from pathlib import Path
from signal import SIGINT

import pytest
import yaml

from penstock.engines.applications.cluster import Room
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.engines.spark import standalone
from tests.cli.calling import ROOT, command, environment
from tests.harness.ports import own_port
from tests.patience import eventually

pytestmark = [pytest.mark.cluster, pytest.mark.long]


def test_each_tenant_has_executors_of_its_own_until_ctrl_c(tmp_path: Path) -> None:
    state = tmp_path / "cluster.json"
    cluster = standalone.up(state, workers=2, cores=2, memory="1g", port=own_port())
    try:
        page = StandaloneCluster(eventually(lambda: standalone.page_of(state)))
        given = ["submit", str(_shop(tmp_path)), "--master", cluster.master, "--logs", str(tmp_path / "logs")]
        with (tmp_path / "submit.log").open("wb") as log:
            submit = subprocess.Popen(command(*given), cwd=ROOT, env=environment(), stdout=log, stderr=log)
        try:
            # Three executors: two for the two that are together, one for the third.
            eventually(lambda: sorted(_room(page).held.values()) == [1, 2])
            eventually(lambda: all(any((tmp_path / "checkpoints" / name).iterdir()) for name in ("ads", "bots", "etl")))
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


def _shop(place: Path) -> Path:
    job = {
        "job": "tests.governing.tenant_jobs:slow",
        "params": {"rows_per_second": 5, "row_ms": 1},
        "intent": {"latency": "5s"},
        "slots": 1,
    }
    checkpoints = place / "checkpoints"
    for name in ("ads", "bots", "etl"):
        (checkpoints / name).mkdir(parents=True)
    said = {
        "name": "shop",
        "executors": 3,
        "checkpoints": str(checkpoints),
        "together": ["ads", "bots"],
        "interval": "3s",
        "window": "15s",
        "conf": {"spark.executor.memory": "512m", "spark.sql.streaming.checkpoint.fileChecksum.enabled": False},
        "jobs": [{"name": name, **job} for name in ("ads", "bots", "etl")],
    }
    file = place / "shop.yaml"
    file.write_text(yaml.safe_dump(said))
    return file
