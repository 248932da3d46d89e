"""`penstock coordinate`: what it says of files and tokens before it begins."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from penstock.web.agents_door import agent_tokens, new_agent_token
from tests.cli.calling import penstock
from tests.patience import patience_s

pytestmark = pytest.mark.sockets


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    file = tmp_path / "fleet.yaml"
    file.write_text(yaml.safe_dump({"cluster": {"cores": 8}}))
    return file


def test_a_token_is_shown_once_and_only_its_hash_is_kept(fleet: Path) -> None:
    kept = fleet.with_name("tokens.json")
    done = penstock("coordinate", str(fleet), "--agent-tokens", str(kept), "--new-token", "team-a/*")
    token = done.stdout.strip()
    assert (done.returncode, token.startswith("agent-")) == (0, True)
    assert token not in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0
    assert agent_tokens(kept).pattern_of(f"Bearer {token}") == "team-a/*"
    assert agent_tokens(kept).pattern_of("Bearer agent-other") is None


def test_tokens_are_added_to_those_there_are(tmp_path: Path) -> None:
    for name in ("fraud", "clicks"):
        new_agent_token(tmp_path / "tokens.json", name)
    assert sorted(json.loads((tmp_path / "tokens.json").read_text()).values()) == ["clicks", "fraud"]


def test_a_wrong_fleet_file_is_told_in_a_line_and_nothing_begins(fleet: Path) -> None:
    fleet.write_text("cluster: {cores: none}\n")
    done = penstock("coordinate", str(fleet))
    assert done.returncode == 2
    assert "fleet.yaml:1:18: cluster.cores: 'none' cannot be used" in done.stderr


def test_an_agents_port_that_is_taken_is_told(fleet: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        done = penstock("coordinate", str(fleet), "--agents-port", place.rpartition(":")[2])
    assert done.returncode == 2
    assert f"--agents-port: '{place}' cannot be used; it cannot be listened on" in done.stderr


def test_an_address_of_another_machine_is_told_as_such(fleet: Path) -> None:
    done = penstock("coordinate", str(fleet), "--agents-host", "192.0.2.1")
    assert done.returncode == 2
    assert "--agents-host: '192.0.2.1' cannot be used; write a name or an address of this machine" in done.stderr


def test_cycles_of_objects_are_looked_for_seldom_and_are_found() -> None:
    """In a process of its own: the tests' own is not to be changed."""
    lines = (
        "import gc, weakref",
        "from penstock.cli.coordinate import collect_seldom",
        "usual = gc.get_threshold()[0]",
        "collect_seldom()",
        "class Looped: pass",
        "one = Looped(); one.own = one; gone = weakref.ref(one); del one",
        "kept = [[] for _ in range(10 * usual)]; assert gone() is not None",
        "kept = [[] for _ in range(100 * usual)]; assert gone() is None",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=patience_s()
    )
    assert (done.returncode, done.stderr) == (0, "")
