"""A soak: eight tenants on Kafka and a standalone cluster, with executors killed, the broker restarted, the driver
with its controller killed and a spike in the middle; then every row is counted.

    python benchmarks/soak.py [--minutes 60] [--rate 50] [--out docs/results/soak.md]
    python benchmarks/soak.py --minutes 75 --one-life --plain     # whose growth it is: the same without penstock

Exit code 1 when a row was lost or doubled, or when the driver's memory grew beyond the bound: from its tenth minute
to its end, by 128 MiB in all it holds (its heap is there in full from the start), or in what its heap has in use; and
with --one-life, by more than 64 MiB in the next 24 hours, by the second half of an hour or more: as a straight line or
as a logarithm, whichever foretold that half better from the first.
"""

import argparse
import json
import os
import platform
import shutil
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
from observer import messages
from soak_driver import Driver, Life, Parts, executors
from soak_growth import JUDGED_FROM_S, JUDGED_LIFE_S, Series, day_after, growth

from penstock.engines.kafka.topics import make_topics
from penstock.local import processes
from penstock.local.kafka import broker
from penstock.local.spark import standalone

PARTITIONS = 2
KEYS = 200
GROWS_AT_MOST_MIB = 128.0
IN_A_DAY_MIB = 64.0
DAY_JUDGED_LIFE_S = 3600.0  # a slope over less than half an hour tells of the last collection
DONE_WITHIN_S = 600.0
STARTS_WITHIN_S = 600.0
LOOK_EVERY_S = 5.0
TELL_EVERY_S = 60.0
TELL_PARTS_EVERY = 10  # of those that are looked at once a minute
SURE_AFTER_S = 30.0  # three triggers without a change: no result is on its way any more
HERE = Path(__file__).parent
# What goes wrong, by the share of the time that has passed.
PLAN = ((0.1, "executor"), (0.25, "executor"), (0.4, "broker"), (0.55, "driver"), (0.75, "executor"), (0.9, "executor"))
SPIKE = (3.0, 0.45, 0.6)


@dataclass(slots=True)
class Soak:
    """What runs, and what was seen."""

    place: Path
    bootstrap: str
    master: str
    seconds: float
    names: Sequence[str]
    driver: Driver
    plan: Sequence[tuple[float, str]] = PLAN
    events: list[str] = field(default_factory=list)

    def harm(self, kind: str, at_s: float) -> None:
        """Let something go wrong."""
        found = executors(self.place)
        if kind == "executor" and found:
            os.kill(found[0], signal.SIGKILL)
        elif kind == "broker":
            broker.restart(self.place / "kafka.json")
        elif kind == "driver":
            self.driver.kill()
            self.driver.start()
        told = {
            "executor": f"one of {len(found)} executors killed" if found else "no executor to kill",
            "broker": "broker restarted",
            "driver": "driver and controller killed, started again",
        }
        self.events.append(f"minute {at_s / 60:.1f}: {told[kind]}")
        _tell(self.events[-1])


@dataclass(frozen=True, slots=True)
class Count:
    """What became of the rows."""

    lost: int
    doubled: int
    waited_s: float  # from the load's end until none was missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=50.0, help="rows a second of each tenant")
    parser.add_argument("--tenants", type=int, default=8)
    parser.add_argument("--one-life", action="store_true", help="leave the driver alone: growth is seen for longer")
    parser.add_argument("--plain", action="store_true", help="the same queries in a driver without penstock")
    parser.add_argument("--place", type=Path, help="where logs, checkpoints and memory.json go, and stay")
    parser.add_argument("--out", type=Path, help="where the report goes, beside standard output")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # also of a program in the background: everything is taken down
        signal.signal(number, lambda *_: sys.exit(130))
    place = options.place or Path(tempfile.mkdtemp(prefix="penstock-soak-"))
    place.mkdir(parents=True, exist_ok=True)
    try:
        text, well = _on_a_cluster(place.resolve(), options)
    finally:
        if options.place is None:
            shutil.rmtree(place, ignore_errors=True)
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n", encoding="utf-8")
    sys.exit(0 if well else 1)


def _on_a_cluster(place: Path, options: argparse.Namespace) -> tuple[str, bool]:
    names = [f"tenant{number}" for number in range(options.tenants)]
    try:
        kafka = broker.up(place / "kafka.json", processes.free_port(), PARTITIONS)
        cluster = standalone.up(place / "cluster.json", workers=2, cores=len(names), port=processes.free_port())
        seconds = options.minutes * 60.0
        plan = tuple(harm for harm in PLAN if not (options.one_life and harm[1] == "driver"))
        driver = Driver(place, governed=not options.plain)
        soak = Soak(place, kafka.bootstrap, cluster.master, seconds, names, driver, plan)
        return _soaked(soak, options.rate)
    finally:
        standalone.down(place / "cluster.json")
        broker.down(place / "kafka.json")


