"""What governing adds to a driver beside time: memory and threads, of its Python and of its JVM.

    python benchmarks/footprint.py --pairs 3 --seconds 90 --jobs 4

Drivers in turns, each a process of its own, since memory that was taken once is not given back: one runs some queries
and nothing of penstock is imported; the other has the two lines of the README before the same queries start. At the
end both collect garbage and say what they hold: Python's share of the machine's memory (PSS), the JVM's heap and what
it keeps beside it (classes, compiled code), and how many threads live in each. Rounds are five times as frequent as
usual, so that all that a round leaves behind is there.
"""

import argparse
import gc
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

_MIB = 2**20
_LEAST_ROUNDS = 5
_COLLECTIONS = 20
_NO_CACHES = "-XX:SoftRefLRUPolicyMSPerMB=0"  # what the JVM keeps for as long as there is room is held by nobody


@dataclass(frozen=True, slots=True)
class Held:
    """What a driver holds at its end; sizes in MiB."""

    python_mib: float
    heap_mib: float
    beside_heap_mib: float
    python_threads: int
    jvm_threads: int

    @property
    def mib(self) -> float:
        """All of it."""
        return self.python_mib + self.heap_mib + self.beside_heap_mib


def told(pairs: Sequence[tuple[Held, Held]]) -> str:
    """What governed drivers hold beyond those left alone: the median of the pairs and their range."""
    lines = ["| governed less left alone | median | range | left alone |", "|---|---|---|---|"]
    named = [("all memory, MiB", "mib"), *((_words(field.name), field.name) for field in fields(Held))]
    for words, name in named:
        more = [getattr(governed, name) - getattr(alone, name) for governed, alone in pairs]
        usual = statistics.median(getattr(alone, name) for _, alone in pairs)
        lines.append(f"| {words} | {statistics.median(more):.0f} | {min(more):.0f} to {max(more):.0f} | {usual:.0f} |")
    return "\n".join(lines)


def _words(name: str) -> str:
    kind, _, unit = name.rpartition("_")
    of = {"python": "Python", "heap": "JVM's heap", "beside_heap": "JVM beside its heap", "jvm": "JVM"}[kind]
    return f"{of}, MiB" if unit == "mib" else f"threads of {of if kind == 'python' else 'the JVM'}"


def driver(governed: bool, jobs: int, seconds: float) -> Held:
    """One driver, in this process."""
    from pyspark.sql import SparkSession

    conf = {"spark.scheduler.mode": "FAIR", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    conf["spark.driver.extraJavaOptions"] = _NO_CACHES
    builder: Any = SparkSession.builder.master("local[4]").appName("footprint")
    for name, value in conf.items():
        builder = builder.config(name, value)
    spark: SparkSession = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    names = [f"job{number}" for number in range(jobs)]
    g = _govern(spark, names) if governed else None
    for name in names:
        stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1000).load()
        counted = stream.selectExpr("value % 10 AS key").groupBy("key").count()
        writer = counted.writeStream.format("noop").outputMode("update").queryName(name)
        writer.trigger(processingTime="1 second").start()
    time.sleep(seconds)
    if g is not None and len(g.views) < _LEAST_ROUNDS:
        raise SystemExit("too few rounds: give it longer")
    held = _held(spark)
    if g is not None:
        g.stop()
    for query in spark.streams.active:
        query.stop()
    spark.stop()
    return held


def _govern(spark: Any, names: Sequence[str]) -> Any:
    import penstock as ps

    wanted = {name: ps.Intent(ps.Latency("2s", percentile=95)) for name in names}
    place = Path(tempfile.mkdtemp(prefix="footprint-"), "runs.sqlite")
    return ps.govern(spark, wanted, store=place, interval="2s", window="20s")


def _held(spark: Any) -> Held:
    jvm = spark._jvm
    gc.collect()
    memory = jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
    heap: list[float] = []
    for _ in range(_COLLECTIONS):
        jvm.java.lang.System.gc()
        time.sleep(0.4)
        heap.append(memory.getHeapMemoryUsage().getUsed() / _MIB)
    process = int(jvm.java.lang.ProcessHandle.current().pid())
    return Held(
        python_mib=pss_kib(Path("/proc/self/smaps_rollup").read_text()) / 1024,
        heap_mib=min(heap),  # queries run on: at other times batches of theirs are in it
        beside_heap_mib=memory.getNonHeapMemoryUsage().getUsed() / _MIB,
        python_threads=_threads(os.getpid()),
        jvm_threads=_threads(process),
    )


def pss_kib(text: str) -> int:
    """Of /proc/PID/smaps_rollup.

    >>> pss_kib("Rss:   20 kB\\nPss:   12 kB\\nPss_Anon:   3 kB")
    12
    """
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))


def _threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def _child(governed: bool, jobs: int, seconds: float) -> Held:
    kind = "governed" if governed else "alone"
    command = [sys.executable, __file__, "--driver", kind, "--jobs", str(jobs), "--seconds", str(seconds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: Mapping[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return Held(**found)


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=90.0, help="of each driver")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--driver", choices=("governed", "alone"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.driver is not None:
        held = driver(options.driver == "governed", options.jobs, options.seconds)
        print(json.dumps({field.name: getattr(held, field.name) for field in fields(held)}))
        return
    pairs = []
    for pair in range(options.pairs):
        order = (True, False) if pair % 2 else (False, True)
        came = {governed: _child(governed, options.jobs, options.seconds) for governed in order}
        pairs.append((came[True], came[False]))
    how = f"{options.pairs} pairs of drivers with {options.jobs} queries, {options.seconds:g} s each"
    print(f"{time.strftime('%Y-%m-%d')}, {how}")
    print(told(pairs))


if __name__ == "__main__":
    main()
