"""What packages beside penstock add is found by its entry points, listed, and used by its name."""

import doctest
import importlib
import json
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml

import penstock as ps
from penstock import extending
from penstock.config.coordination import read_coordination
from penstock.governing.fleet_parts import cluster_of
from penstock.notifying.notifiers import notifier_of
from penstock.store.open import open_store
from penstock.web.samples import MetricSample
from penstock.web.sinks import MetricLines, sink_of
from tests.cli.calling import penstock
from tests.installing import ROOT, installed_into
from tests.patience import patience_s
from tests.recorded import RUN, an_acting_cycle

ACME = """
from dataclasses import dataclass
import penstock as ps

@dataclass(frozen=True)
class Nomad:
    name: str

    def room(self):
        return ps.Room((ps.Worker("one", 8, 4),))

def nomad(at):
    if not at.startswith("http"):
        raise ps.ConfigError("cluster.nomad", at, "write http://host:4646")
    return Nomad(f"nomad at {at}")

class Pager:
    def __init__(self, team):
        self.team, self.wants = team, frozenset(ps.HappeningKind)
"""
POINTS = """
[penstock.clusters]
nomad = acme:nomad

[penstock.notifiers]
pager = acme:Pager

[penstock.sinks]
lost = acme_no_more:sink
quits = acme_quits:sink
"""
Add = Callable[[Path], None]


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Has what is installed in a folder count."""

    def add(place: Path) -> None:
        monkeypatch.syspath_prepend(place)
        extending.points.cache_clear()

    yield add
    monkeypatch.undo()
    extending.points.cache_clear()
    for name in ("acme", "statsd_sink"):
        sys.modules.pop(name, None)


@pytest.fixture
def acme(tmp_path: Path, beside: Add) -> None:
    known = tmp_path / "site" / "acme-2.0.dist-info"
    known.mkdir(parents=True)
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 2.0\n")
    (known / "entry_points.txt").write_text(POINTS)
    (tmp_path / "site" / "acme.py").write_text(ACME)
    (tmp_path / "site" / "acme_quits.py").write_text("raise SystemExit(3)")
    beside(tmp_path / "site")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the example's package is installed."""
    return installed_into(tmp_path_factory.mktemp("site"), ROOT / "examples" / "sink")


@pytest.mark.usefixtures("acme")
def test_what_is_installed_is_listed_with_its_package_and_whether_it_can_be_used() -> None:
    lines = [line for line in penstock("extensions").stdout.splitlines() if "acme" in line]
    assert lines == [
        "cluster nomad: acme 2.0",
        "notifier pager: acme 2.0",
        "sink lost: acme 2.0; cannot be used: ModuleNotFoundError: No module named 'acme_no_more'",
        "sink quits: acme 2.0; cannot be used: SystemExit: 3",
    ]
    found = json.loads(penstock("extensions", "--json", "-").stdout)
    assert {"kind": "cluster", "name": "nomad", "package": "acme", "version": "2.0", "wrong": None} in found


@pytest.mark.usefixtures("acme")
def test_a_fleet_may_be_on_a_cluster_that_a_package_brings(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(yaml.safe_dump({"cluster": {"nomad": "http://here:4646"}}))
    cluster = cluster_of(read_coordination(file).cluster)
    assert (cluster.name, cluster.room().cores) == ("nomad at http://here:4646", 8)
    file.write_text(yaml.safe_dump({"cluster": {"nomad": "here"}}))
    with pytest.raises(ps.ConfigError, match="nomad: 'here' cannot be used; write http://host:4646"):
        read_coordination(file)
    file.write_text(yaml.safe_dump({"cluster": {"nomad": "http://here:4646", "cores": 3}}))
    with pytest.raises(ps.ConfigError, match="cluster: 'cores and nomad' cannot be used"):
        read_coordination(file)


@pytest.mark.usefixtures("acme")
def test_a_notifier_and_a_sink_are_known_by_the_name_of_their_entry_point() -> None:
    assert vars(notifier_of("pager:team-7"))["team"] == "team-7"
    with pytest.raises(ps.ConfigError, match="--sink: 'lost' cannot be used; fix its package"):
        sink_of("lost:anywhere")
    with pytest.raises(ps.ConfigError, match="--sink: 'quits' cannot be used; fix its package: SystemExit: 3"):
        sink_of("quits:anywhere")


def test_without_any_it_says_how_there_could_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extending, "points", lambda group: ())
    assert penstock("extensions").stdout.startswith("no installed package adds any (entry points penstock.po")


@pytest.mark.sockets
def test_the_example_sends_the_metrics_of_a_run_to_an_agent(tmp_path: Path, example: Path, beside: Add) -> None:
    beside(example)
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        store.append(an_acting_cycle(20.0))
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as agent:
        agent.bind(("127.0.0.1", 0))
        agent.settimeout(patience_s())
        with ps.serve(tmp_path / "runs.sqlite", port=0, sinks=(f"statsd:127.0.0.1:{agent.getsockname()[1]}",)):
            heard = agent.recv(2000).decode().splitlines()
    assert "penstock_utility.demo:55|g" in heard
    assert all(len(line.rsplit("|", 1)) == 2 for line in heard)


def test_the_example_is_listed_and_does_what_its_examples_say(example: Path, beside: Add) -> None:
    beside(example)
    assert "sink statsd: statsd-sink 0.1.0" in penstock("extensions").stdout.splitlines()
    assert doctest.testmod(importlib.import_module("statsd_sink")).failed == 0


@pytest.mark.parametrize(
    ("target", "remedy"),
    [
        ("otpl:http://here", "did you mean otlp?"),
        ("lines", "write otlp:http://… or the like"),
        ("lines:/nowhere/at/all", "give a file that can be written"),
        ("otlp:here:4318", "write the collector's address"),
    ],
)
def test_a_wrong_sink_is_said_with_the_remedy(target: str, remedy: str) -> None:
    with pytest.raises(ps.ConfigError) as found:
        sink_of(target)
    assert remedy in str(found.value)


def test_lines_have_a_look_each(tmp_path: Path) -> None:
    sink = sink_of(f"lines:{tmp_path / 'figures.jsonl'}")
    assert isinstance(sink, MetricLines)
    for at_s in (10.0, 25.0):
        sink.send([MetricSample("penstock_utility", 40.0, {"run": "shop"})], at_s)
    first, second = map(json.loads, sink.path.read_text().splitlines())
    assert (first["at"], second["at"]) == (10.0, 25.0)
    assert first["samples"] == [{"name": "penstock_utility", "labels": {"run": "shop"}, "value": 40.0}]


def test_a_line_is_whole_also_after_half_of_one_and_where_a_figure_never_ends(tmp_path: Path) -> None:
    file = tmp_path / "figures.jsonl"
    file.write_text('{"at": 1.0, "sam')  # a full disk broke it off
    sink_of(f"lines:{file}").send([MetricSample("penstock_job_recovery_seconds", float("inf"))], 2.0)
    half, line = file.read_text().splitlines()
    assert half == '{"at": 1.0, "sam'
    assert json.loads(line, parse_constant=pytest.fail)["samples"][0]["value"] == "Infinity"
