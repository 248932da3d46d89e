"""A recorded store of two runs, one cell of which is spoilt, and a site that is asked all that it answers."""

import json
import random
import re
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from penstock.core.asked.budget import Budget, BudgetWindow, Burn, SpentBudget
from penstock.core.asked.intents import Intent, Juice
from penstock.core.asked.orders import Act, Request
from penstock.core.asked.price import Price
from penstock.core.cycle import Cycle
from penstock.core.known.outlook import JobOutlook, RecoveryForetold
from penstock.core.levers import Dial
from penstock.core.plan import Verdict
from penstock.core.seen.contacts import Contacts
from penstock.core.seen.deeds import Deed
from penstock.core.seen.failures import FailureKind
from penstock.store.archive import MOST_TOLD
from penstock.store.desk import Card
from penstock.store.desk_tables import metadata
from penstock.store.leadership import Leadership
from penstock.store.open import open_store
from penstock.store.tables import JsonBytes, JsonText
from penstock.web.aside import Aside
from penstock.web.what_if_process import _answered
from tests.bombs import a_bomb
from tests.recorded import (
    ERRORS,
    FORECAST,
    FORETOLD,
    RUN,
    URGENT,
    a_cycle,
    a_decision,
    a_job,
    a_route,
    a_view,
    an_acting_cycle,
)

SPOILT = replace(RUN, price=Price(0.05, "EUR"))
OTHER = replace(RUN, id="other-1", name="other", started_at_s=2_000_000.0)
BUDGET = Budget(0.8, 300.0, 86_400.0)
HERE = "http://localhost"
ASKED = {"job": "ads", "a": OTHER.id, "decision": "1"}  # what some routes do not answer without
SEVERAL_TEXTS = 100 * MOST_TOLD  # one that is long is told in several places, and as a label with each metric
LONG = "x" * (SEVERAL_TEXTS + 1)  # told whole in one place it is more than that

WORDS = {
    "words": "soon",
    "nothing": "",
    "bytes": b"\xff\x00",
    "no value": None,
    "without end": float("inf"),
    "less than without end": float("-inf"),
    "far too much": 1e308,
    "less than nothing": -5.0,
    "a whole number": 2**62,
    "JSON cut short": '{"a":',
    "another JSON": "[1]",
    "no number in JSON": "NaN",
    "nested without end": "[" * 100_000,
    "a megabyte": LONG,
    "deflated words": zlib.compress(b"soon"),
    "deflated JSON": zlib.compress(b"{}"),
    "gigabytes, deflated": a_bomb(1024),
}
DOCUMENTS = [
    (table.name, column.name)
    for table in metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, JsonText | JsonBytes)
]
IN_NUMBERS = ("NaN", "1e999", "-1e999", "1e308", "-5", '"soon"', "null", "true", "4611686018427387904")


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A cell, by its row's keys, and what came into it."""

    table: str
    column: str
    keys: tuple[tuple[str, object], ...]
    how: str
    value: object

    def __str__(self) -> str:
        return f"{self.table}.{self.column} of {dict(self.keys)}: {self.how}"

    def into(self, path: Path) -> bool:
        """Whether SQLite took it."""
        where = " AND ".join(f"{name} = ?" for name, _ in self.keys)
        with closing(sqlite3.connect(path)) as raw, suppress(sqlite3.IntegrityError, OverflowError), raw:
            values = (self.value, *(value for _, value in self.keys))
            return raw.execute(f"UPDATE {self.table} SET {self.column} = ? WHERE {where}", values).rowcount == 1
        return False


def record(path: Path) -> None:
    """Two runs with a row in every table; the first one is governed now, as far as its card tells."""
    with closing(open_store(path)) as store:
        store.begin(OTHER)
        for at_s in (10.0, 20.0):
            store.append(an_acting_cycle(at_s))
        store.begin(SPOILT)
        for cycle in _cycles():
            store.append(cycle)
        desk = store.own_desk
        desk.leave_card(RUN.id, Card(time.time(), 60.0, 3600.0, approval=("ads",)))
        desk.ask(RUN.id, Request(Act.INTENT, "ann", 1_000_025.0, "ads", Intent(Juice(0.5))))
        desk.ask(RUN.id, Request(Act.PAUSE, "bob", 1_000_026.0))
        desk.take([1], 30.0)
        desk.propose(RUN.id, replace(a_decision(60.0), foretold=FORETOLD))
        Leadership(store.database, "fleet", "one", "here").take(1e6)


