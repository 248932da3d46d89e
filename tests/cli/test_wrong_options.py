"""Options that hold what they cannot: one line and exit code 2, before anything is started, written or shown."""

import re
from pathlib import Path

import pytest

from tests.cli.calling import ROOT, penstock
from tests.cli.wrong import TENANTS, folder_with
from tests.simulation.small import scenario, written

SCENARIO = str(ROOT / "scenarios" / "spark" / "urgent.yaml")
NOWHERE = "give a path that can be written (No such file or directory)"

WRONG = {
    "run --json": (
        ("run", "{file}", "--json", "{dir}/no/such/x.json"),
        f"--json: '.*x.json' cannot be used; {NOWHERE}",
    ),
    "demo --html": (("demo", "--html", "{dir}/no/such/x.html"), f"--html: '.*x.html' cannot be used; {NOWHERE}"),
    "simulate --json": (("simulate", SCENARIO, "--json", "{dir}/no/x"), f"--json: '.*/no/x' cannot be used; {NOWHERE}"),
    "simulate --html": (("simulate", SCENARIO, "--html", "{dir}"), "--html: .* (Is a directory)"),
    "simulate --plot": (
        ("simulate", SCENARIO, "--plot", "{dir}/no/x.png"),
        f"--plot: '.*/no/x.png' cannot be used; {NOWHERE}",
    ),
    "simulate --plot, of an unknown kind": (
        ("simulate", SCENARIO, "--plot", "{dir}/picture.words"),
        "--plot: '.*/picture.words' cannot be used; end its name with one of .png, .svg, .pdf, .jpg, .jpeg",
    ),
    "simulate --seed": (
        ("simulate", SCENARIO, "--seed", "-1"),
        "Invalid value for '--seed': -1 is not in the range x>=0.",
    ),
    "cluster up --memory": (
        ("cluster", "up", "--memory", "abc"),
        "--memory: 'abc' cannot be used; write a size such as",
    ),
    "cluster up --memory, too little": (
        ("cluster", "up", "--memory", "100m"),
        "--memory: '100m' .* write 512m or more",
    ),
    "cluster up --memory, too much": (
        ("cluster", "up", "--memory", "9999999g"),
        "--memory: .* write 2147483647m or less",
    ),
    "profile --out": (("profile", "parse", "--out", "/proc/m.yaml"), "--out: '/proc/m.yaml' .* (No such file"),
    "plan --json": (("plan", "linear", "--json", "{file}/x"), "--json: .* (Not a directory)"),
    "serve --approval": (
        ("serve", "--scenario", SCENARIO, "--approval", "urgnet", "--port", "0"),
        "--approval: 'urgnet' cannot be used; choose one of .*; did you mean urgent?",
    ),
    "serve --allow-host": (
        ("serve", "--scenario", SCENARIO, "--allow-host", "dash.example:8443", "--port", "0"),
        "--allow-host: 'dash.example:8443' cannot be used; write a name alone, in small letters and without a port",
    ),
    "serve --host": (
        ("serve", "--scenario", SCENARIO, "--host", "no host", "--port", "0"),
        "--host: 'no host' cannot be used; write a name or an address of this machine",
    ),
    "serve --tls-key": (
        ("serve", "--scenario", SCENARIO, "--tls-certificate", "{file}", "--tls-key", "{file}", "--port", "0"),
        "--tls-certificate: .* cannot be used; it is no PEM file that will do",
    ),
    "run --host": (
        ("run", "{file}", "--dashboard", "--host", "no host"),
        "--host: 'no host' cannot be used; write a name or an address of this machine",
    ),
}


@pytest.mark.sockets
@pytest.mark.parametrize("what", WRONG)
def test_it_is_refused_in_one_line_before_anything_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    def started(*given: object, **how: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr("pyspark.java_gateway.Popen", started)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    given, told = WRONG[what]
    file = folder_with(tmp_path, TENANTS)
    called = penstock(*(part.format(file=file, dir=tmp_path) for part in given))
    (line,) = called.stderr.splitlines()  # and no token is shown
    assert (called.returncode, called.stdout) == (2, "")
    assert as_pattern(told).match(line.removeprefix("penstock: ")), line


def as_pattern(told: str) -> "re.Pattern[str]":
    """What is told, word for word but for `.*`."""
    return re.compile(re.escape(told).replace(r"\.\*", ".*"))


def test_a_report_that_cannot_be_written_is_refused_before_it_is_told(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.sqlite")
    short = str(written(tmp_path, scenario()))
    assert penstock("simulate", short, "--policy", "static", "--store", store).returncode == 0
    called = penstock("report", "last", "--store", store, "--html", str(tmp_path / "no" / "report.html"))
    assert (called.returncode, called.stdout, len(called.stderr.splitlines())) == (2, "", 1)


def test_a_file_that_is_there_is_left_as_it_was_until_it_is_written(tmp_path: Path) -> None:
    there = tmp_path / "out.json"
    there.write_text("before")
    assert penstock("simulate", "no such scenario", "--json", str(there)).returncode == 2
    assert there.read_text() == "before"
