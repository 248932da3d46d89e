"""A standalone cluster: up, used, and down to the last process; on hosts of their own where the system permits that."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penstock.engines.processes import Process
from penstock.engines.spark import standalone
from penstock.engines.spark.standalone import StartedCluster
from penstock.errors import ConfigError, EngineError
from tests.drivers import told_by
from tests.engines.spark.namespaces import REFUSAL, left_of
from tests.harness.ports import own_port
from tests.patience import patiently


@dataclass(frozen=True, slots=True)
class Story:
    """One cluster from up to down: JVMs cost more than anything else here, so that all tests look at the same."""

    cluster: StartedCluster
    refusal: str  # of a second one
    driver: Any  # what one driver tells of all that happened to its executors
    ended: tuple[Process, ...]
    ended_again: tuple[Process, ...]

    @property
    def hosts(self) -> list[str]:
        """The addresses of its two workers."""
        net = self.cluster.net
        return ["127.0.0.11", "127.0.0.12"] if net is None else [host.address for host in net.hosts]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    patiently(standalone)
    state = tmp_path_factory.mktemp("cluster") / "cluster.json"
    # The usual port: on its new address it is free, even if a gateway to other networks answers there before.
    port, bandwidth = (7077, "1gbit") if REFUSAL is None else (own_port(), None)
    try:
        cluster = standalone.up(state, workers=2, cores=2, memory="1g", port=port, bandwidth=bandwidth)
        with pytest.raises(EngineError) as refused:
            standalone.up(state, workers=1, cores=1, port=own_port())
        told = told_by("tests.engines.spark.on_cluster", cluster.master, tmp_path_factory.mktemp("driver"))
        return Story(cluster, str(refused.value), told, standalone.down(state), standalone.down(state))
    finally:
        standalone.down(state)


@pytest.mark.cluster
def test_counts_are_exact_after_shares_moved_an_executor_was_lost_state_was_moved_and_the_controller_crashed(
    story: Story,
) -> None:
    found = story.driver["counted"]
    assert found["errors"] == [None] * 3
    assert found["equal"] is True
    assert found["replaced"] is True


@pytest.mark.cluster
def test_executors_are_on_the_workers_hosts_and_nothing_is_left_of_these_after_the_end(story: Story) -> None:
    assert story.driver["hosts"] == story.hosts
    assert story.cluster.net is None or left_of(story.cluster.net) == []


@pytest.mark.cluster
def test_equal_partitions_share_an_executor_and_do_so_again_after_one_was_lost_and_one_joined(story: Story) -> None:
    found = story.driver["pinned"]
    (lost,) = found["lost"]
    stayed = {partition for partition, home in found["before"].items() if home != lost}
    assert {partition for partition, home in found["after"].items() if home == found["before"][partition]} == stayed
    moved = {partition for partition, home in found["grown"].items() if home != found["after"][partition]}
    joined = {found["grown"][partition] for partition in moved}
    assert (len(moved), len(joined), joined & set(found["after"].values())) == (2, 1, set())
    assert (found["counted"] > 0, found["wrong"]) == (True, {})
    assert any("state partitions sent to their executors" in text for text in found["deeds"])
    assert found["errors"] == [None] * 3  # the same number twice is as once


@pytest.mark.cluster
def test_a_second_cluster_in_the_same_state_file_is_refused(story: Story) -> None:
    assert "a cluster runs already" in story.refusal


@pytest.mark.cluster
def test_down_ends_what_up_started_and_only_that(story: Story) -> None:
    started = story.cluster.processes
    assert [process.role for process in started] == ["master", *(f"worker {host}" for host in story.hosts)]
    assert story.ended == started
    assert not any(process.alive for process in started)
    assert story.ended_again == ()


def test_a_process_that_only_has_the_same_number_is_left_alone(tmp_path: Path) -> None:
    own = Process("master", os.getpid(), ticks=1)
    standalone._save(tmp_path / "cluster.json", StartedCluster("spark://127.0.0.1:1", 1, (own,)))
    assert standalone.down(tmp_path / "cluster.json") == ()


def test_a_file_that_is_no_state_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("buy milk")
    with pytest.raises(ConfigError, match="no cluster's state file"):
        standalone.status(tmp_path / "notes")