def _soaked(soak: Soak, rate: float) -> tuple[str, bool]:
    make_topics(soak.bootstrap, [f"{name}_{end}" for name in soak.names for end in ("in", "out")], PARTITIONS)
    (soak.place / "tenants.yaml").write_text(yaml.safe_dump(_tenants_file(soak)), encoding="utf-8")
    try:
        soak.driver.start()
        _until_ready(soak)
        accounts = _loaded(soak, rate)
        counted = _counted(soak, accounts)
    finally:
        soak.driver.kill()
        lives = [{"resident": life.resident, "heap": life.heap} for life in soak.driver.lives]
        (soak.place / "memory.json").write_text(json.dumps(lives), encoding="utf-8")
    return _report(soak, accounts, counted)


def _tenants_file(soak: Soak) -> dict[str, Any]:
    (soak.place / "soak_jobs.py").write_bytes((HERE / "soak_jobs.py").read_bytes())
    jobs = [
        {
            "name": name,
            "job": "soak_jobs:counts",
            "params": {
                "bootstrap": soak.bootstrap,
                "source": f"{name}_in",
                "target": f"{name}_out",
                "trigger": "5 seconds" if number % 2 else "10 seconds",
            },
            "intent": {"latency": "10s", "utility": 40 if number == 0 else 10},
            "max_rows_per_batch": 5000,
            "restart": {"max_restarts": 100, "backoff": "1s", "max_backoff": "10s"},
        }
        for number, name in enumerate(soak.names)
    ]
    return {
        "name": "soak",
        "master": soak.master,
        "kafka": True,
        "conf": {"spark.sql.shuffle.partitions": 2, "spark.executor.memory": "768m", **soak.driver.conf},
        "checkpoints": str(soak.place / "checkpoints"),
        "interval": "5s",
        "jobs": jobs,
    }


def _until_ready(soak: Soak) -> None:
    """Until every query has committed a batch: the load's minutes are not those of starting."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    while len(list(soak.place.glob("checkpoints/*/commits/0"))) < len(soak.names):
        soak.driver.look()
        if time.monotonic() > deadline:
            raise SystemExit(f"not all queries started within {STARTS_WITHIN_S:.0f} s")
        time.sleep(1.0)
    _tell("all queries run")


def _loaded(soak: Soak, rate: float) -> dict[str, Any]:
    loads: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name in soak.names:
            loads[name] = _load(soak, name, rate)
        _until_sent(soak, loads)
    finally:
        for load in loads.values():
            load.terminate()
        codes = {name: load.wait(60.0) for name, load in loads.items()}
    if any(codes.values()):
        raise SystemExit(f"rows could not be delivered: exit codes {codes}")
    return {name: json.loads((soak.place / f"{name}.json").read_text(encoding="utf-8")) for name in loads}


def _until_sent(soak: Soak, loads: "Mapping[str, subprocess.Popen[bytes]]") -> None:
    started_s, plan, told_s = time.monotonic(), list(soak.plan), 0.0
    while any(load.poll() is None for load in loads.values()):
        at_s = time.monotonic() - started_s
        if plan and at_s >= plan[0][0] * soak.seconds:
            soak.harm(plan.pop(0)[1], at_s)
        resident = soak.driver.look()
        if at_s >= told_s:
            _tell(f"minute {at_s / 60:.1f}: {_batches(soak)} batches, driver {resident:.0f} MiB")
            told_s = at_s + TELL_EVERY_S
        time.sleep(LOOK_EVERY_S)


def _batches(soak: Soak) -> int:
    """Batches that were committed so far."""
    last: dict[Path, int] = {}
    for entry in soak.place.glob("checkpoints/*/commits/[0-9]*"):
        last[entry.parent] = max(last.get(entry.parent, 0), int(entry.name) + 1)
    return sum(last.values())


def _load(soak: Soak, name: str, rate: float) -> "subprocess.Popen[bytes]":
    factor, from_share, to_share = SPIKE
    spike = f"{factor:g},{from_share * soak.seconds:.0f}s,{to_share * soak.seconds:.0f}s"
    where = ["--bootstrap", soak.bootstrap, "--topic", f"{name}_in", "--json", str(soak.place / f"{name}.json")]
    curve = ["--rate", f"{rate:g}", "--for", f"{soak.seconds:.0f}s", "--spike", spike]
    command = [sys.executable, "-m", "penstock.cli.main", "load", *where, *curve, "--keys", str(KEYS), "--zipf", "1"]
    return subprocess.Popen(command, start_new_session=True)


def _counted(soak: Soak, accounts: Mapping[str, Any]) -> Count:
    """Rows lost and doubled over all tenants, once the results have come to rest."""
    started_s = time.monotonic()
    while (found := _compared(soak, accounts, started_s)).lost and found.waited_s < DONE_WITHIN_S:
        soak.driver.look()
        time.sleep(LOOK_EVERY_S)
    time.sleep(SURE_AFTER_S)
    last = _compared(soak, accounts, started_s)
    return Count(last.lost, last.doubled, found.waited_s)


def _compared(soak: Soak, accounts: Mapping[str, Any], started_s: float) -> Count:
    lost = doubled = 0
    for name, account in accounts.items():
        told, sent = _told(soak.bootstrap, f"{name}_out"), account["per_key"]
        lost += sum(max(0, rows - told.get(key, 0)) for key, rows in sent.items())
        doubled += sum(max(0, rows - sent.get(key, 0)) for key, rows in told.items())
    return Count(lost, doubled, time.monotonic() - started_s)


def _told(bootstrap: str, topic: str) -> dict[str, int]:
    """Each key's count, the highest that was told."""
    found: dict[str, int] = {}
    for message in messages(bootstrap, topic):
        key = (message.key() or b"").decode()
        found[key] = max(found.get(key, 0), int(message.value() or 0))
    return found


