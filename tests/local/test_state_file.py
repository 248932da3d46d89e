"""State files: what was noted is read again, whole or not at all, by each of those that keep one."""

import os
from pathlib import Path
from typing import Any

import pytest

from penstock.errors import ConfigError
from penstock.local.kafka import broker
from penstock.local.kafka.broker import Broker
from penstock.local.processes import Process
from penstock.local.spark import standalone
from penstock.local.spark.hosts import Host, Net
from penstock.local.spark.standalone import StartedCluster
from penstock.local.state_file import StateFile, default_place
from penstock.local.yarn import cluster as yarn
from penstock.local.yarn.cluster import Yarn

MASTER = Process("master", 17, 4711)
NET = Net("pkbr", "10.0.0.1", "1gbit", (Host("pk0", "pkl0", "10.0.0.2"),))
KEPT = [
    (StartedCluster("spark://127.0.0.1:7077", 2, (MASTER,), NET), standalone),
    (Yarn("http://127.0.0.1:8088", "/tmp/yarn", (MASTER, MASTER)), yarn),
    (Broker(9092, 9093, 4, Path("/tmp/kafka"), MASTER), broker),
    (Broker(9092, 9093, 4, Path("/tmp/kafka")), broker),
]


@pytest.mark.parametrize(("value", "keeper"), KEPT)
def test_what_was_noted_is_what_status_says(value: Any, keeper: Any, tmp_path: Path) -> None:
    place = tmp_path / "new" / "state.json"
    assert keeper.status(place) is None
    StateFile(place, type(value), "thing").write(value)
    assert keeper.status(place) == value
    StateFile(place, type(value), "thing").remove()
    assert keeper.status(place) is None


def test_a_note_changes_what_is_named_and_hands_it_back(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "yarn.json", Yarn, "YARN")
    known = file.note(file.write(Yarn("http://one", "/here")), processes=(MASTER,))
    assert known == file.read() == Yarn("http://one", "/here", (MASTER,))


def test_nobody_else_reads_what_is_noted(tmp_path: Path) -> None:
    """Command lines are, and the address of a store may hold a password."""
    file = StateFile(tmp_path / "thing.json", str, "thing")
    file.write("--store postgresql://me:secret@db/runs")
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_one_that_cannot_be_written_to_its_end_leaves_what_was_noted_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = StateFile(tmp_path / "yarn.json", Yarn, "YARN")
    known = file.write(Yarn("http://one", "/here", (MASTER,)))

    def killed(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        file.note(known, processes=(MASTER, MASTER))
    assert file.read() == known


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("buy milk", r"no YARN's state file \(it: Invalid JSON"),
        ("{}", r"no YARN's state file \(page: Field required\); name another"),
        ('{"page": "", "place": "", "processes": [{"role": "x"}]}', r"\(processes.0.pid: Field required\)"),
    ],
)
def test_another_file_is_refused_with_what_is_wrong(raw: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text(raw)
    with pytest.raises(ConfigError, match=told):
        StateFile(tmp_path / "notes", Yarn, "YARN").read()


def test_its_place_is_the_users_own_unless_the_system_names_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", f"{os.sep}state")
    assert default_place("kafka") == Path("/state/penstock/kafka.json")
    monkeypatch.delenv("XDG_STATE_HOME")
    assert default_place("kafka") == Path.home() / ".local" / "state" / "penstock" / "kafka.json"


def test_a_place_that_cannot_be_written_is_told_with_the_file_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "no-folder").touch()
    file = StateFile(tmp_path / "no-folder" / "state.json", str, "thing")
    with pytest.raises(ConfigError, match=r"state: '.*state.json' cannot be used; make it writable, with room for it"):
        file.write("noted")
