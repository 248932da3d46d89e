"""How long a killed driver is away: started anew, started anew with archived classes, or replaced by one that stood by.

`python benchmarks/standby.py --rounds 3` prints a table. A job counts rows of files that come twice a second, on
`local[2]`. In each round each case has a run of its own: when it has governed for a while (and a standby is warm),
driver and JVM are killed with SIGKILL. *Back* is from then to the first batch that is committed again. At the end each
row was counted once, or the round is told as wrong. With `--master` the executors are a cluster's.
"""

import argparse
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark import launch
from penstock.local import processes
from penstock.local.spark import class_archive

_ROWS = 100  # of a file
_EVERY_S = 0.5
_GOVERNS_FOR_S = 10.0
_WITHIN_S = 600.0
_LOG4J = Path(launch.__file__).with_name("log4j2.properties")
TENANTS = """
name: standby
master: {master}
interval: 1s
window: 5s
{conf}
jobs:
  - name: counts
    job: standby:counting
    params: {{place: {place}}}
    intent: {{latency: 10s}}
"""
PLAIN = f'conf: {{spark.driver.extraJavaOptions: "-Dlog4j2.configurationFile={_LOG4J}", spark.executor.memory: 512m}}'
SHARED = "conf: {spark.executor.memory: 512m}"


@dataclass(frozen=True, slots=True)
class Case:
    """How the driver is kept."""

    name: str
    conf: str
    options: tuple[str, ...] = ("--restart",)


CASES = (
    Case("started anew", PLAIN),
    Case("started anew, archived classes", SHARED),
    Case("standby", SHARED, ("--restart", "--standby")),
)


@dataclass(frozen=True, slots=True)
class Killed:
    """One killed driver: how long it was away, what all drivers took of the cores until it was back, what was lost."""

    back_s: float
    cpu_s: float
    whole: bool
    standby_mib: float


def counting(spark: SparkSession, place: str) -> DataStreamWriter:
    """Counts by key; the newest count of each key in `out` tells how many rows were counted."""

    def keep(batch: DataFrame, batch_id: int) -> None:
        batch.coalesce(1).write.mode("overwrite").parquet(f"{place}/out/batch={batch_id}")

    rows = spark.readStream.schema("key long").parquet(f"{place}/in")
    writer = rows.groupBy("key").count().writeStream.outputMode("update").foreachBatch(keep)
    writer = writer.option("checkpointLocation", f"{place}/checkpoint")
    return writer.trigger(processingTime="500 milliseconds")


class Feed(threading.Thread):
    """Writes a file twice a second until it is ended."""

    def __init__(self, place: Path) -> None:
        super().__init__(daemon=True)
        self.place = place
        self.rows = 0
        self._over = threading.Event()
        place.mkdir(parents=True)

    def run(self) -> None:
        """See Thread."""
        while not self._over.wait(_EVERY_S):
            name = f"{self.rows:09d}.parquet"
            pq.write_table(pa.table({"key": [row % 10 for row in range(_ROWS)]}), self.place / f".{name}")
            (self.place / f".{name}").rename(self.place / name)
            self.rows += _ROWS

    def end(self) -> None:
        """No more rows."""
        self._over.set()
        self.join()


def killed_once(case: Case, master: str) -> Killed:
    """A run of its own, in which the driver is killed once."""
    with tempfile.TemporaryDirectory(prefix="standby-") as name:
        place = Path(name)
        (place / "tenants.yaml").write_text(TENANTS.format(master=master, conf=case.conf, place=place))
        feed = Feed(place / "in")
        feed.start()
        with supervised(place, case) as supervisor:
            heartbeat = place / "heartbeat"
            until(lambda: heartbeat.exists() and heartbeat.read_text().strip() == "governing", supervisor)
            if "--standby" in case.options:
                until(lambda: "is warm" in said(place), supervisor)
            before = commits(place)
            until(lambda: commits(place) > before + 3, supervisor)
            time.sleep(_GOVERNS_FOR_S)
            # Beside a driver and a standby there may be the helper that archives classes.
            drivers = [pid for pid in processes.children(supervisor.pid) if "--supervisor" in processes.command_of(pid)]
            others = [pid for pid in drivers if "--awaits" in processes.command_of(pid)]
            (driver,) = (pid for pid in drivers if pid not in others)
            spare_mib = sum(_rss_mib(pid) for other in others for pid in processes.family(other))
            cpu_s = cpu_of(supervisor.pid)
            # Its own is handed on to the supervisor, who waits for it; that of its JVM is gone with it.
            dead_cpu_s = sum(_cpu(pid, ended=True) for pid in processes.family(driver)[1:])
            for pid in processes.family(driver):
                with suppress(ProcessLookupError):  # the JVM's own children may go with it
                    os.kill(pid, signal.SIGKILL)
            died_s, newest = time.time(), commits(place)
            until(lambda: commits(place) > newest, supervisor)
            back_s = (place / "checkpoint" / "commits" / str(newest + 1)).stat().st_mtime - died_s
            took_s = cpu_of(supervisor.pid) - (cpu_s - dead_cpu_s)
            feed.end()
            until(lambda: counted(place) >= feed.rows, supervisor, 120.0)
        return Killed(back_s, took_s, counted(place) == feed.rows, spare_mib)