def _cycles() -> Iterator[Cycle]:
    spent = SpentBudget(BUDGET, 80.64, 100, 2, 3, (Burn(3600.0, 7.0),))
    window = BudgetWindow(1_000_200.0, good=3)
    ads = replace(a_job("ads", intent=URGENT.lasting(BUDGET)), spent=spent, window=window)
    dial = Dial("bound", "ads", 500.0, 10.0, 5000.0, worth=((100.0, 3.0), (500.0, 9.0)))
    ads = replace(ads, figures=replace(ads.figures, levers=(dial,), backlog_rows=120.0, processed_rps=90.0))
    for at_s in (10.0, 20.0, 30.0, 40.0, 50.0, 60.0):
        contacts = Contacts({"ads": 75.0, "fraud": 1.0}, cluster_s=40.0)
        view = replace(a_view(at_s, (ads, a_job("fraud", utility=35.0))), routes=(a_route(),), contacts=contacts)
        acting = an_acting_cycle(at_s) if at_s in (20.0, 40.0) else a_cycle(at_s)
        plan = acting.plan
        if at_s == 50.0:
            outlook = JobOutlook(
                "ads", at_s, 1000.0, FORECAST, ((4, 171.0),), (RecoveryForetold(FailureKind.DRIVER, 9.0, 5.0, 12.0, 3),)
            )
            verdict = Verdict(20.0, at_s, 64.0, "better: utility 55.0 -> 64.0", again=True, again_until_s=90.0, place=0)
            plan = replace(
                plan, verdicts=(verdict,), outlooks=(outlook,), errors=ERRORS, shortfall="no shares meet all"
            )
            view = replace(view, deeds=(Deed(45.0, "ads", "restarted", "it had died"),))
        decisions = tuple(replace(one, foretold=FORETOLD) for one in plan.decisions)
        yield replace(acting, view=view, plan=replace(plan, decisions=decisions))


