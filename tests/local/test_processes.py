"""Processes of other programs, and the ports they listen at."""

import socket
import sys
from pathlib import Path

import pytest

from penstock.errors import EngineError
from penstock.local import processes


@pytest.mark.skipif(not Path("/proc/sys/net").exists(), reason="only Linux says which ports it gives to connections")
def test_a_free_port_is_none_that_the_kernel_gives_to_a_connection_before_somebody_listens() -> None:
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert 1024 <= processes.free_port() < first


def test_a_port_at_which_somebody_listens_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taken = listening.getsockname()[1]
        monkeypatch.setattr(processes, "_PORTS", range(taken, taken + 1))
        with pytest.raises(EngineError, match="see who listens"):
            processes.free_port()


def test_a_process_is_found_by_its_command_line_as_soon_as_it_is_started(tmp_path: Path) -> None:
    for number in range(40):
        argument = f"/{tmp_path.name}/{number}"
        command = [sys.executable, "-c", "import time; time.sleep(600)", argument]
        started = processes.start("sleeper", command, tmp_path / "log", {})
        assert processes.command_of(started.pid)[-1:] == [argument]
        processes.end(started)
