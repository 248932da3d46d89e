"""A standalone cluster on loopback: up, used, and down to the last process."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.engines import processes
from penstock.engines.processes import Process
from penstock.engines.spark import standalone
from penstock.errors import ConfigError, EngineError
from tests.drivers import told_by


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("cluster") / "cluster.json"
    standalone.up(place, workers=3, cores=1, port=processes.free_port())
    yield place
    standalone.down(place)


@pytest.fixture(scope="module")
def happened(state: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What one driver tells of all that happened to its executors: JVMs cost more than anything else here."""
    cluster = standalone.status(state)
    assert cluster is not None
    return told_by("tests.engines.spark.on_cluster", cluster.master, tmp_path_factory.mktemp("driver"))


def test_counts_are_exact_after_shares_moved_an_executor_was_lost_state_was_moved_and_the_controller_crashed(
    happened: Any,
) -> None:
    found = happened["counted"]
    assert found["errors"] == [None] * 6
    assert found["equal"] is True


def test_equal_partitions_share_an_executor_and_do_so_again_after_one_was_lost_and_one_joined(happened: Any) -> None:
    found = happened["pinned"]
    (lost,) = found["lost"]
    stayed = {partition for partition, home in found["before"].items() if home != lost}
    assert {partition for partition, home in found["after"].items() if home == found["before"][partition]} == stayed
    moved = {partition for partition, home in found["grown"].items() if home != found["after"][partition]}
    joined = {found["grown"][partition] for partition in moved}
    assert (len(moved), len(joined), joined & set(found["after"].values())) == (2, 1, set())
    assert (found["counted"] > 0, found["wrong"]) == (True, {})


def test_a_second_cluster_in_the_same_state_file_is_refused(state: Path) -> None:
    with pytest.raises(EngineError, match="a cluster runs already"):
        standalone.up(state, workers=1, cores=1, port=processes.free_port())


def test_down_ends_what_up_started_and_only_that(state: Path) -> None:
    cluster = standalone.status(state)
    assert cluster is not None
    assert [process.role for process in cluster.processes] == ["master", *(f"worker 127.0.0.{n}" for n in (11, 12, 13))]
    assert len(standalone.down(state)) == 4
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