def drawn(path: Path, seed: int) -> Iterator[Spoilt]:
    """A cell of every column of the spoilt run, in an order of the seed's, then again: each time in another way."""
    draw = random.Random(seed)
    with closing(sqlite3.connect(path)) as raw:
        raw.row_factory = sqlite3.Row
        columns = [
            (table, column, keys, rows)
            for (table,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'penstock%'")
            if (rows := raw.execute(f"SELECT * FROM {table} WHERE {_of_the_run(table)}").fetchall())
            for about in [raw.execute(f"PRAGMA table_info({table})").fetchall()]
            for keys in [[one["name"] for one in about if one["pk"]]]
            for column in [one["name"] for one in about]
        ]
    while True:
        draw.shuffle(columns)
        for table, column, keys, rows in columns:
            row = draw.choice(rows)
            how, value = draw.choice([*WORDS.items(), *_damaged(row[column], draw)])
            yield Spoilt(table, column, tuple((key, row[key]) for key in keys), how, value)


def _of_the_run(table: str) -> str:
    """Of a store that is of another version, nothing is told at all: tests/store/test_poisoned.py has that."""
    number = f"(SELECT number FROM penstock_runs WHERE id = '{SPOILT.id}')"
    whole = {"schema": "0", "leaders": "1", "runs": f"number = {number}", "budget_windows": f"name = '{SPOILT.name}'"}
    of_run = (
        "writers",
        "intents",
        "cycles",
        "memories",
        "audit",
        "requests",
        "proposals",
        "controllers",
        "route_windows",
    )
    name = table.removeprefix("penstock_")
    in_cycles = f"cycle_id IN (SELECT id FROM penstock_cycles WHERE run = {number})"
    return whole.get(name) or (f"run = {number}" if name in of_run else in_cycles)


def _damaged(now: object, draw: random.Random) -> Iterator[tuple[str, object]]:
    """What stands there, with one of its numbers exchanged, or its end lost."""
    if isinstance(now, bytes):
        with suppress(zlib.error, UnicodeDecodeError):
            yield from (
                (how, zlib.compress(text.encode())) for how, text in _damaged_text(zlib.decompress(now).decode(), draw)
            )
        yield "half of the bytes", now[: len(now) // 2]
    if isinstance(now, str):
        yield from _damaged_text(now, draw)


def _damaged_text(now: str, draw: random.Random) -> Iterator[tuple[str, str]]:
    found = list(re.finditer(r"(?<=[:,\[])-?\d+(\.\d+)?(?=[,}\]])", now))
    for number in draw.choices(found, k=6) if found else ():
        other = draw.choice(IN_NUMBERS)
        before = now[max(0, number.start() - 30) : number.start()]
        yield f"{other} after {before}", now[: number.start()] + other + now[number.end() :]
    words = list(re.finditer(r'"[a-z_]+"', now))
    for word in draw.choices(words, k=3) if words else ():
        yield f"another word than {word[0]}", now[: word.start()] + '"other"' + now[word.end() :]
    for word in draw.choices(words, k=2) if words else ():
        yield f"a megabyte instead of {word[0]}", now[: word.start()] + f'"{LONG}"' + now[word.end() :]
    yield "half of the text", now[: len(now) // 2]


def lengthen(path: Path, word: str, by: str) -> set[str]:
    """Put another word into the place of that one, in every document of the store; which cells came out longer."""
    changed: set[str] = set()

    def lengthened(place: str, cell: Any) -> Any:
        packed = isinstance(cell, bytes)
        text = zlib.decompress(cell).decode() if isinstance(cell, bytes) else cell
        if not isinstance(text, str) or f'"{word}' not in text:
            return cell
        changed.add(place)
        found = text.replace(f'"{word}', f'"{by}')
        return zlib.compress(found.encode()) if packed else found

    with closing(sqlite3.connect(path)) as raw, raw:
        raw.create_function("lengthened", 2, lengthened)
        for table, column in DOCUMENTS:
            raw.execute(f"UPDATE {table} SET {column} = lengthened('{table}.{column}', {column})")
    return changed


def questions(app: FastAPI, run: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every route of the site, with what it needs, about that run; the feed, which never ends, is asked otherwise.

    Whatever a what-if asks, the store is read as for any other: one of its examples is enough.
    """
    described = app.openapi()
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            named = {one["name"]: one["required"] for one in operation.get("parameters", ())}
            asked = {name: ASKED[name] for name, needed in named.items() if needed}
            asked |= {"run": run} if "run" in named else {"b": run} if "b" in named else {}
            if path == "/api/live":
                continue
            for body in islice(_bodies(described, operation), 1 if path == "/api/what-if" else None):
                yield method, path, {"params": asked, **body}


def _bodies(described: Any, operation: Any) -> Iterator[dict[str, Any]]:
    if "requestBody" not in operation:
        yield {}
        return
    schema = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    for example in described["components"]["schemas"][schema]["examples"]:
        yield {"json": json.loads(json.dumps(example).replace("fraud", "ads").replace("clicks", "ads"))}


async def answers(app: FastAPI, run: str, method: str | None = None) -> dict[str, httpx.Response]:
    """What is answered to each of these questions, or to those by that method."""
    found: dict[str, httpx.Response] = {}
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
        for by, path, what in questions(app, run):
            if method in (None, by):
                found[f"{by} {path} {what}"] = await client.request(by, path, **what)
    return found


async def news(app: FastAPI, run: str) -> str:
    """What the feed tells first of the run; while it is looked up for long, the feed says that it lives."""
    events = app.state.site.feed.events(run, lambda: True)
    async with aclosing(events):
        return str(await anext(text async for text in events if not text.startswith(("retry", "event: life"))))


class AtOnce(Aside):
    """Questions to the simulator are answered in this process."""

    def _start(self) -> None:
        pass

    def _asked(self, question: str, within_s: float) -> bytes:
        return json.dumps(_answered(json.loads(question))).encode() + b"\n"
