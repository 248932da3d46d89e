"""No command ends with exit code 0 after an error: programs of their own, a case for each sort of failure."""

import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from penstock.store.open import open_store
from tests.cli.calling import command, environment
from tests.patience import patience_s
from tests.recorded import RUN, a_cycle
from tests.simulation.small import scenario, written

FAILING = "tests.engines.toy.failing"
ENGINES = {
    "toy": "tests.engines.toy.ending:ending",
    "steady": "tests.engines.toy.engine:toy",
    "lost": "tests.no_such_module:engine",
    **{
        name: f"{FAILING}:{name}" for name in ("unmade", "left", "blind", "leaving", "unstartable", "unending", "taken")
    },
}
POLICIES = {name: f"{FAILING}:{name}" for name in ("unready", "undecided")}
SHOP = """
name: shop
checkpoints: /shared/checkpoints
executors: 2
jobs:
  - {name: ads, job: "tests.governing.tenant_jobs:slow", params: {rows_per_second: 1, row_ms: 1}, intent: {latency: 2s}}
"""
NO_ROOM = "standard output.*cannot be used; free space"
RAN = ("--for", "300ms", "--store", "{dir}/kept.sqlite")
TAKEN = "cannot be listened on"


@dataclass(frozen=True, slots=True)
class Case:
    """A command, its exit code, and what one line tells of it; `full`: nobody takes what it writes."""

    arguments: tuple[str, ...]
    code: int
    told: str
    full: bool = False


def of_toy(engine: str, *arguments: str) -> tuple[str, ...]:
    return "run", f"{{dir}}/{engine}.yaml", *(arguments or RAN)


