"""What the Phoebe benchmark on Spark runs in: a broker, a standalone cluster, drivers and loads, all of it its own."""

import contextlib
import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from penstock.engines.kafka.topics import make_topics
from penstock.local import processes
from penstock.local.kafka import broker
from penstock.local.spark import standalone

HERE = Path(__file__).parent
TRACES = HERE.parent / "scenarios" / "phoebe" / "data"
PARTITIONS = 12  # one, two, three and four executors have equal shares of them
MOST = 4  # executors of each job
STARTS_WITHIN_S = 900.0
_MARK = "-Dpenstock.job="


@dataclass(frozen=True, slots=True)
class Workload:
    """One of the paper's two jobs: the part of its recorded load that is replayed, and how much it is scaled down."""

    name: str
    function: str
    rows: str
    from_s: int
    scale: float

    def rates(self, minutes: float, speed: float) -> list[float]:
        """Rows a second, one entry for each recorded second."""
        with gzip.open(TRACES / f"workload_{self.name}.csv.gz", "rt") as file:
            lines = file.read().splitlines()[1:]
        part = lines[self.from_s : self.from_s + round(minutes * 60 * speed)]
        return [float(line.split(",")[1]) * self.scale for line in part]


WORKLOADS = (
    Workload("ads", "campaigns", "ad_rows", 0, 1 / 1700),
    Workload("cars", "top_speed", "car_rows", 4500, 1 / 1250),
)


