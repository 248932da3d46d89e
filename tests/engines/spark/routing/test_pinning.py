"""Pinned partitions on a standalone cluster: they stay, and a lost executor's find another."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.engines.spark import standalone
from tests.engines.spark.test_cluster import ROOT, free_port


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[standalone.Cluster]:
    state = tmp_path_factory.mktemp("cluster") / "cluster.json"
    yield standalone.up(state, workers=2, cores=1, port=free_port())
    standalone.down(state)


def test_partitions_are_pinned_kept_through_a_loss_and_counted_exactly(
    cluster: standalone.Cluster, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tests.engines.spark.routing.on_cluster", cluster.master, str(tmp_path / "town")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    lost = found["first"]["0"]
    assert len(set(found["first"].values())) == 2
    assert found["second"]["1"] == found["first"]["1"]
    assert found["second"]["0"] not in (lost, found["second"]["1"])
