"""Rows that no penstock would have written: each is told once and passed over, and what is right beside it is heard."""

import json
import logging
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.asked.orders import Act, Answer, Request
from penstock.core.levers import WHOLE, Dial
from penstock.errors import ConfigError
from penstock.governing.coordinating import _wanted_lately
from penstock.governing.remembering import left_behind, remembered
from penstock.loop import LoopSettings
from penstock.store.archive import MOST_TOLD, UnreadableError
from penstock.store.control import DeskControl
from penstock.store.desk import Card
from penstock.store.intent_codec import encode_intent
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.telling.explain import explain
from tests.cli.calling import penstock
from tests.recorded import RUN, Noted, a_cycle, a_decision, a_judging_cycle, a_view, an_acting_cycle

GOOD = encode_intent(Intent(Juice(0.5)))
POISON: dict[str, dict[str, Any]] = {
    "an unknown act": {"act": "dance"},
    "an act in another spelling": {"act": "PAUSE"},
    "no JSON": {"act": "intent", "job": "ads", "intent": "{"},
    "another document": {"act": "intent", "job": "ads", "intent": "[1]"},
    "an unknown shape": {"act": "intent", "job": "ads", "intent": GOOD.replace("Knee", "Knife")},
    "a huge utility": {"act": "intent", "job": "ads", "intent": GOOD.replace('"utility":1.0', '"utility":1e308')},
    "an infinite utility": {"act": "intent", "job": "ads", "intent": GOOD.replace('"utility":1.0', '"utility":1e999')},
    "no utility": {"act": "intent", "job": "ads", "intent": GOOD.replace('"utility":1.0', '"utility":NaN')},
    "nesting without end": {"act": "intent", "job": "ads", "intent": "[" * 100_000},
    "an intent without a job": {"act": "intent", "intent": GOOD},
    "a turn without a lever": {"act": "turn"},
    "a lever that is none": {"act": "turn", "turn": json.dumps({"kind": "speed", "job": "ads", "value": 1})},
    "no number": {"act": "turn", "turn": '{"kind":"bound","job":"ads","value":NaN}'},
    "a yes to nothing": {"act": "approve"},
    "a time that is none": {"act": "pause", "at_epoch_s": "yesterday"},
}