@dataclass(slots=True)
class World:
    """What runs, and where."""

    place: Path
    bootstrap: str
    master: str
    drivers: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)
    loads: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)
    searches: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def tenants_file(self, work: Workload, settings: Mapping[str, Any]) -> Path:
        """The tenants file of a job, an application of its own."""
        job = {
            "name": work.name,
            "job": f"phoebe_jobs:{work.function}",
            "params": {
                "source": {"kafka": self.bootstrap, "topic": work.name, "starting": "earliest"},
                "sink": {"kafka": self.bootstrap, "topic": f"{work.name}_out"},
                "fail": str(self.place / f"{work.name}.fail"),
            },
            "max_slots": MOST,
            "slots": MOST,
            "max_rows_per_batch": 1500,
            "restart": {"max_restarts": 100, "backoff": "1s", "max_backoff": "4s"},
        }
        conf = {
            "spark.sql.shuffle.partitions": 4,
            "spark.driver.memory": "768m",
            "spark.executor.memory": "512m",
            "spark.executor.extraJavaOptions": f"{_MARK}{work.name} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        document = {
            "name": work.name,
            "master": self.master,
            "kafka": True,
            "conf": conf,
            "checkpoints": str(self.place / "checkpoints"),
            "interval": "5s",
            "window": "20s",
            "executors": MOST,
            **{key: value for key, value in settings.items() if key != "job"},
            "jobs": [{**job, **settings.get("job", {})}],
        }
        (self.place / "phoebe_jobs.py").write_bytes((HERE / "phoebe_jobs.py").read_bytes())
        path = self.place / f"{work.name}.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        return path

    def start_driver(self, work: Workload, policy: str) -> None:
        """`penstock run --restart`, which starts its driver again when that is killed."""
        command = ["run", str(self.place / f"{work.name}.yaml"), "--restart", "--policy", policy]
        self.drivers[work.name] = self.penstock(f"{work.name}.driver", *command, "--store", str(self.store(work.name)))

    def start_load(self, work: Workload, rates: Sequence[float], speed: float) -> None:
        """The rows of a job, when they are due."""
        trace = self.place / f"{work.name}.trace.csv"
        trace.write_text("t,rate\n" + "\n".join(f"{t},{rate}" for t, rate in enumerate(rates)), encoding="utf-8")
        where = ["--bootstrap", self.bootstrap, "--topic", work.name, "--json", str(self.place / f"{work.name}.json")]
        what = ["--trace", str(trace), "--speed", f"{speed:g}", "--rate", f"{sum(rates) / len(rates):.4f}"]
        lasts = ["--for", f"{len(rates) / speed:.0f}s", "--rows", f"phoebe_jobs:{work.rows}"]
        self.loads[work.name] = self.penstock(f"{work.name}.load", "load", *where, *what, *lasts)

    def store(self, name: str) -> Path:
        """Where a job's run is recorded."""
        return self.place / f"{name}.sqlite"

    def penstock(self, log: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """A command of ours, with what it says in a file."""
        environment = {**os.environ, "XDG_STATE_HOME": str(self.place / "state"), "PYTHONPATH": str(self.place)}
        with (self.place / f"{log}.log").open("ab") as file:
            command = [sys.executable, "-m", "penstock.cli.main", *arguments]
            # In a session of its own: a terminal's Ctrl-C is ours, and we end it in order.
            return subprocess.Popen(command, stdout=file, stderr=file, env=environment, start_new_session=True)

    def until_ready(self, names: Sequence[str]) -> None:
        """Until every job has committed a batch."""
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not all((self.place / "checkpoints" / name / "commits" / "0").exists() for name in names):
            self.check()
            if time.monotonic() > deadline:
                raise SystemExit(f"not all queries started within {STARTS_WITHIN_S:.0f} s; see {self.place}")
            time.sleep(0.5)

    def check(self) -> None:
        """A driver's parent that ended by itself is a failure of the benchmark."""
        for name, driver in self.drivers.items():
            if driver.poll() is not None:
                raise SystemExit(f"`penstock run` of {name} ended by itself; see {self.place}/{name}.driver.log")

    def executors(self) -> dict[str, list[int]]:
        """The executors of our jobs, by job, known by a mark on their command lines and by where they work."""
        found: dict[str, list[int]] = {}
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # gone, or another user's
                line = entry.joinpath("cmdline").read_bytes().split(b"\0")
                marks = [word for word in line if word.startswith(_MARK.encode())]
                if marks and entry.joinpath("cwd").readlink().is_relative_to(self.place) and b"java" in line[0]:
                    found.setdefault(marks[0].decode().removeprefix(_MARK), []).append(int(entry.name))
        return {name: sorted(pids) for name, pids in found.items()}

    def stop(self, name: str) -> None:
        """End a driver and its parent in order."""
        driver = self.drivers.pop(name)
        driver.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            driver.wait(60.0)
        for pid in reversed(processes.family(driver.pid)):
            _kill(pid)
        driver.wait()


def harm(world: World, name: str, kind: str) -> bool:
    """Let something of a job fail; False where there is nothing to kill just now."""
    if kind == "query":
        (world.place / f"{name}.fail").touch()
        return True
    pids = world.executors().get(name, [])[:1] if kind == "executor" else processes.family(world.drivers[name].pid)[1:]
    for pid in pids:
        _kill(pid)
    return bool(pids)


@contextmanager
def world(place: Path) -> Iterator[World]:
    """All of it, until the end of the block; then nothing is left."""
    place.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        stack.callback(broker.down, place / "kafka.json")
        kafka = broker.up(place / "kafka.json", processes.free_port(), PARTITIONS)
        stack.callback(standalone.down, place / "cluster.json")
        # Room for both jobs, and for the executors of a dead driver that have not noticed yet.
        cluster = standalone.up(place / "cluster.json", 2, 2 * MOST + 4, "8g", processes.free_port())
        made = World(place, kafka.bootstrap, cluster.master)
        stack.callback(_end, made)
        topics = [f"{work.name}{end}" for work in WORKLOADS for end in ("", "_out")]
        make_topics(made.bootstrap, topics, PARTITIONS)
        yield made


def _end(made: World) -> None:
    for search in made.searches:
        if search.poll() is None:
            search.terminate()  # it ends its copies
            search.wait()
    for load in made.loads.values():
        if load.poll() is None:
            load.kill()
    for name in list(made.drivers):
        made.stop(name)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it ended with its parent
        os.kill(pid, signal.SIGKILL)
