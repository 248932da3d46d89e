"""Which lines tests ran through: of all workers together, or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from coverage import Coverage

from tests.cli.calling import ROOT
from tests.harness.covered import Probes

SHOP = """
def sell(count):
    if count > 3:
        return "many"
    return (
        "few"
    )

def close():
    return None
"""
TESTS = """
import os, time
from pathlib import Path
import pytest
from shop.selling import sell

@pytest.fixture
def other():  # both workers have a test at once, so that each has one
    mine = os.environ["PYTEST_XDIST_WORKER"]
    Path(mine).touch()
    while not all(Path(name).exists() for name in ("gw0", "gw1")):
        time.sleep(0.01)

def test_few(other):
    assert sell(1) == "few"

def test_many(other):
    assert sell(4) == "many"
"""
ALONE = """
from shop.selling import sell

def test_few():
    assert sell(1) == "few"
"""
CRASHES = """
import os
from shop.selling import sell

def test_many():
    assert sell(4) == "many"

def test_that_ends_its_worker():
    os._exit(1)
"""


def said(place: Path, tests: str, *options: str) -> list[str]:
    """What a run says of a project of three files: eight lines, and one each in two that nobody imports."""
    package = place / "src" / "shop"
    package.mkdir(parents=True)
    for name, text in (("__init__", ""), ("selling", SHOP), ("buying", "PRICE = 3\n"), ("lending", "DAYS = 4\n")):
        (package / f"{name}.py").write_text(text)
    (place / "test_shop.py").write_text(tests)
    (place / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "no:cacheprovider", *options]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTEST_PLUGINS": "tests.harness.covered",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # of the others each of its three processes would take seconds to read
    }
    environment.pop("PYTEST_XDIST_WORKER", None)  # a run of its own
    run = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    return [line for line in run.stdout.splitlines() if line.startswith("lines ")] or [run.stdout, run.stderr]


def test_the_lines_of_all_workers_are_counted_once_each_and_those_of_files_that_nobody_imports_too(
    tmp_path: Path,
) -> None:
    told = said(tmp_path, TESTS, "-n", "2")
    # Of selling two `def`s, `if` and both `return`s ran, however many lines one has, and not that of `close`.
    assert told == ["lines of src that these tests ran: 5 of 8 (62.5 %), all workers together"]
    report = Coverage(data_file=str(tmp_path / ".coverage"))
    report.load()
    assert report.analysis2(str(tmp_path / "src/shop/selling.py"))[3] == [10]


def test_a_run_without_workers_tells_of_its_own_lines(tmp_path: Path) -> None:
    told = said(tmp_path, ALONE)
    assert told == ["lines of src that these tests ran: 4 of 8 (50.0 %), all workers together"]


@pytest.mark.long
def test_a_worker_that_ended_before_it_told_leaves_no_figure(tmp_path: Path) -> None:
    told = said(tmp_path, CRASHES, "-n", "1")
    assert told == ["lines that these tests ran: not known, for a worker ended before it told"]


def test_what_was_imported_too_early_to_be_counted_is_refused(tmp_path: Path) -> None:
    (tmp_path / "penstock").mkdir()
    with pytest.raises(pytest.UsageError, match="penstock was imported before its lines could be counted"):
        Probes(tmp_path)
