"""Small things take no libraries that they do not need: what is in `sys.modules` afterwards, never the clock."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import click
import pytest

from penstock.cli.lazy_command import LazyCommand
from penstock.cli.main import cli
from penstock.store.open import open_store
from tests.recorded import RUN, a_cycle, an_acting_cycle

HEAVY = {
    "confluent_kafka", "fastapi", "matplotlib", "numpy", "pandas", "prometheus_client", "psycopg", "pydantic",
    "pymetis", "pyspark", "rich", "scipy", "sklearn", "sqlalchemy", "uvicorn", "yaml",
}  # fmt: skip

# Command lines in, one after the other; out, for each what it imported of the heavy ones that was not there before.
CALLING = """
import contextlib, json, sys
wanted, heavy = json.loads(sys.argv[1])
from penstock.cli.main import cli
found, before = [], set()
for line in wanted:
    with contextlib.redirect_stdout(sys.stderr):
        try:
            cli(line, standalone_mode=False)
        except SystemExit as ended:
            assert not ended.code, line
    found.append(sorted((set(heavy) & set(sys.modules)) - before))
    before |= set(found[-1])
print(json.dumps(found))
"""


def taken_by(*lines: list[str]) -> list[list[str]]:
    command = [sys.executable, "-c", CALLING, json.dumps([lines, sorted(HEAVY)])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


def helps() -> list[list[str]]:
    """The help of every command, and of every command within one."""
    found: list[list[str]] = []
    for name, waiting in cli.commands.items():
        assert isinstance(waiting, LazyCommand), name
        command = waiting.awaited()
        inner = list(command.commands) if isinstance(command, click.Group) else []
        found += [[name, "--help"], *([name, within, "--help"] for within in inner)]
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        for cycle in (a_cycle(10.0), an_acting_cycle(20.0)):
            store.append(cycle)
    return path


def test_the_version_and_every_help_take_no_library_but_click() -> None:
    lines = [["--version"], ["--help"], *helps()]
    taken = dict(zip((" ".join(line) for line in lines), taken_by(*lines), strict=True))
    assert {line: names for line, names in taken.items() if names} == {}


def test_the_list_of_policies_takes_no_library() -> None:
    assert taken_by(["policies"]) == [[]]


def test_what_tells_of_a_run_takes_the_database_and_no_more_than_it_shows(path: Path) -> None:
    at = ["--store", str(path)]
    assert taken_by(["control", "show", *at]) == [["sqlalchemy"]]
    assert taken_by(["explain", "last", *at]) == [["pydantic", "sqlalchemy"]]
    assert taken_by(["top", "--once", *at]) == [["pydantic", "rich", "sqlalchemy"]]


def test_the_line_of_a_command_in_the_help_is_the_first_sentence_of_its_own() -> None:
    told = {name: waiting.get_short_help_str(1000) for name, waiting in cli.commands.items()}
    own = {
        name: waiting.awaited().get_short_help_str(1000)
        for name, waiting in cli.commands.items()
        if isinstance(waiting, LazyCommand)
    }
    assert told == own


def test_the_package_runs_as_the_command() -> None:
    ran = subprocess.run([sys.executable, "-m", "penstock", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("penstock, version ")
