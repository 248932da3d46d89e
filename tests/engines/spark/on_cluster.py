"""A driver of its own on a standalone cluster, with three executors, through all that happens to executors there.

Usage: on_cluster.py MASTER PLACE. Run by test_cluster; prints one JSON document.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark import RDD, TaskContext
from pyspark.sql import SparkSession

from penstock.core.plan import Outcome
from penstock.engines.spark.application import turned
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.executors import ExecutorLever
from penstock.engines.spark.jvm.live import LiveSpark
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.levers import restarting
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.counting_files import CountedFiles
from tests.engines.spark.helpers import give, move_state, observed, taken_over
from tests.engines.spark.routing.pins import pinned
from tests.patience import eventually, patience_s

NAME = "counting"
EXECUTORS = 3
BLOCKS = 6
# The wait lets a task find the executor that it is pinned to.
CONF = {
    "spark.cores.max": EXECUTORS,
    "spark.executor.cores": 1,
    "spark.executor.memory": "512m",
    "spark.locality.wait": "3s",
}


def main(master: str, place: Path) -> dict[str, Any]:
    spark = start_application("cluster test", master, CONF)
    vars(turned)["_GROWN_WITHIN_S"] = patience_s()  # new executors take as long as this machine's JVMs need
    vars(restarting)["_IN_A_ROUND_S"] = patience_s()  # nobody tends here what goes on beside the rounds
    eventually(lambda: ExecutorLever(spark.sparkContext).count() == EXECUTORS)
    hosts = sorted({executor.host for executor in ExecutorReader(spark.sparkContext).read()})
    found: dict[str, Any] = {"pinned": pinned(spark, place / "pinned"), "counted": counted(spark, place / "counted")}
    found["secret_is_shown_by"] = secret_is_shown_by(spark)
    found["left"] = left(spark, place)
    spark.stop()
    return {"hosts": hosts, **found}


def secret_is_shown_by(spark: SparkSession) -> list[str]:
    """The command lines that any user of this machine can read it from; executors run meanwhile."""
    secret = spark.sparkContext.getConf().get("spark.authenticate.secret")
    assert secret is not None
    lines = {path.parent.name: _read(path) for path in Path("/proc").glob("[0-9]*/cmdline")}
    assert any(b"CoarseGrainedExecutorBackend" in line for line in lines.values())
    return [pid for pid, line in lines.items() if secret.encode() in line]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""


def counted(spark: SparkSession, place: Path) -> dict[str, Any]:
    """Shares changed, an executor lost, state moved, the controller crashed: the counts then."""
    spark.conf.set("spark.sql.shuffle.partitions", 2)
    files = CountedFiles(spark, place)
    files.give(3)
    job = Job(NAME, files.job)
    first = SparkEngine(LiveSpark(spark), [job], SparkSettings(3600.0, lease_s=1.0))
    first.open()
    first.start(wait=True)
    observed(first, NAME, lambda figures: figures.processed_rps)
    errors = [failed(give(first, NAME, 2))]
    files.give(2)
    lose_one(spark)
    errors.append(failed(move_state(first, NAME, 3)))
    files.give(2)
    # The controller dies here: it is never closed, and the query runs on until the next one takes over.
    engine = eventually(lambda: taken_over(spark, job))
    errors.append(failed(give(engine, NAME, 1)))
    files.give(2)
    eventually(lambda: sum(files.counted.values()) >= sum(files.expected.values()))
    engine.close(stop_jobs=True)
    there = eventually(lambda: ExecutorLever(spark.sparkContext).count() == EXECUTORS)
    return {"equal": files.counted == files.expected, "errors": errors, "replaced": there}


def failed(done: Outcome) -> str | None:
    return done.steps[0].error


def lose_one(spark: SparkSession) -> None:
    """Kill an executor under the query; the master replaces it, for the target stays."""
    spark.sparkContext._jsc.sc().killAndReplaceExecutor(ExecutorReader(spark.sparkContext).read()[0].id)


def left(spark: SparkSession, place: Path) -> dict[str, Any]:
    """What tasks, cached blocks and shuffle files went through when one executor left, and when another was ended."""
    context = spark.sparkContext
    cached = context.parallelize(range(BLOCKS), BLOCKS).cache()
    cached.count()
    mapped = place / "mapped"
    mapped.mkdir()
    shuffled = one_on_each(spark, EXECUTORS, mapped)
    found: dict[str, Any] = {"cached": [blocks(spark, cached)], "moves_first": ExecutorLever(context).moves_first}
    found["mapped"] = [runs(shuffled, mapped)]
    for name, within_s in (("asked", patience_s()), ("ended", 0.0)):  # a slow machine needs more than a user's 30 s
        lever = ExecutorLever(context, leaves_within_s=within_s)
        there = lever.count()
        begun, gate = place / f"{name}-begun", place / f"{name}-gate"
        begun.mkdir()
        with ThreadPoolExecutor(1) as beside:
            tasks = beside.submit(waiting_tasks, spark, there, begun, gate)
            eventually(partial(all_begun, begun, there))
            lever.aim(there - 1)
            lever.let_go(there - 1)
            if not within_s:  # one that is to be ended in the midst of its task is gone before that could end
                eventually(partial(gone, lever, there - 1))
            gate.touch()
            found[name] = tasks.result()
        eventually(partial(gone, lever, there - 1))
        found["cached"].append(blocks(spark, cached))
        found["mapped"].append(runs(shuffled, mapped))
    return found


def one_on_each(spark: SparkSession, executors: int, mapped: Path) -> RDD[Any]:
    """What one task on each executor wrote for a shuffle; each run of such a task leaves a file."""

    def write(number: int) -> tuple[int, int]:
        Path(mapped, f"{number}-{uuid4()}").touch()
        while len(list(mapped.iterdir())) < executors:  # with a core each no executor can run two of them
            time.sleep(0.05)
        return number, number

    return spark.sparkContext.parallelize(range(executors), executors).map(write).partitionBy(1)


def runs(shuffled: RDD[Any], mapped: Path) -> int:
    """How many tasks have written for it once it has been read again."""
    assert shuffled.count() == EXECUTORS
    return len(list(mapped.iterdir()))


def waiting_tasks(spark: SparkSession, slots: int, begun: Path, gate: Path) -> list[int]:
    """The attempts of tasks, one for each slot, that end when the gate is open."""

    def wait(number: int) -> int:
        attempt = TaskContext.get().attemptNumber()  # type: ignore[union-attr]
        Path(begun, f"{number}-{attempt}").touch()
        while not gate.exists():
            time.sleep(0.05)
        return attempt

    return spark.sparkContext.parallelize(range(slots), slots).map(wait).collect()


def all_begun(begun: Path, tasks: int) -> bool:
    return len(list(begun.iterdir())) == tasks


def gone(lever: ExecutorLever, left: int) -> bool:
    there = lever.count()
    if there > left:
        lever.let_go(left)
    return there == left


def blocks(spark: SparkSession, cached: RDD[int]) -> int:
    """Its partitions that some executor holds; queries cache some of their own."""
    stored = spark.sparkContext._jsc.sc().getRDDStorageInfo()
    return sum(int(one.numCachedPartitions()) for one in stored if one.id() == cached.id())


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
