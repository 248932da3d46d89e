"""A soak: eight tenants on Kafka and a standalone cluster, with executors killed, the broker restarted, the driver
with its controller killed and a spike in the middle; then every row is counted.

    python benchmarks/soak.py [--minutes 60] [--rate 200] [--out docs/results/soak.md]

Exit code 1 when a row was lost or doubled, or when the driver's memory grew beyond the bound.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from penstock.engines import processes
from penstock.engines.kafka import broker
from penstock.engines.kafka.topics import make_topics
from penstock.engines.spark import standalone
from penstock.loading.observer import messages

PARTITIONS = 2
KEYS = 200
GROWS_AT_MOST_MIB = 300.0  # the driver, its JVM and its Python, from the second fifth of its life to the last
DONE_WITHIN_S = 600.0
STARTS_WITHIN_S = 600.0
LOOK_EVERY_S = 5.0
HERE = Path(__file__).parent
# What goes wrong, by the share of the time that has passed.
PLAN = ((0.2, "executor"), (0.4, "broker"), (0.55, "driver"), (0.75, "executor"))
SPIKE = (3.0, 0.45, 0.6)


@dataclass(slots=True)
class Soak:
    """What runs, and what was seen."""

    place: Path
    bootstrap: str
    master: str
    seconds: float
    tenants: int
    driver: "subprocess.Popen[bytes] | None" = None
    events: list[str] = field(default_factory=list)
    memory_mib: list[list[float]] = field(default_factory=list)  # one series for each life of the driver

    def start_driver(self) -> None:
        """Start `penstock run`; its checkpoints are those of the driver before."""
        command = [sys.executable, "-m", "penstock.cli.main", "run", str(self.place / "tenants.yaml")]
        with (self.place / f"driver-{len(self.memory_mib)}.log").open("wb") as log:
            environment = {**os.environ, "XDG_STATE_HOME": str(self.place / "state")}
            self.driver = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        self.memory_mib.append([])

    def look(self) -> None:
        """Note the driver's memory; a driver that ended by itself is a failure of the soak."""
        assert self.driver is not None
        if self.driver.poll() is not None:
            raise SystemExit(f"the driver ended by itself; see {self.place}/driver-{len(self.memory_mib) - 1}.log")
        self.memory_mib[-1].append(sum(_rss_mib(pid) for pid in _family(self.driver.pid)))

    def harm(self, kind: str, at_s: float) -> None:
        """Let something go wrong."""
        if kind == "executor":
            found = _executors(self.place)
            if found:
                os.kill(found[0], signal.SIGKILL)
            self.events.append(f"{at_s:.0f} s: executor killed" if found else f"{at_s:.0f} s: no executor to kill")
        elif kind == "broker":
            broker.restart(self.place / "kafka.json")
            self.events.append(f"{at_s:.0f} s: broker restarted")
        else:
            self.kill_driver()
            self.start_driver()
            self.events.append(f"{at_s:.0f} s: driver and controller killed, started again")

    def kill_driver(self) -> None:
        """End the driver's Python and its JVM at once."""
        assert self.driver is not None
        for pid in _family(self.driver.pid):
            with contextlib.suppress(ProcessLookupError):  # ended with its parent
                os.kill(pid, signal.SIGKILL)
        self.driver.wait(120.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=200.0, help="rows a second of each tenant")
    parser.add_argument("--tenants", type=int, default=8)
    parser.add_argument("--out", type=Path, help="where the report goes, beside standard output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="penstock-soak-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        kafka = broker.up(place / "kafka.json", processes.free_port(), PARTITIONS)
        try:
            cluster = standalone.up(
                place / "cluster.json", workers=2, cores=options.tenants, port=processes.free_port()
            )
            soak = Soak(place, kafka.bootstrap, cluster.master, options.minutes * 60.0, options.tenants)
            text, well = _soaked(soak, options.rate)
        finally:
            standalone.down(place / "cluster.json")
            broker.down(place / "kafka.json")
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n", encoding="utf-8")
    sys.exit(0 if well else 1)


def _soaked(soak: Soak, rate: float) -> tuple[str, bool]:
    names = [f"tenant{number}" for number in range(soak.tenants)]
    make_topics(soak.bootstrap, [f"{name}_{end}" for name in names for end in ("in", "out")], PARTITIONS)
    (soak.place / "tenants.yaml").write_text(yaml.safe_dump(_tenants_file(soak, names)), encoding="utf-8")
    soak.start_driver()
    try:
        _until_ready(soak)
        accounts = _loaded(soak, names, rate)
        lost, doubled, waited_s = _counted(soak, accounts)
    finally:
        if soak.driver is not None and soak.driver.poll() is None:
            soak.kill_driver()
    return _report(soak, accounts, (lost, doubled, waited_s))


def _tenants_file(soak: Soak, names: Sequence[str]) -> dict[str, Any]:
    (soak.place / "soak_jobs.py").write_bytes((HERE / "soak_jobs.py").read_bytes())
    jobs = [
        {
            "name": name,
            "job": "soak_jobs:counts",
            "params": {
                "bootstrap": soak.bootstrap,
                "source": f"{name}_in",
                "target": f"{name}_out",
                "trigger": "1 second" if number % 2 else "3 seconds",
            },
            "intent": {"latency": "10s", "utility": 40 if number == 0 else 10},
            "max_rows_per_batch": 5000,
            "restart": {"max_restarts": 100, "backoff": "1s", "max_backoff": "10s"},
        }
        for number, name in enumerate(names)
    ]
    conf = {"spark.sql.shuffle.partitions": 2, "spark.driver.memory": "1g", "spark.executor.memory": "768m"}
    return {
        "name": "soak",
        "master": soak.master,
        "kafka": True,
        "conf": conf,
        "checkpoints": str(soak.place / "checkpoints"),
        "interval": "5s",
        "jobs": jobs,
    }


def _until_ready(soak: Soak) -> None:
    """Until every query has committed a batch: the load's minutes are not those of starting."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    while len(list(soak.place.glob("checkpoints/*/commits/0"))) < soak.tenants:
        soak.look()
        if time.monotonic() > deadline:
            raise SystemExit(f"not all queries started within {STARTS_WITHIN_S:.0f} s; see {soak.place}")
        time.sleep(1.0)


def _loaded(soak: Soak, names: Sequence[str], rate: float) -> dict[str, Any]:
    loads = {name: _load(soak, name, rate) for name in names}
    started_s, plan = time.monotonic(), list(PLAN)
    while any(load.poll() is None for load in loads.values()):
        at_s = time.monotonic() - started_s
        if plan and at_s >= plan[0][0] * soak.seconds:
            soak.harm(plan.pop(0)[1], at_s)
        soak.look()
        time.sleep(LOOK_EVERY_S)
    return {name: json.loads((soak.place / f"{name}.json").read_text(encoding="utf-8")) for name in names}


def _load(soak: Soak, name: str, rate: float) -> "subprocess.Popen[bytes]":
    factor, from_share, to_share = SPIKE
    spike = f"{factor:g},{from_share * soak.seconds:.0f}s,{to_share * soak.seconds:.0f}s"
    where = ["--bootstrap", soak.bootstrap, "--topic", f"{name}_in", "--json", str(soak.place / f"{name}.json")]
    what = [
        "--rate",
        f"{rate:g}",
        "--for",
        f"{soak.seconds:.0f}s",
        "--spike",
        spike,
        "--keys",
        str(KEYS),
        "--zipf",
        "1",
    ]
    return subprocess.Popen([sys.executable, "-m", "penstock.cli.main", "load", *where, *what])


def _counted(soak: Soak, accounts: Mapping[str, Any]) -> tuple[int, int, float]:
    """Rows lost and doubled over all tenants, and how long the last took after the load's end."""
    started_s = time.monotonic()
    while True:
        pairs = [
            (expected, found.get(key, 0))
            for name, account in accounts.items()
            for found in [_told(soak.bootstrap, f"{name}_out")]
            for key, expected in account["per_key"].items()
        ]
        lost = sum(max(0, expected - found) for expected, found in pairs)
        doubled = sum(max(0, found - expected) for expected, found in pairs)
        if lost == 0 or time.monotonic() - started_s > DONE_WITHIN_S:
            return lost, doubled, time.monotonic() - started_s
        soak.look()
        time.sleep(LOOK_EVERY_S)


def _told(bootstrap: str, topic: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for message in messages(bootstrap, topic):
        key = (message.key() or b"").decode()
        found[key] = max(found.get(key, 0), int(message.value() or 0))
    return found


def _report(soak: Soak, accounts: Mapping[str, Any], came: tuple[int, int, float]) -> tuple[str, bool]:
    lost, doubled, waited_s = came
    rows = sum(account["delivered"] for account in accounts.values())
    growths = [growth for series in soak.memory_mib if (growth := _growth(series)) is not None]
    grew = max(growths, default=0.0)
    well = lost == doubled == 0 and grew <= GROWS_AT_MOST_MIB
    where = f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.0f}"
    lives = "; ".join(f"{_mean(series[:3]):.0f} to {max(series):.0f}" for series in soak.memory_mib if series)
    lines = [
        f"Soak of {soak.seconds / 60:g} minutes, {soak.tenants} tenants, {where}: {'passed' if well else 'FAILED'}.",
        "",
        "| what | figure |",
        "|---|---|",
        f"| rows sent and confirmed | {rows} |",
        f"| rows lost | {lost} |",
        f"| rows doubled | {doubled} |",
        f"| time from the load's end to the last row's count | {waited_s:.0f} s |",
        f"| memory of the driver by its lives, first to most | {lives} MiB |",
        f"| growth, last fifth over second fifth of a life | {grew:.0f} MiB (bound: {GROWS_AT_MOST_MIB:.0f}) |",
        *(f"| what went wrong | {event} |" for event in soak.events),
    ]
    return "\n".join(lines), well


def _growth(series: Sequence[float]) -> float | None:
    fifth = len(series) // 5
    return _mean(series[-fifth:]) - _mean(series[fifth : 2 * fifth]) if fifth else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _executors(place: Path) -> list[int]:
    """The executors of our own workers: their working directories are below ours."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if entry.joinpath("cwd").readlink().is_relative_to(place) and b"CoarseGrained" in (
                entry.joinpath("cmdline").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:  # gone, or another user's
            continue
    return sorted(found)


def _family(pid: int) -> list[int]:
    """A process and all that it started, itself first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found = [pid]
    for parent in found:
        found.extend(children.get(parent, ()))
    return found


def _rss_mib(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main()
