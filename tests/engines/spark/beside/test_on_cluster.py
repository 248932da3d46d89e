"""A driver in Java on a standalone cluster with a secret, whose executors load the plugin, governed from beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.engines.spark.jvm.beside.door import JAR
from penstock.local.spark import standalone
from penstock.local.spark.standalone import StartedCluster
from tests.engines.spark.beside import drivers
from tests.harness.ports import own_port
from tests.patience import patiently

pytestmark = [pytest.mark.jvm, pytest.mark.cluster, pytest.mark.long]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[StartedCluster]:
    patiently(standalone)
    state = tmp_path / "cluster.json"
    try:
        yield standalone.up(state, workers=1, cores=4, port=own_port())
    finally:
        standalone.down(state)


def test_a_share_and_a_bound_are_in_force_there(tmp_path: Path, cluster: StartedCluster) -> None:
    drivers.needs_javac()
    program, tenants = drivers.compiled(tmp_path), tmp_path / "tenants.yaml"
    tenants.write_text(drivers.TENANTS)
    settings = standalone.settings_of(tmp_path / "cluster.json")
    start = ("--properties-file", str(settings), "--master", cluster.master, "--jars", str(JAR))
    ours = ("--conf", "spark.plugins=penstock.AttachPlugin", "--class", "TwoQueries")
    with drivers.driver(tmp_path, "spark-submit", *start, *ours, str(program), str(tmp_path / "out")) as process:
        door = drivers.door(tmp_path, process)
        with drivers.attached(tmp_path, tenants, str(door.file), "--policy", "static") as governing:
            drivers.obeys(tmp_path)
            assert governing.poll() is None