CASES = {
    # an engine or a run that fails
    "an engine's module is gone": Case(of_toy("lost"), 2, "engine.lost: .*No module named"),
    "an engine that cannot be made": Case(of_toy("unmade"), 2, "engine.unmade: .*RuntimeError: no such world"),
    "an engine that ends the program": Case(of_toy("left"), 2, "engine.left: .*SystemExit: 0"),
    "an engine that is never seen": Case(of_toy("blind"), 5, "governing ended: .*no figures today"),
    "an engine that ends the program later": Case(of_toy("leaving"), 5, "governing ended: .*SystemExit: 0"),
    "jobs that do not start": Case(of_toy("unstartable"), 1, "governing ended: .*no room for jobs"),
    "jobs that do not end": Case(of_toy("unending"), 1, "governing ended: .*the jobs do not end"),
    "a run that is taken over": Case(of_toy("taken"), 1, "governing ended: another controller governs"),
    "a policy that never begins": Case(
        of_toy("steady", *RAN, "--policy", "unready"), 5, "governing ended: .*no policy today"
    ),
    "a policy that never decides": Case(
        of_toy("steady", *RAN, "--policy", "undecided"), 5, "governing ended: .*no decision today"
    ),
    "an interrupted run": Case(of_toy("toy", "--store", "{dir}/kept.sqlite"), 130, "^stopped$"),
    # files that cannot be read
    "run: no file": Case(("run", "{dir}/none.yaml"), 2, "tenants file: .*No such file"),
    "run: a folder": Case(("run", "{dir}"), 2, "tenants file: .*Is a directory"),
    "run: no text": Case(("run", "{dir}/no.sqlite"), 2, "zero bytes"),
    "simulate: no file": Case(("simulate", "{dir}/none.yaml"), 2, "scenario: .*No such file"),
    "serve: no scenario": Case(("serve", "--scenario", "{dir}/none.yaml"), 2, "scenario: .*No such file"),
    "serve: no tokens": Case(
        ("serve", "--store", "{dir}/runs.sqlite", "--tokens", "{dir}/no.sqlite", "--port", "0"),
        2,
        "tokens: .*no.sqlite",
    ),
    "coordinate: no file": Case(("coordinate", "{dir}/none.yaml"), 2, "fleet file: .*No such file"),
    "coordinate: no tokens": Case(
        ("coordinate", "{dir}/fleet.yaml", "--agent-tokens", "{dir}/no.sqlite", "--agents-port", "0"), 2, "agent-tokens"
    ),
    "submit: no file": Case(("submit", "{dir}/none.yaml"), 2, "tenants file: .*No such file"),
    # stores that are none
    "run: no store": Case(of_toy("toy", "--store", "{dir}/no.sqlite"), 2, "--store: .*not of SQLite"),
    "run: a folder as store": Case(of_toy("toy", "--store", "{dir}"), 2, "it is a folder"),
    "simulate: no store": Case(
        ("simulate", "{dir}/scenario.yaml", "--store", "{dir}/no.sqlite"), 2, "store: .*not of SQLite"
    ),
    "serve: no store": Case(("serve", "--store", "{dir}/no.sqlite", "--port", "0"), 2, "store: .*no database"),
    "serve: nothing recorded": Case(
        ("serve", "--store", "{dir}/none.sqlite", "--port", "0"), 2, "no runs are recorded"
    ),
    "report: no store": Case(("report", "last", "--store", "{dir}/no.sqlite"), 2, "store: .*no database"),
    "report: nothing recorded": Case(("report", "last", "--store", "{dir}/none.sqlite"), 2, "no runs are recorded"),
    "report: no such run": Case(("report", "nope", "--store", "{dir}/runs.sqlite"), 2, "run: 'nope'"),
    "explain: no store": Case(("explain", "last", "--store", "{dir}/no.sqlite"), 2, "store: .*no database"),
    "explain: nothing recorded": Case(("explain", "last", "--store", "{dir}/none.sqlite"), 2, "no runs are recorded"),
    "explain: no such run": Case(("explain", "nope", "--store", "{dir}/runs.sqlite"), 2, "run: 'nope'"),
    # ports that are somebody's
    "run: a port in use": Case(of_toy("toy", *RAN, "--dashboard", "--port", "{port}"), 2, TAKEN),
    "serve: a port in use": Case(("serve", "--store", "{dir}/runs.sqlite", "--port", "{port}"), 2, TAKEN),
    "coordinate: a port in use": Case(("coordinate", "{dir}/fleet.yaml", "--agents-port", "{port}"), 2, TAKEN),
    # output that cannot be written
    "run: no place for its results": Case(
        of_toy("toy", *RAN, "--json", "{dir}/no/x.json"), 2, "--json: .*No such file"
    ),
    "run: no room for its results": Case(of_toy("toy", *RAN, "--json", "/dev/full"), 2, "--json: .*No space left"),
    "run: nobody takes its results": Case(of_toy("toy", *RAN, "--json", "-"), 2, NO_ROOM, full=True),
    "simulate: no room": Case(("simulate", "{dir}/scenario.yaml", "--json", "/dev/full"), 2, "--json: .*No space left"),
    "simulate: nobody takes it": Case(("simulate", "{dir}/scenario.yaml", "--json", "-"), 2, NO_ROOM, full=True),
    "serve: no place for its metrics": Case(
        ("serve", "--store", "{dir}/runs.sqlite", "--port", "0", "--sink", "lines:{dir}/no/x"),
        2,
        "--sink: .*No such file",
    ),
    "report: no place": Case(
        ("report", "last", "--store", "{dir}/runs.sqlite", "--html", "{dir}/no/x.html"), 2, "--html: .*No such file"
    ),
    "report: nobody takes it": Case(("report", "last", "--store", "{dir}/runs.sqlite"), 2, NO_ROOM, full=True),
    "report: nobody takes its document": Case(
        ("report", "last", "--store", "{dir}/runs.sqlite", "--json", "-"), 2, NO_ROOM, full=True
    ),
    "explain: no room": Case(
        ("explain", "last", "--store", "{dir}/runs.sqlite", "--json", "/dev/full"), 2, "--json: .*No space left"
    ),
    "explain: nobody takes it": Case(("explain", "last", "--store", "{dir}/runs.sqlite"), 2, NO_ROOM, full=True),
    "coordinate: nobody takes a token": Case(
        ("coordinate", "{dir}/fleet.yaml", "--agent-tokens", "{dir}/t.json", "--new-token", "ads"),
        2,
        NO_ROOM,
        full=True,
    ),
    "help: nobody takes it": Case(("run", "--help"), 2, NO_ROOM, full=True),
    "submit: no folder for logs": Case(
        ("submit", "{dir}/shop.yaml", "--master", "spark://127.0.0.1:1", "--logs", "{dir}/fleet.yaml"), 2, "--logs"
    ),
    # claims that do not hold
    "simulate: a claim fails": Case(("simulate", "{dir}/claims.yaml"), 1, "it decides"),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, int]]:
    """A folder with all that the cases name, the package of the engines in their way, and a port in use."""
    known = tmp_path / "site" / "toy-1.0.dist-info"
    known.mkdir(parents=True)
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    groups = {"penstock.engines": ENGINES, "penstock.policies": POLICIES}
    points = [f"[{group}]\n" + "\n".join(f"{n} = {v}" for n, v in named.items()) for group, named in groups.items()]
    (known / "entry_points.txt").write_text("\n".join(points) + "\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PENSTOCK_STORE", raising=False)
    jobs = [{"name": "ads", "intent": {"latency": "2s"}, "params": {"rate": 100}}]
    for name in ENGINES:
        file = {"name": "shop", "engine": {name: {}}, "policy": "ds2", "interval": "50ms", "jobs": jobs}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(file))
    (tmp_path / "no.sqlite").write_bytes(b"\0nothing that anybody reads\n")
    (tmp_path / "fleet.yaml").write_text("cluster: {cores: 8}\n")
    (tmp_path / "shop.yaml").write_text(SHOP)
    written(tmp_path, scenario())
    claim = {"claim": "it decides", "policy": "static", "metric": "decisions", "at_least": 2}
    (tmp_path / "claims.yaml").write_text(yaml.safe_dump(scenario(policies=["static"], expect=[claim])))
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        store.append(a_cycle(10.0))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield tmp_path, taken.getsockname()[1]


@pytest.mark.sockets
@pytest.mark.parametrize("what", CASES)
def test_it_ends_with_an_error_and_one_line_tells_why(place: tuple[Path, int], what: str) -> None:
    case, (folder, port) = CASES[what], place
    given = command(*(part.format(dir=folder, port=port) for part in case.arguments))
    with Path("/dev/full" if case.full else "/dev/null").open("w") as out:
        done = subprocess.run(
            given, env=environment(), stdout=out, stderr=subprocess.PIPE, text=True, timeout=patience_s(), check=False
        )
    told = [line for line in done.stderr.splitlines() if re.search(case.told, line)]
    # The log of a run may trace what governing began anew after; the command itself ends in words.
    traced = any(line.startswith("Traceback") for line in done.stderr.splitlines())
    assert (done.returncode, bool(told), traced) == (case.code, True, False), done.stderr
