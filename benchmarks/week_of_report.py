"""A week of eight tenants, with a round and a decision every 10 s: how long `penstock report` and `explain` take of it.

python benchmarks/week_of_report.py [--days 7] [--looks 3] [--store week.sqlite]     # made where it is not there

An hour is simulated and recorded, then copied within the store until it is a week.
"""

import argparse
import math
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from day_of_tenants import day, record

from penstock.core.cycle import Cycle
from penstock.core.levers import Tasks
from penstock.core.plan import Decision, Outcome, Plan, Reason, Step, StepOutcome, Verdict
from penstock.core.seen.view import View
from penstock.store.open import open_store

TENANTS = 8
INTERVAL_S = 10.0
DAY_S = 86_400.0
_TIMES = ("at_s", "decided_at_s", "judged_at_s", "again_until_s")
_MIB = 1 << 20
_KIB = 1 << 10


@dataclass(frozen=True, slots=True)
class Told:
    """One look: how long it took from nothing, and the most memory that it had."""

    took_s: float
    memory_mib: float


def week(path: Path, days: float) -> None:
    """Record it."""
    with closing(open_store(path)) as store:
        run = record(store, day(hours=1.0, tenants=TENANTS, machines=3))
        *_, view = store.views(run.id)
        store.append(_deciding(replace(view, at_s=view.at_s + INTERVAL_S)))
    with closing(sqlite3.connect(path)) as raw, raw:
        (cycles,) = raw.execute("SELECT max(id) FROM penstock_cycles").fetchone()
        _decide_always(raw, cycles)
        for part in range(1, math.ceil(days * DAY_S / (cycles * INTERVAL_S))):
            for table in _tables(raw):
                _copy(raw, table, part * cycles, part * cycles * INTERVAL_S, cycles)


def _deciding(view: View) -> Cycle:
    """A round with a decision that was carried out, and a verdict on the one before it."""
    first, now_s = view.jobs[0].figures, view.at_s
    moves = (Tasks(first.name, first.operators[0].name, 1, 2),)
    decision = Decision(Reason.RECONFIGURED, moves, f"{first.name} misses its latency", now_s, view.utility, 200.0)
    verdict = Verdict(now_s - INTERVAL_S, now_s, view.utility, "better: 190 -> 198 (expected 200)", place=0)
    plan = Plan((decision,), note="a benchmark", verdicts=(verdict,))
    return Cycle(now_s, "henge", view, plan, Outcome((StepOutcome(Step(first.name, moves)),)), {})


def _decide_always(raw: sqlite3.Connection, last: int) -> None:
    """Each round decides as the last one did."""
    for table in ("penstock_decisions", "penstock_step_outcomes", "penstock_verdicts"):
        names = [name for name in _columns(raw, table) if name != "cycle_id"]
        given = ", ".join(f"one.{name} + c.at_s - l.at_s" if name in _TIMES else f"one.{name}" for name in names)
        raw.execute(
            f"INSERT INTO {table} (cycle_id, {', '.join(names)}) SELECT c.id, {given} "
            f"FROM penstock_cycles c, {table} one JOIN penstock_cycles l ON l.id = one.cycle_id "
            f"WHERE one.cycle_id = {last} AND NOT EXISTS (SELECT 1 FROM {table} there WHERE there.cycle_id = c.id)"
        )


def _tables(raw: sqlite3.Connection) -> Iterator[str]:
    """Cycles, then those whose rows are of one."""
    yield "penstock_cycles"
    named = raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'penstock%'").fetchall()
    yield from (name for (name,) in named if "cycle_id" in _columns(raw, name))


def _copy(raw: sqlite3.Connection, table: str, by: int, by_s: float, cycles: int) -> None:
    key = "id" if table == "penstock_cycles" else "cycle_id"
    names = _columns(raw, table)
    shifted = {key: f"{key} + {by}", **{name: f"{name} + {by_s}" for name in _TIMES}}
    given = ", ".join(shifted.get(name, name) for name in names)
    raw.execute(f"INSERT INTO {table} ({', '.join(names)}) SELECT {given} FROM {table} WHERE {key} <= {cycles}")


def _columns(raw: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in raw.execute(f"PRAGMA table_info({table})")]


def told(*command: str) -> Told:
    """By a process of its own, as somebody at a terminal has it."""
    begun_s = time.perf_counter()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    ours = [sys.executable, "-m", "penstock.cli.main", *command]
    child = os.posix_spawn(sys.executable, ours, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)])
    _, status, used = os.wait4(child, 0)
    os.close(nowhere)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with status {status}")
    return Told(time.perf_counter() - begun_s, used.ru_maxrss * _KIB / _MIB)


def main() -> None:
    """Make it, look, and say how long it took."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--days", type=float, default=7.0)
    asked.add_argument("--looks", type=int, default=3)
    asked.add_argument("--store", type=Path)
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as place:
        path = options.store or Path(place, "week.sqlite")
        if not path.exists():
            week(path, options.days)
        print(f"a store of {path.stat().st_size / _MIB:.0f} MiB")
        page = str(Path(place, "report.html"))
        for words in (["report"], ["report", "--html", page], ["explain"]):
            looks = [told(*words, str(path)) for _ in range(options.looks)]
            took_s = [look.took_s for look in looks]
            memory_mib = max(look.memory_mib for look in looks)
            shown = " ".join(words[:2])
            median_s = statistics.median(took_s)
            print(f"{shown}: median {median_s:.2f} s, {min(took_s):.2f} to {max(took_s):.2f}, {memory_mib:.0f} MiB")


if __name__ == "__main__":
    main()
