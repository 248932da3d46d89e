"""What a driver finds out by itself of a cluster's secret: from the files of its own user, and from nobody else's."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from penstock.errors import ConfigError
from penstock.local import processes
from penstock.local.spark import secret
from tests.harness.ports import own_port
from tests.patience import eventually

PORT = own_port()  # what another worker's tests start looks like a master of theirs
MASTER = f"spark://127.0.0.1:{PORT}"
Masters = Callable[[Path], None]


@pytest.fixture
def started() -> Iterator[Masters]:
    """Starts programs that look as a master with that file of settings does to all users."""
    with ExitStack() as stack:

        def start(file: Path) -> None:
            told = ["--properties-file", str(file), "--host", "127.0.0.1", "--port", str(PORT)]
            command = [sys.executable, "-c", "input()", "org.apache.spark.deploy.master.Master", *told]
            process = stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))
            stack.callback(process.kill)
            eventually(lambda: str(file) in processes.command_of(process.pid))

        yield start


def test_a_closed_clusters_secret_is_new_each_time_and_for_its_owner_alone(tmp_path: Path, started: Masters) -> None:
    file = tmp_path / "cluster" / "cluster.closed.properties"
    secret.write_settings(file, {})
    started(file)
    first = secret.settings_for(MASTER)
    assert set(first) == {"spark.authenticate", "spark.authenticate.secret"}
    assert (stat.S_IMODE(file.stat().st_mode), len(first["spark.authenticate.secret"])) == (0o600, 64)
    secret.write_settings(file, {})
    assert secret.settings_for(MASTER) != first


def test_of_another_master_nothing_is_said(tmp_path: Path, started: Masters) -> None:
    secret.write_settings(tmp_path / "cluster.closed.properties", {})
    started(tmp_path / "cluster.closed.properties")
    assert secret.settings_for(f"spark://127.0.0.1:{own_port()}") == {}
    assert secret.settings_for("local[2]") == {}


def test_an_open_cluster_needs_no_secret(tmp_path: Path, started: Masters) -> None:
    secret.write_settings(tmp_path / "cluster.properties", {})
    started(tmp_path / "cluster.properties")
    assert secret.settings_for(MASTER) == {}


@pytest.mark.parametrize("mode", [0o644, 0o620])
def test_what_others_may_read_or_write_is_no_secret(tmp_path: Path, started: Masters, mode: int) -> None:
    file = tmp_path / "cluster.closed.properties"
    secret.write_settings(file, {})
    file.chmod(mode)
    started(file)
    with pytest.raises(ConfigError, match="another user's cluster"):
        secret.settings_for(MASTER)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_another_users_file_is_not_taken_for_ours(tmp_path: Path, started: Masters) -> None:
    file = tmp_path / "cluster.closed.properties"
    secret.write_settings(file, {})
    os.chown(file, 65534, 65534)
    started(file)
    with pytest.raises(ConfigError, match="another user's cluster"):
        secret.settings_for(MASTER)


def test_a_file_that_is_gone_tells_nothing(tmp_path: Path, started: Masters) -> None:
    started(tmp_path / "cluster.closed.properties")
    with pytest.raises(ConfigError, match="another user's cluster"):
        secret.settings_for(MASTER)
