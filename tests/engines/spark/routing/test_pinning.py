"""On a cluster the engine keeps equal partitions of a routed query together, through a loss and through growth."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark import standalone
from penstock.engines.spark.jobs import start_query
from penstock.engines.spark.routing.pinning import Pinning
from tests.engines.spark.routing.town import Town, by_region
from tests.engines.spark.test_cluster import free_port
from tests.patience import eventually

pytestmark = pytest.mark.cluster

ROOT = Path(__file__).parents[4]


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    state = tmp_path / "cluster.json"
    yield standalone.up(state, workers=3, cores=1, port=free_port()).master
    standalone.down(state)


def test_equal_partitions_share_an_executor_and_do_so_again_after_one_was_lost_and_one_joined(
    master: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tests.engines.spark.routing.on_pins", master, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    stayed = {partition for partition, home in found["before"].items() if home != found["lost"]}
    assert {partition for partition, home in found["after"].items() if home == found["before"][partition]} == stayed
    moved = {partition for partition, home in found["grown"].items() if home != found["after"][partition]}
    joined = {found["grown"][partition] for partition in moved}
    assert (len(moved), len(joined), joined & set(found["after"].values())) == (2, 1, set())
    assert (found["counted"] > 0, found["wrong"]) == (True, {})
    assert any("state partitions sent to their executors" in text for text in found["deeds"])


def test_one_executor_has_all_partitions_and_nothing_is_pinned(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    query = start_query(spark, town.job(by_region, processingTime="100 milliseconds"))
    eventually(lambda: query.lastProgress)
    held = Pinning(spark).hold(query)
    assert (held.placement, held.repinned) == ({}, 0)
    assert {partition: home.id for partition, home in held.homes.items()} == {0: "driver", 1: "driver"}
    query.stop()
