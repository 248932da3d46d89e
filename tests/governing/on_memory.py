"""`penstock run` on a standalone cluster whose policy wants executors of another size, and one that cannot be had.

Usage: on_memory.py MASTER PLACE. Run by test_memory; prints one JSON document.
"""

import json
import os
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import SparkContext

from penstock.config.problems import checked
from penstock.config.tenants import TenantsFile
from penstock.core.levers import Memory, Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View
from penstock.engines.spark.jvm.heap import memory_mib
from penstock.engines.spark.launch.application import start_application
from penstock.governing.lives import Applications, Life
from penstock.governing.run import RunOptions, run_tenants
from penstock.planning.installed import PolicyEntry
from penstock.planning.registry import POLICIES

ROWS_PER_FILE, FILES, KEYS = 400, 12, 13
CONF = {"spark.executor.memory": "512m", "spark.sql.shuffle.partitions": 2}


@dataclass(frozen=True, slots=True)
class WantsOneGib:
    """A second slot once rows come, and then executors of 1 GiB; counts its rounds."""

    name: str = "wants 1 GiB"

    def start(self) -> int:
        return 0

    def decide(self, view: View, memory: int) -> tuple[Plan, int]:
        job, dial = view.job("counting").figures, view.levers[-1]
        moves: tuple[Memory | Slots, ...] = ()
        if job.processed_rps and dial.now == 512:
            moves = (Slots("counting", 1, 2),) if job.threads == 1 else (Memory(512, 1024),)
        decisions = (Decision(Reason.RESCALED, moves, "the test wants it", view.at_s, view.utility),) if moves else ()
        return Plan(decisions, note=f"round {memory}"), memory + 1


def write_input(place: Path) -> Counter[int]:
    """Files of keys, and how often each key is in them."""
    place.mkdir(parents=True)
    keys = [number * 7919 % KEYS for number in range(ROWS_PER_FILE * FILES)]
    for file in range(FILES):
        part = keys[file * ROWS_PER_FILE : (file + 1) * ROWS_PER_FILE]
        pq.write_table(pa.table({"key": pa.array(part, pa.int64())}), place / f"{file:03}.parquet")
    return Counter(keys)


def counted(place: Path) -> dict[int, int]:
    """The newest count of each key, of whole batches."""
    counts: dict[int, int] = {}
    for batch in sorted(place.glob("batch=*"), key=lambda found: int(found.name.removeprefix("batch="))):
        if (batch / "_SUCCESS").exists():
            for file in batch.glob("*.parquet"):
                rows = pq.read_table(file, partitioning=None).to_pydict()
                counts |= dict(zip(rows["key"], rows["count"], strict=True))
    return counts


def heaps() -> set[str]:
    """What the executors' JVMs of the present application were started with."""
    context = SparkContext._active_spark_context
    found = set[str]()
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if context is not None and context.applicationId in words and any("ExecutorBackend" in w for w in words):
            found |= {word for word in words if word.startswith("-Xmx")}
    return found


class Watch:
    """Looks at what is governed, and ends it by Ctrl-C once all rows are counted by executors of 1 GiB."""

    def __init__(self, place: Path) -> None:
        self._out = place / "out"
        self.heaps: list[str] = []
        self._ended = False

    def __call__(self, view: View) -> None:
        self.heaps += [heap for heap in sorted(heaps()) if heap not in self.heaps]
        done = sum(counted(self._out).values()) == ROWS_PER_FILE * FILES
        if done and view.levers[-1].now == 1024 and not self._ended:
            self._ended = True  # a second Ctrl-C would have it end without waiting for the round that is under way
            os.kill(os.getpid(), signal.SIGINT)


def comes_back(master: str) -> dict[str, Any]:
    """An application whose executors are to have more than any worker."""
    applications = Applications(partial(_started, master), CONF, within_s=2.0)
    with applications.started(Life((), 9000, before_mib=600, slots=2)) as application:
        had = memory_mib(application.spark.sparkContext)
    return {"instead": application.instead, "had": had, "not_given": sorted(applications.not_given)}


def _started(master: str, conf: Any) -> Any:
    return start_application("comes back", master, conf)


def main(master: str, place: Path) -> dict[str, Any]:
    expected = write_input(place / "in")
    back = comes_back(master)
    job: dict[str, Any] = {"name": "counting", "intent": {"juice": 0.5}, "slots": 1}
    job |= {"job": "tests.governing.tenant_jobs:counting", "params": {"place": str(place)}}
    file = {"name": "memory", "master": master, "conf": CONF, "interval": "1s", "window": "5s", "jobs": [job]}
    POLICIES["wants 1 GiB"] = PolicyEntry("for a test", lambda _: WantsOneGib())
    options = RunOptions("wants 1 GiB", store=str(place / "runs.sqlite"), code=Path())
    watch = Watch(place)
    story = run_tenants(checked(TenantsFile, file, "tenants file"), options, watch)
    return {
        "back": back,
        "equal": counted(place / "out") == expected,
        "heaps": watch.heaps,
        "run": story.run_id,
        "at_s": [view.at_s for view in story.views],
        "memory": [view.levers[-1].now for view in story.views],
        "most": story.views[0].levers[-1].most,
        "slots": [view.job("counting").figures.threads for view in story.views],
        "gc": [machine.gc_share for view in story.views for machine in view.machines],
        "decisions": [record.text() for record in story.decisions],
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