def put(path: Path, table: str, **row: Any) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        (number,) = raw.execute("SELECT number FROM penstock_runs").fetchone()
        columns = {"run": number, **row}
        marks = ", ".join("?" * len(columns))
        raw.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", list(columns.values()))


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON)
def test_a_request_that_cannot_be_read_is_told_once_and_others_are_heard(
    path: Path, store: SqlStore, poison: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    put(path, "penstock_requests", **{"at_epoch_s": 1.0, "who": "eve", **poison})
    store.desk.ask(RUN.id, Request(Act.PAUSE, "ann", 2.0))
    with caplog.at_level(logging.WARNING, "penstock"):
        first = DeskControl(store.desk, RUN.id)
        assert [first.orders(10.0).paused_by, first.orders(20.0).paused_by] == ["ann", "ann"]
        restarted = DeskControl(store.desk, RUN.id)
        assert (restarted.orders(30.0).paused_by, restarted.orders(30.0).intents) == ("ann", {})
    assert [record.message for record in caplog.records if "request 1 cannot be read" in record.message] == [
        caplog.records[0].message
    ]
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "poison", [{"decision": "{}"}, {"decision": "no JSON"}, {"answer": "maybe"}], ids=["another", "none", "answer"]
)
def test_a_proposal_that_cannot_be_read_is_told_once_and_expires(
    path: Path, store: SqlStore, poison: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    store.desk.propose(RUN.id, a_decision(5.0))
    with closing(sqlite3.connect(path)) as raw:
        (text,) = raw.execute("SELECT decision FROM penstock_proposals").fetchone()
    put(path, "penstock_proposals", **{"at_s": 5.0, "decision": text, "answer": "approved", **poison})
    with caplog.at_level(logging.WARNING, "penstock"):
        for _ in range(2):
            control = DeskControl(store.desk, RUN.id)
            assert [control.orders(now).held for now in (10.0, 20.0)] == [{"ads"}] * 2
    assert ["proposal 2 cannot be read" in record.message for record in caplog.records] == [True]
    assert next(proposal.answer for proposal in store.desk.proposals(RUN.id)) is Answer.OPEN


def test_what_holds_goes_on_to_hold_when_the_run_is_gone_from_the_store(
    path: Path, store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.desk.ask(RUN.id, Request(Act.PAUSE, "ann", 2.0))
    control = DeskControl(store.desk, RUN.id)
    assert control.orders(10.0).paused_by == "ann"
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("DELETE FROM penstock_runs")
    with caplog.at_level(logging.WARNING, "penstock"):
        assert [control.orders(now).paused_by for now in (20.0, 30.0)] == ["ann", "ann"]
        control.propose(a_decision(30.0))
    assert len(caplog.records) == 1


SPOILT = {
    "figures that are no bytes": "UPDATE penstock_cycles SET snapshot = 'x'",
    "figures that were not deflated": "UPDATE penstock_cycles SET snapshot = X'FF00'",
    "figures of something else": "UPDATE penstock_cycles SET snapshot = (SELECT body FROM penstock_memories)",
    "a memory that was not deflated": "UPDATE penstock_memories SET body = X'FF00'",
    "an intent that is no JSON": "UPDATE penstock_intents SET body = '{'",
    "an intent of another kind": "UPDATE penstock_intents SET body = '[1]'",
    "a move of no kind": "UPDATE penstock_decisions SET changes = '[{}]'",
    "an instant that is none": "UPDATE penstock_cycles SET at_s = 'x'",
    "a utility that is no number": "UPDATE penstock_cycles SET utility = 'x'",
    "a utility without end": "UPDATE penstock_cycles SET utility = 9e999",
    "an instant at the end of time": "UPDATE penstock_cycles SET at_s = 9e999",
    "a tenant's utility in words": "UPDATE penstock_job_figures SET utility = 'x'",
    "a tenant's utility without end": "UPDATE penstock_job_figures SET utility = 9e999",
    "slots without end": "UPDATE penstock_job_figures SET threads = 9e999",
    "a start that is none": "UPDATE penstock_runs SET started_at_s = 'x'",
    "a start in no year": "UPDATE penstock_runs SET started_at_s = 1e308",
    "a price that is none": "UPDATE penstock_runs SET slot_hour_price = 'x'",
    "a price that nobody can pay": "UPDATE penstock_runs SET slot_hour_price = 1e308",
    "a name in bytes": "UPDATE penstock_runs SET name = X'FF00'",
    "a shortfall in bytes": "UPDATE penstock_cycles SET shortfall = X'FF00'",
    "a tenant in bytes": "UPDATE penstock_intents SET job = X'FF00'",
    "an act heard at no instant": "UPDATE penstock_requests SET taken_at_s = 'x'",
    "an act heard at the end of time": "UPDATE penstock_requests SET taken_at_s = 9e999",
    "an act that is none": "UPDATE penstock_requests SET act = 'dance', taken_at_s = 2.0",
    "a person in bytes": "UPDATE penstock_requests SET who = X'FF00'",
    "a controller seen at the end of time": "UPDATE penstock_controllers SET seen_at_epoch_s = 9e999",
    "a controller that looks for ever": "UPDATE penstock_controllers SET interval_s = 1e308",
}
COMMANDS = (
    ("report", RUN.id),
    ("explain", RUN.id),
    ("report", RUN.id, "--json", "-"),
    ("explain", RUN.id, "--json", "-"),
    ("diff", RUN.id, RUN.id),
    ("top", "--once"),
    ("top", "--json", "-"),
    ("control", "show"),
)


@pytest.fixture
def governed(store: SqlStore) -> SqlStore:
    """With a cycle, an act that a controller heard, and its sign of life."""
    store.append(an_acting_cycle(10.0))
    store.desk.ask(RUN.id, Request(Act.PAUSE, "ann", 2.0))
    DeskControl(store.desk, RUN.id).orders(10.0)
    return store


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_driver_goes_on_with_a_run_whose_record_is_spoilt(path: Path, governed: SqlStore, spoil: str) -> None:
    # Started again it would die of the same row each time, until its supervisor gave it up with all tenants.
    store = governed
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute(spoil)
    assert set(left_behind(path, RUN.id).slots) <= {"ads", "fraud"}
    kept = remembered(store, RUN, LoopSettings())
    kept.store.last_memory("henge", Noted)
    kept.store.past_cycles(0.0, 60.0)
    kept.store.append(an_acting_cycle(20.0))
    assert (kept.lost, store.last_at_s) == (False, 20.0)


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_record_that_is_spoilt_is_told_in_one_line(path: Path, governed: SqlStore, spoil: str) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(spoil)
    for command in COMMANDS:
        said = penstock(*command, "--store", str(path))
        assert said.returncode == 0 or len(said.stderr.splitlines()) == 1, said.stderr


def test_a_run_whose_row_is_spoilt_leaves_the_others_to_be_read(path: Path, store: SqlStore) -> None:
    store.append(an_acting_cycle(10.0))
    store.begin(replace(RUN, id="demo-2"))
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE penstock_runs SET started_at_s = 'x', slot_hour_price = 'x' WHERE id = 'demo-2'")
    assert [(run.id, run.started_at_s) for run in store.runs()] == [(RUN.id, RUN.started_at_s), ("demo-2", None)]
    assert store.read_run(RUN.id).at_s == (10.0,)


@pytest.mark.parametrize("instant", ["'x'", "1e308", "9e999"])
def test_a_round_at_an_instant_that_is_none_is_dropped_when_its_run_goes_on(
    path: Path, store: SqlStore, instant: str
) -> None:
    # It would be the newest of the run for ever, and a clock that goes on from 1e308 stands still.
    store.append(an_acting_cycle(10.0))
    store.append(an_acting_cycle(20.0))
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(f"UPDATE penstock_cycles SET at_s = {instant} WHERE at_s = 20.0")
    store.begin(RUN)
    assert store.last_at_s == 10.0
    store.append(an_acting_cycle(30.0))
    assert store.read_run(RUN.id).at_s == (10.0, 30.0)


@pytest.mark.parametrize("instant", ["'x'", "9e999"])
def test_a_round_at_an_instant_that_is_none_hides_no_round_after_it(path: Path, store: SqlStore, instant: str) -> None:
    for at_s in (10.0, 20.0, 30.0):
        store.append(an_acting_cycle(at_s))
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(f"UPDATE penstock_cycles SET at_s = {instant} WHERE at_s = 20.0")
    run = store.read_run(RUN.id)
    assert (run.at_s, list(run.job("ads").utility), [list(one.load) for one in run.machines]) == (
        (10.0, 30.0),
        [20.0, 20.0],
        [[6.5, 6.5], [None, None]],
    )


@pytest.mark.parametrize("field", ["who", "act", "detail"])
def test_of_an_act_in_megabytes_the_beginning_is_told(path: Path, store: SqlStore, field: str) -> None:
    put(path, "penstock_audit", **{"at_epoch_s": 1.0, "who": "eve", "act": "pause", "detail": "", field: "x" * 10**7})
    (told,) = store.audit(RUN.id)
    assert getattr(told, field) == "x" * MOST_TOLD + "..."


@pytest.mark.parametrize(
    "table", ["cycles SET note", "decisions SET why", "verdicts SET text", "job_figures SET trouble"]
)
def test_of_a_text_in_megabytes_a_report_tells_the_beginning(path: Path, store: SqlStore, table: str) -> None:
    store.append(an_acting_cycle(10.0))
    store.append(a_judging_cycle(20.0, 10.0))
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(f"UPDATE penstock_{table} = ?", ["x" * 10**6])
    assert len(explain(store.read_run(RUN.id))) < 10 * MOST_TOLD


@pytest.mark.parametrize("spoil", ["at_epoch_s = 'soon'", "at_epoch_s = 9e999", "at_epoch_s = X'FF00'"])
def test_an_act_that_no_penstock_would_have_written_is_told_by_its_place(
    path: Path, store: SqlStore, spoil: str
) -> None:
    store.desk.ask(RUN.id, Request(Act.PAUSE, "ann", 1.0))
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(f"UPDATE penstock_audit SET {spoil}")
    with pytest.raises(UnreadableError, match=f"a row cannot be read: penstock_audit, id 1: {spoil.split()[0]}: "):
        store.audit(RUN.id)


def test_an_act_of_more_words_than_are_told_is_refused(store: SqlStore) -> None:
    store.desk.ask(RUN.id, Request(Act.START, "ann", 1.0, "x" * MOST_TOLD))
    with pytest.raises(ConfigError, match=r"what is asked: .* it has 10,001 characters; write 10,000 at most"):
        store.desk.ask(RUN.id, Request(Act.START, "ann", 1.0, "x" * (MOST_TOLD + 1)))
    with pytest.raises(ConfigError, match=r"who: .* write 10,000 at most"):
        store.desk.ask(RUN.id, Request(Act.PAUSE, "ann" * MOST_TOLD, 2.0))
    assert (len(store.audit(RUN.id)), len(store.desk.waiting(RUN.id))) == (1, 1)


VERSIONS = {"in words": "'soon'", "of nothing": "NULL", "without end": "9e999", "in bytes": "X'FF00'"}


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
def test_a_store_whose_version_is_none_is_refused_in_one_line(path: Path, store: SqlStore, version: str) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("DROP TABLE penstock_schema")
        raw.execute("CREATE TABLE penstock_schema (version)")
        raw.execute(f"INSERT INTO penstock_schema VALUES ({version})")
    said = penstock("report", RUN.id, "--store", str(path))
    assert (said.returncode, len(said.stderr.splitlines())) == (2, 1)
    assert f"store: {str(path)!r} cannot be used; its schema has version " in said.stderr
    with pytest.raises(ConfigError, match="its schema has version"), closing(open_store(path)) as opened:
        opened.begin(RUN)


def test_a_card_that_cannot_be_read_is_no_sign_of_life(path: Path, store: SqlStore) -> None:
    store.desk.leave_card(RUN.id, Card(1.0, 2.0, 3.0))
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE penstock_controllers SET approval = 'nobody'")
    assert store.desk.card(RUN.id) is None


@pytest.mark.parametrize("utility", [1e308, 1.1e12, float("inf"), float("nan"), -1.0, 0.0, 10**400])
def test_no_intent_is_worth_more_than_can_be_added_up(utility: float) -> None:
    with pytest.raises(ConfigError, match="utility"):
        Juice(0.5, utility=utility)
    assert Juice(0.5, utility=1e12).utility == 1e12


@pytest.mark.parametrize(
    ("poison", "told"),
    [
        ({"answer": "refused", "answered_at_s": "soon"}, 0),
        ({"answer": "refused", "answered_at_s": 9e999}, 0),
        ({"answer": "approved", "at": "NaN"}, 1),
        ({"answer": "open", "at": "Infinity"}, 1),  # it would hold its tenant still for ever
    ],
    ids=["answered in words", "answered at the end of time", "at no instant", "at the end of time"],
)
def test_instants_of_proposals_that_are_none_hold_up_neither_orders_nor_a_tenant(
    path: Path, store: SqlStore, poison: dict[str, Any], told: int, caplog: pytest.LogCaptureFixture
) -> None:
    store.desk.propose(RUN.id, a_decision(5.0))
    with closing(sqlite3.connect(path)) as raw, raw:
        (text,) = raw.execute("SELECT decision FROM penstock_proposals").fetchone()
        raw.execute("DELETE FROM penstock_proposals")
    spoilt = text.replace('"at_s":5.0', f'"at_s":{poison.get("at", 5.0)}')
    row = {name: value for name, value in poison.items() if name != "at"}
    put(path, "penstock_proposals", **{"at_s": 5.0, "decision": spoilt, **row})
    store.desk.ask(RUN.id, Request(Act.PAUSE, "ann", 2.0))
    with caplog.at_level(logging.WARNING, "penstock"):
        control = DeskControl(store.desk, RUN.id)
        found = [control.orders(now) for now in (10.0, 20.0)]
    assert [(orders.paused_by, orders.held) for orders in found] == [("ann", frozenset())] * 2
    assert len(caplog.records) == told


def test_a_request_with_a_number_below_zero_is_heard_and_waits_no_more(path: Path, store: SqlStore) -> None:
    put(path, "penstock_requests", id=-3, act="pause", who="eve", at_epoch_s=1.0)
    assert DeskControl(store.desk, RUN.id).orders(10.0).paused_by == "eve"
    assert store.desk.waiting(RUN.id) == ()


def test_a_memory_without_end_keeps_no_driver_from_starting_again(path: Path, store: SqlStore) -> None:
    endless = Dial("memory", WHOLE, now=float("inf"), least=512.0)
    store.append(a_cycle(10.0, replace(a_view(10.0), levers=(endless,))))
    assert left_behind(path, RUN.id).memory_mib is None


def test_executors_without_end_keep_no_coordinator_from_leading(store: SqlStore) -> None:
    endless = Dial("executors", "shop", now=float("inf"), least=1.0)
    known = Dial("executors", "news", now=3.0, least=1.0)
    store.append(a_cycle(10.0, replace(a_view(10.0), levers=(endless, known))))
    assert _wanted_lately(store, RUN.id, 0.0) == {"news": 3}