def _report(soak: Soak, accounts: Mapping[str, Any], counted: Count) -> tuple[str, bool]:
    lives = soak.driver.lives
    grown = [found for life in lives for found in (growth(life.resident), growth(life.heap)) if found is not None]
    daily = [found for life in lives for found in _judged_days(life)]
    well = (
        counted.lost == counted.doubled == 0
        and max(grown, default=0.0) <= GROWS_AT_MOST_MIB
        and max(daily, default=0.0) <= IN_A_DAY_MIB
    )
    memory = "" if grown else " Memory was not judged: no life of the driver was long enough."
    where = f"{os.cpu_count()} cores, {platform.machine()}, load average {os.getloadavg()[2]:.1f} (15 minutes)"
    kind = "Soak" if soak.driver.governed else "Soak without penstock"
    lines = [
        f"{kind} of {soak.seconds / 60:g} minutes, {len(soak.names)} tenants, {time.strftime('%Y-%m-%d')}, {where}: "
        f"**{'passed' if well else 'FAILED'}**.{memory}",
        "",
        "| what | figure |",
        "|---|---|",
        f"| rows sent and confirmed | {sum(account['delivered'] for account in accounts.values()):,} |",
        f"| rows lost | {counted.lost} |",
        f"| rows doubled | {counted.doubled} |",
        f"| batches committed | {_batches(soak):,} |",
        f"| from the load's end until every row was counted | {counted.waited_s:.0f} s |",
        *(f"| what went wrong | {event} |" for event in soak.events),
        "",
        *_memory_told(lives),
    ]
    return "\n".join(lines), well


def _memory_told(lives: Sequence[Life]) -> Sequence[str]:
    """How the memory of each life went, and how that is judged."""
    judged = f"minute {JUDGED_FROM_S / 60:.0f} to the end, of lives over {JUDGED_LIFE_S / 60:.0f} minutes"
    return [
        f"Growth is judged from {judged}; the bound is {GROWS_AT_MOST_MIB:.0f} MiB. In the 24 h after a life of "
        f"{DAY_JUDGED_LIFE_S / 60:.0f} minutes or more it is {IN_A_DAY_MIB:.0f} MiB. What its second half grew by may "
        "go on as a leak would, or fill up ever slower, as a logarithm: what foretold that half better counts.",
        "",
        "| life of the driver | resident, Python and JVM (MiB) | growth | in 24 h | heap in use, collected (MiB) "
        "| growth | in 24 h |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {life.number + 1}: {life.resident[-1][0] / 60:.0f} min "
            f"| {_course(life.resident)} | {_grown(life.resident)} | {_in_a_day(life.resident)} "
            f"| {_course(life.heap)} | {_grown(life.heap)} | {_in_a_day(life.heap)} |"
            for life in lives
            if life.resident
        ),
        "",
        "| life, minute | Python | code that the JVM has compiled | the JVM without that and without its heap |",
        "|---|---|---|---|",
        *(_told_parts(life.number, parts) for life in lives for parts in life.parts[::TELL_PARTS_EVERY]),
    ]


def _told_parts(life: int, parts: Parts) -> str:
    """A row of MiB."""
    return f"| {life + 1}, {parts.at_s / 60:.0f} | {parts.python:.0f} | {parts.code:.0f} | {parts.rest:.0f} |"


def _judged_days(life: Life) -> Sequence[float]:
    long_ones = [series for series in (life.resident, life.heap) if series and series[-1][0] >= DAY_JUDGED_LIFE_S]
    return [found.foretold for found in map(day_after, long_ones) if found is not None]


def _course(series: Series) -> str:
    """A series at its tenth minute, if it came to that, its end and its highest."""
    if not series:
        return "none"
    warm = next(
        (f"{mib:.0f} at minute {JUDGED_FROM_S / 60:.0f}, " for at_s, mib in series if at_s >= JUDGED_FROM_S), ""
    )
    return f"{warm}{series[-1][1]:.0f} at the end, {max(mib for _, mib in series):.0f} at most"


def _grown(series: Series) -> str:
    found = growth(series)
    return "not judged" if found is None else f"{found:+.0f}"


def _in_a_day(series: Series) -> str:
    found = day_after(series)
    if found is None:
        return "not judged"
    leak = f"{found.if_all_leaks:+.0f} if a leak (second half {found.leak_was_off:.1f} beside what it foretold)"
    return f"{leak}; {found.if_all_fills:+.0f} if it fills up ({found.filling_was_off:.1f} beside)"


def _tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
