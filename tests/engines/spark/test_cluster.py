"""A standalone cluster on loopback: up, used, and down to the last process."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.engines.processes import Process
from penstock.engines.spark import standalone
from penstock.errors import ConfigError, EngineError

pytestmark = pytest.mark.cluster

ROOT = Path(__file__).parents[3]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("cluster") / "cluster.json"
    standalone.up(place, workers=2, cores=1, port=free_port())
    yield place
    standalone.down(place)


def test_counts_are_exact_after_shares_moved_an_executor_was_lost_state_was_moved_and_the_controller_crashed(
    state: Path, tmp_path: Path
) -> None:
    cluster = standalone.status(state)
    assert cluster is not None
    places = [str(tmp_path / name) for name in ("in", "out", "checkpoint")]
    command = [sys.executable, "-m", "tests.engines.spark.on_cluster", cluster.master, *places]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["equal"] is True
    assert found["errors"] == [None] * 6


def test_a_second_cluster_in_the_same_state_file_is_refused(state: Path) -> None:
    with pytest.raises(EngineError, match="a cluster runs already"):
        standalone.up(state, workers=1, cores=1, port=free_port())


def test_down_ends_what_up_started_and_only_that(state: Path) -> None:
    cluster = standalone.status(state)
    assert cluster is not None
    assert [process.role for process in cluster.processes] == ["master", "worker 127.0.0.11", "worker 127.0.0.12"]
    assert len(standalone.down(state)) == 3
    assert not any(process.alive for process in cluster.processes)
    assert standalone.down(state) == ()


def test_a_process_that_only_has_the_same_number_is_left_alone(tmp_path: Path) -> None:
    own = Process("master", os.getpid(), ticks=1)
    standalone._save(tmp_path / "cluster.json", standalone.Cluster("spark://127.0.0.1:1", 1, (own,)))
    assert standalone.down(tmp_path / "cluster.json") == ()


def test_a_file_that_is_no_state_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("buy milk")
    with pytest.raises(ConfigError, match="no cluster's state file"):
        standalone.status(tmp_path / "notes")
