"""A standalone cluster: up, used, and down to the last process; on hosts of their own where the system permits that."""

import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
import pytest

from penstock.engines.applications.standalone import StandaloneCluster
from penstock.errors import ConfigError, EngineError
from penstock.local.processes import Process
from penstock.local.spark import standalone
from penstock.local.spark.standalone import StartedCluster
from tests.drivers import told_by
from tests.engines.spark.namespaces import REFUSAL, left_of
from tests.harness.ports import own_port
from tests.patience import patiently


@dataclass(frozen=True, slots=True)
class Story:
    """One cluster from up to down: JVMs cost more than anything else here, so that all tests look at the same."""

    cluster: StartedCluster
    refusal: str  # of a second one
    settings_mode: int  # of the file with the cluster's secret
    stranger: str  # what a program without the secret is told that wants to end a driver there
    driver: Any  # what one driver tells of all that happened to its executors
    shown_in: list[str]  # the files but its own in which the secret can be read then
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
        settings = standalone.settings_of(state)
        assert settings is not None
        mode, stranger = stat.S_IMODE(settings.stat().st_mode), stranger_at(cluster.master)
        told = told_by("tests.engines.spark.on_cluster", cluster.master, tmp_path_factory.mktemp("driver"))
        shown_in = files_with(settings.read_text().split()[-1], state.parent, settings)
        ended = standalone.down(state), standalone.down(state)
        return Story(cluster, str(refused.value), mode, stranger, told, shown_in, *ended)
    finally:
        standalone.down(state)


def stranger_at(master: str) -> str:
    """Spark's own client of standalone masters, which can have them run anything, without our settings."""
    client = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), "org.apache.spark.deploy.Client"]
    done = subprocess.run([*client, "kill", master, "driver-0"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def files_with(secret: str, place: Path, but: Path) -> list[str]:
    files = (file for file in place.rglob("*") if file.is_file() and file != but)
    return [str(file) for file in files if secret.encode() in file.read_bytes()]


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
    # Executors, the one that joined among them, found penstock's class.
    assert (found["counted"] > 0, found["wrong"], found["salts_called"]) == (True, {}, True)
    assert any("state partitions sent to their executors" in text for text in found["deeds"])
    assert found["errors"] == [None] * 3  # the same number twice is as once


@pytest.mark.cluster
def test_an_executor_that_is_let_go_of_ends_its_tasks_and_sends_its_blocks_and_shuffle_files_away_first(
    story: Story,
) -> None:
    found = story.driver["left"]
    assert found["moves_first"]
    assert found["asked"] == [0, 0, 0]  # no task was done again
    assert found["cached"][:2] == [6, 6]
    assert found["mapped"][:2] == [3, 3]  # what it had written for a shuffle was read elsewhere


@pytest.mark.cluster
def test_an_executor_that_did_not_leave_in_time_is_ended_and_its_task_is_done_again(story: Story) -> None:
    found = story.driver["left"]
    assert sorted(found["ended"]) == [0, 1]  # what it had written was sent away in time, or was made again


@pytest.mark.cluster
def test_who_has_not_its_secret_is_not_heard(story: Story) -> None:
    assert story.settings_mode == 0o600
    assert "driver-0" not in story.stranger  # to others the master says that there is no such driver
    assert "Exception" in story.stranger


@pytest.mark.cluster
def test_the_secret_is_on_no_command_line_and_in_no_log(story: Story) -> None:
    assert (story.driver["secret_is_shown_by"], story.shown_in) == ([], [])


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


@pytest.mark.cluster
@pytest.mark.long
def test_a_master_that_was_killed_and_is_started_again_ends_no_executor(tmp_path: Path) -> None:
    patiently(standalone)
    state = tmp_path / "cluster.json"
    try:
        cluster = standalone.up(state, workers=1, cores=2, memory="2g", port=own_port())
        remembered = standalone._remembered(state)
        assert stat.S_IMODE(remembered.stat().st_mode) == 0o700
        found = told_by("tests.engines.spark.on_lost_master", cluster.master, tmp_path / "again.log")
        assert set(found["after"]) <= set(found["before"])
        # A coordinator's file names the page of the one before.
        assert StandaloneCluster(standalone.page_of(state) or "").room().cores == 2
        assert remembered.is_dir()
    finally:
        standalone.down(state)
    assert not remembered.exists()  # another cluster of that name begins without its applications


def test_a_process_that_only_has_the_same_number_is_left_alone(tmp_path: Path) -> None:
    own = Process("master", os.getpid(), ticks=1)
    standalone._file(tmp_path / "cluster.json").write(StartedCluster("spark://127.0.0.1:1", 1, (own,)))
    assert standalone.down(tmp_path / "cluster.json") == ()


def test_a_file_that_is_no_state_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("buy milk")
    with pytest.raises(ConfigError, match="no cluster's state file"):
        standalone.status(tmp_path / "notes")