@contextmanager
def supervised(place: Path, case: Case) -> Iterator["subprocess.Popen[bytes]"]:
    """`penstock run` on the tenants of that place."""
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    told = ["--store", str(place / "runs.sqlite"), "--heartbeat", str(place / "heartbeat")]
    command = [sys.executable, "-m", "penstock.cli.main", "run", str(place / "tenants.yaml"), *case.options, *told]
    with (place / "said").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stderr=log, stdout=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def until(met: Callable[[], object], supervisor: "subprocess.Popen[bytes]", within_s: float = _WITHIN_S) -> None:
    """Wait for it."""
    end_s = time.monotonic() + within_s
    while not met():
        if supervisor.poll() is not None or time.monotonic() > end_s:
            raise SystemExit("it did not come" if supervisor.poll() is None else "the supervisor ended")
        time.sleep(0.05)


def said(place: Path) -> str:
    """What the supervisor and its drivers told."""
    return " ".join((place / "said").read_text(errors="replace").split())


def commits(place: Path) -> int:
    """The newest batch that is committed; -1 before there is one."""
    found = [int(path.name) for path in (place / "checkpoint" / "commits").glob("[0-9]*")]
    return max(found, default=-1)


def counted(place: Path) -> int:
    """How many rows the outputs of committed batches tell of."""
    newest: dict[int, int] = {}
    for number in range(commits(place) + 1):
        for path in (place / "out" / f"batch={number}").glob("*.parquet"):
            newest |= {row["key"]: row["count"] for row in pq.ParquetFile(path).read().to_pylist()}
    return sum(newest.values())


def cpu_of(pid: int) -> float:
    """Seconds of cores that it and all below it took, those that ended among them."""
    return sum(_cpu(below, ended=True) for below in processes.family(pid))


def _cpu(pid: int, ended: bool = False) -> float:
    fields = processes.stat_fields(pid)
    if fields is None:
        return 0.0
    return sum(int(fields[place]) for place in ((11, 12, 13, 14) if ended else (11, 12))) / os.sysconf("SC_CLK_TCK")


def _rss_mib(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize() / 2**20
    except OSError:
        return 0.0


def main() -> None:
    """Rounds of all cases, each round beginning with another one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--master", default="local[2]")
    given = parser.parse_args()
    if not class_archive.make():
        print("no archive of classes could be made here: its cases are as the first")
    found: dict[str, list[Killed]] = {case.name: [] for case in CASES}
    for number in range(given.rounds):
        for case in (*CASES[number % len(CASES) :], *CASES[: number % len(CASES)]):
            killed = killed_once(case, given.master)
            found[case.name].append(killed)
            load = os.getloadavg()[0]
            print(f"{time.strftime('%H:%M:%S')} load {load:.1f}: {case.name}: {killed}", flush=True)
    print("| driver | back, median | range | seconds of cores, median | memory of the standby | rows |")
    print("|---|---|---|---|---|---|")
    for name, all_killed in found.items():
        back = [killed.back_s for killed in all_killed]
        cpu = statistics.median(killed.cpu_s for killed in all_killed)
        spare = statistics.median(killed.standby_mib for killed in all_killed)
        whole = "each once" if all(killed.whole for killed in all_killed) else "WRONG"
        times = f"{statistics.median(back):.1f} s | {min(back):.1f} to {max(back):.1f} s"
        print(f"| {name} | {times} | {cpu:.1f} s | {spare:.0f} MiB | {whole} |")


if __name__ == "__main__":
    main()
