"""A standby on real Spark: the driver is killed, and the one that stood by goes on with its queries."""

import os
import signal
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from penstock.engines.spark.profiling import usage
from penstock.local.processes import command_of
from tests.governing.supervised import drivers_of, supervised
from tests.patience import eventually

pytestmark = pytest.mark.jvm

JOBS = """
jobs:
  - name: counts
    job: tests.governing.tenant_jobs:counting
    params: {{place: {place}}}
    intent: {{juice: 0.5, utility: 10}}
"""
KEYS = 5


@pytest.mark.long
def test_the_queries_of_a_killed_driver_go_on_in_the_one_that_stood_by_and_each_row_counts_once(tmp_path: Path) -> None:
    fed = [feed(tmp_path, number) for number in range(5)]
    with supervised(tmp_path, JOBS.format(place=tmp_path), "--standby") as supervisor:
        eventually(lambda: "is warm" in (tmp_path / "said").read_text())
        (first,), (standby,) = both_of(supervisor)
        fed += [feed(tmp_path, number) for number in range(5, 20)]
        eventually(lambda: counted(tmp_path) > 5 * KEYS)  # it is killed at work
        os.kill(first, signal.SIGKILL)
        fed += [feed(tmp_path, number) for number in range(20, 25)]
        eventually(lambda: counted(tmp_path) == sum(fed))
        assert standby in usage.below(supervisor.pid)  # it is the driver now
        eventually(lambda: len(both_of(supervisor)[1]) == 2)  # and another one stands by for it
        below = usage.below(supervisor.pid)
    eventually(lambda: usage.cpu(below).processes == 0)


def feed(place: Path, number: int) -> int:
    """One file, there at once; how many rows it has."""
    (place / "in").mkdir(exist_ok=True)
    pq.write_table(pa.table({"key": list(range(KEYS))}), place / "in" / f".{number}")
    (place / "in" / f".{number}").rename(place / "in" / f"{number}.parquet")
    return KEYS


def counted(place: Path) -> int:
    """How many rows the counts of committed batches tell of."""
    newest: dict[int, int] = {}
    commits = (int(path.name) for path in (place / "checkpoint" / "commits").glob("[0-9]*"))
    for batch in sorted(commits):
        for file in (place / "out" / f"batch={batch}").glob("*.parquet"):
            newest |= {row["key"]: row["count"] for row in pq.ParquetFile(file).read().to_pylist()}
    return sum(newest.values())


def both_of(supervisor: "subprocess.Popen[bytes]") -> tuple[list[int], list[int]]:
    """The drivers that were started as such, and those that were started to stand by."""
    drivers = drivers_of(supervisor)
    stood = [pid for pid in drivers if "--awaits" in command_of(pid)]
    return [pid for pid in drivers if pid not in stood], stood
