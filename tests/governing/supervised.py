"""`penstock run --restart` as a process of its own, in a folder with its file, its store and what it says."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from penstock.core.seen.view import View
from penstock.engines.spark.profiling import usage
from penstock.local.processes import command_of, stat_fields
from penstock.store.open import open_store
from tests.cli.calling import command, environment

HEAD = """
name: shop
master: local[2]
conf: {spark.sql.shuffle.partitions: 2}
interval: 1s
window: 5s
"""


@contextmanager
def supervised(place: Path, jobs: str, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The process that watches over the driver of these jobs; it takes all its drivers along."""
    (place / "tenants.yaml").write_text(HEAD + jobs)
    kept = ["--restart", *options, "--store", str(place / "runs.sqlite")]
    with (place / "said").open("wb") as said:
        process = subprocess.Popen(command("run", str(place / "tenants.yaml"), *kept), env=environment(), stderr=said)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def drivers_of(supervisor: "subprocess.Popen[bytes]") -> Sequence[int]:
    """Those of its children that are drivers, or stand by to be: another may be archiving Spark's classes."""
    below = usage.below(supervisor.pid)
    children = [pid for pid in below if int((stat_fields(pid) or "00")[1]) == supervisor.pid]
    return [pid for pid in children if "--supervisor" in command_of(pid)]


def views(place: Path) -> list[View]:
    if not (place / "runs.sqlite").exists():
        return []
    with closing(open_store(place / "runs.sqlite")) as store:
        return [view for run in store.runs() for view in store.views(run.id)]


def rows_come(place: Path) -> bool:
    """Whether they did in the newest round."""
    return any(job.figures.processed_rps for view in views(place)[-1:] for job in view.jobs)
