"""What stands still says nothing and refuses nothing: it is told, and replaced, all the same."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from penstock.engines.spark.profiling import usage
from tests.drivers import told_by
from tests.governing.supervised import drivers_of, rows_come, supervised, views
from tests.patience import eventually

pytestmark = pytest.mark.jvm

JOBS = """
jobs:
  - name: quick
    job: tests.governing.tenant_jobs:quick
    params: {rows_per_second: 50}
    intent: {juice: 0.5, utility: 10}
"""


def test_a_jvm_that_stands_still_is_told_of_until_it_goes_on_keeps_nobody_who_leaves_and_is_known_to_be_dead() -> None:
    found = told_by("tests.governing.on_frozen")
    # Whether a round or what is done between rounds is first to wait for it depends on the moment.
    assert any("Spark's JVM has not answered for 1" in text for text in found["told"])
    assert found["left"].startswith("Spark's JVM has not answered for ")
    assert found["gone"] == "Spark's JVM has ended with exit code -9, and all queries with it"


@pytest.mark.long
def test_a_driver_whose_jvm_stands_still_is_replaced_and_ends_when_its_supervisor_is_killed(tmp_path: Path) -> None:
    with supervised(tmp_path, JOBS) as supervisor:
        eventually(lambda: rows_come(tmp_path))
        first = driver_of(supervisor)
        os.kill(jvm_of(first), signal.SIGSTOP)
        second = eventually(lambda: driver_of(supervisor) if driver_of(supervisor) not in (0, first) else 0)
        assert "it gave no sign of life" in " ".join((tmp_path / "said").read_text().split())
        assert usage.cpu((first,)).processes == 0
        began = len(views(tmp_path))
        eventually(lambda: len(views(tmp_path)) > began and rows_come(tmp_path))
        below = (second, *usage.below(second))
        supervisor.kill()
        eventually(lambda: usage.cpu(below).processes == 0)


def driver_of(supervisor: "subprocess.Popen[bytes]") -> int:
    """Its driver; 0 between two."""
    return next(iter(drivers_of(supervisor)), 0)


def jvm_of(driver: int) -> int:
    """The Java process among those that it started."""
    return next(pid for pid in usage.below(driver) if Path(f"/proc/{pid}/comm").read_text().strip() == "java")
