"""Controller killed, clock ahead, store locked, database gone: API, feed, `top` and `explain` say so and what to do.

Never a fault of ours, never green, and well again by itself once it is over.
"""

import gc
import json
import signal
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from penstock.cli.screen import Screen
from penstock.core.plan import AGAIN, Effect, Plan, Verdict
from penstock.core.seen.life import ControllerLife
from penstock.store.archive import StoreError
from penstock.store.cards import Card
from penstock.store.control import DeskControl
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.telling.explain import explain
from penstock.web.live import LiveLook
from penstock.web.lives import Lives
from penstock.web.reading import Reader
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from tests.cli import calling
from tests.cli.calling import penstock
from tests.patience import eventually, patience_s
from tests.recorded import RUN, a_cycle, a_job, a_view, an_acting_cycle
from tests.web import asking
from tests.web.screens import is_green, paths_of, text_of, uncoloured

NOW_S = 1_763_683_200.0
GREEN = "\x1b[32m"  # of a tenant's state


@pytest.fixture
def well(tmp_path: Path) -> Iterator[SqlStore]:
    """A run in which everybody has everything."""
    with closing(open_store(tmp_path / "well.sqlite")) as opened:
        opened.begin(RUN)
        opened.append(a_cycle(10.0, a_view(10.0, [a_job("ads", 35.0), a_job("fraud", 35.0)])))
        yield opened


def screen_of(store: SqlStore, reader: Reader | None = None) -> str:
    return text_of(Screen(store, reader or Reader(store), RUN.id).drawn())


# The controller


def test_who_ends_in_order_says_so_and_who_is_killed_does_not(well: SqlStore) -> None:
    control = DeskControl(well.own_desk, RUN.id)
    reader = Reader(well)
    control.arrive()
    assert not is_green(screen_of(well, reader))
    control.arrive()
    assert is_green(screen_of(well, reader))
    control.leave()
    told = Reader(well).control(RUN.id)
    assert (told.live, told.life) == (False, "ended")
    assert told.said.startswith("Its controller ended in order at ")
    assert not is_green(screen_of(well))
    control.arrive()  # another one goes on with the run
    assert reader.control(RUN.id).life == "live"


def test_a_controller_that_was_killed_is_told_as_such_with_what_to_do_and_nothing_is_green(well: SqlStore) -> None:
    well.desk.leave_card(RUN.id, Card(time.time() - 60.0, 10.0, interval_s=2.0))
    told = Reader(well).control(RUN.id)
    assert (told.live, told.life) == (False, "silent")
    for said in (told.said, " ".join(screen_of(well).split()), " ".join(explain(well.read_run(RUN.id)).split())):
        assert "has given no sign of life since" in said
        assert "restart it if needed" in said
    assert GREEN not in screen_of(well)
    assert screen_of(well).splitlines()[0].rstrip().endswith("no sign of life\x1b[0m")
    assert "Last known: All 2 tenants have what they asked for." in screen_of(well)


def test_a_dead_controller_whose_clock_was_ahead_is_not_live_for_as_long_as_that(well: SqlStore) -> None:
    well.desk.leave_card(RUN.id, Card(time.time() + 3_600.0, 10.0, interval_s=2.0))
    told = Reader(well).control(RUN.id)
    assert (told.live, told.life, told.may_act) == (False, "ahead", False)
    assert "1 h ahead" in told.said or "59 min" in told.said
    screen = screen_of(well)
    assert not is_green(screen)
    assert "Set both by a time server" in screen
    assert (
        "no controller is running. The clock of its controller"
        in penstock("control", "show", "--store", well.place, "--run", RUN.id).stdout
    )


def test_a_server_that_sees_signs_move_knows_better_than_their_clock() -> None:
    clock = [0.0]
    lives = Lives(epoch=lambda: NOW_S, clock=lambda: clock[0])

    def seen(off_s: float, at_s: float) -> ControllerLife:
        clock[0] = at_s
        return lives.of(RUN.id, Card(NOW_S + off_s, 10.0, interval_s=2.0))

    assert [seen(3_600.0, 0.0), seen(3_602.0, 2.0), seen(3_602.0, 16.0)] == [
        ControllerLife.AHEAD,
        ControllerLife.LIVE,
        ControllerLife.LIVE,
    ]
    assert seen(3_602.0, 18.0) is ControllerLife.SILENT  # killed: its last sign is an hour from now, and does not move
    assert seen(3_602.0, 99.0) is ControllerLife.SILENT
    assert seen(3_700.0, 100.0) is ControllerLife.LIVE  # started again
    assert [seen(-60.0, 101.0), seen(-58.0, 103.0)] == [
        ControllerLife.LIVE,
        ControllerLife.LIVE,
    ]  # its clock was set back meanwhile
    assert lives.of("never governed", None) is ControllerLife.ENDED


def test_one_sign_proves_nothing_to_a_server_that_was_started_again_and_the_next_one_does(well: SqlStore) -> None:
    well.desk.leave_card(RUN.id, Card(time.time(), 10.0, interval_s=patience_s()))  # who left it may have been killed
    reader = Reader(well)
    told = reader.control(RUN.id)
    assert (told.life, told.live) == ("awaited", True)  # and it may be asked for something
    screen = " ".join(screen_of(well, reader).split())
    assert "sign of life awaited" in screen
    assert GREEN not in screen
    assert "Last known: All 2 tenants have what they asked for." in screen
    assert "the next one, due within" in screen
    assert not is_green(screen_of(well, reader))
    well.desk.leave_card(RUN.id, Card(time.time() + 0.1, 20.0, interval_s=patience_s()))
    assert reader.control(RUN.id).life == "live"
    assert is_green(screen_of(well, reader))
    assert GREEN in screen_of(well, reader)


def test_a_sign_that_came_while_nobody_looked_proves_nothing_however_many_were_seen_before() -> None:
    clock = [0.0]
    lives = Lives(epoch=lambda: NOW_S + clock[0], clock=lambda: clock[0])

    def seen(sign_s: float, at_s: float) -> ControllerLife:
        clock[0] = at_s
        return lives.of(RUN.id, Card(NOW_S + sign_s, 10.0, interval_s=2.0))

    assert [seen(0.0, 0.0), seen(2.0, 2.0)] == [ControllerLife.AWAITED, ControllerLife.LIVE]
    assert seen(1_800.0, 3_600.0) is ControllerLife.SILENT  # killed half an hour ago: its last sign is new only here
    assert seen(5_000.0, 5_001.0) is ControllerLife.AWAITED
    assert seen(5_002.0, 5_003.0) is ControllerLife.LIVE


def test_nobody_promises_to_look_again_where_nobody_is_left_to_do_it(well: SqlStore) -> None:
    well.append(an_acting_cycle(20.0))
    first = Verdict(20.0, 80.0, 50.0, f"worse: utility of ads 5.0 -> 2.0; {AGAIN}", Effect.WORSE, place=0, again=True)
    well.append(a_cycle(80.0, plan=Plan(verdicts=(first,))))

    def told() -> tuple[str | None, bool]:
        reader = Reader(well)
        (decision,) = reader.decisions(reader.gallery(RUN.id))
        return decision.verdict, decision.again

    well.desk.leave_card(RUN.id, Card(time.time(), 80.0, interval_s=10.0))
    assert told() == (first.text, True)
    well.desk.leave_card(RUN.id, Card(time.time() - 600.0, 80.0, interval_s=10.0))
    assert told() == ("worse: utility of ads 5.0 -> 2.0; the record ends before the next check", False)
    # Another driver goes on, long after the time at which it was to be looked at, and knows nothing of it.
    well.desk.leave_card(RUN.id, Card(time.time(), 600.0, interval_s=10.0))
    well.append(a_cycle(600.0))
    assert told() == ("worse: utility of ads 5.0 -> 2.0; not checked again: governing restarted before that", False)


def test_what_came_of_a_decision_is_open_while_somebody_governs_and_not_judged_once_nobody_does(well: SqlStore) -> None:
    well.append(an_acting_cycle(20.0))

    def told() -> tuple[str, str | None]:
        reader = Reader(well)
        (decision,) = reader.decisions(reader.gallery(RUN.id))
        return decision.came, decision.verdict

    well.desk.leave_card(RUN.id, Card(time.time(), 20.0, interval_s=10.0))
    assert told() == ("not judged yet", None)
    well.desk.leave_card(RUN.id, Card(time.time() - 600.0, 20.0, interval_s=10.0))
    assert told() == ("not judged", "not judged: the run ended too early")
    well.desk.leave_card(RUN.id, Card(time.time(), 600.0, interval_s=10.0))
    well.append(a_cycle(600.0))
    assert told() == ("not judged", "not judged: governing restarted before the result could be measured")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "asked to end"])
def test_a_real_controller_leaves_its_last_sign_where_it_ends_in_order_and_none_where_it_is_killed(
    tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "runs.sqlite"

    def card() -> Card | None:
        if not path.is_file():
            return None
        with closing(open_store(path, create=False)) as store:
            found = store.runs()
            return store.desk.card(found[-1].id) if found else None

    with calling.serving(tmp_path) as process:
        eventually(lambda: process.poll() is not None or ((found := card()) is not None and found.at_s > 0.0))
        assert process.poll() is None, (tmp_path / "said.log").read_text()
        process.send_signal(number)
        process.wait(patience_s())
    left = card()
    assert left is not None
    in_an_hour_s = time.time() + 3_600.0
    assert left.sign.life(in_an_hour_s) is (ControllerLife.SILENT if number is signal.SIGKILL else ControllerLife.ENDED)


# The store


@pytest.mark.sockets
def test_while_the_store_is_locked_every_path_says_so_and_what_to_do(
    store: SqlStore, site: Site, settings: WebSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(store, Reader(store), RUN.id)
    before = text_of(screen.drawn())
    with closing(sqlite3.connect(tmp_path / "runs.sqlite", isolation_level=None)) as other:
        # Or readers go on beside whoever writes. The site reads ahead when it starts, and is let finish.
        eventually(lambda: beside_nobody(other, store))
        other.execute("BEGIN EXCLUSIVE")
        shorten(monkeypatch, store)
        for path in paths_of(store, settings, tmp_path):
            answer = asking.get(f"{site.url}{path.lstrip('/')}")
            assert answer.status_code == 503, path
            told = answer.json()
            assert "locked" in told["message"] or path == "/ready", path
            assert "fuser" in told["remedy"], path
        assert asking.get(f"{site.url}health").status_code == 200
        shown = text_of(screen.drawn())
        assert "cannot be read since" in shown
        assert "database is locked" in shown
        assert uncoloured(before).splitlines()[-1] in uncoloured(shown)  # as it was
        assert "\x1b[1;32m" not in shown
        assert "\x1b[31m" not in shown  # but for the line above it, which is bold
        refused = penstock("explain", "last", "--store", str(tmp_path / "runs.sqlite"))
        assert (refused.returncode, len(refused.stderr.splitlines())) == (75, 1)
        assert "database is locked; end the other program" in refused.stderr
    assert asking.get(f"{site.url}api/overview").status_code == 200
    assert "cannot be read" not in text_of(screen.drawn())


def beside_nobody(connection: sqlite3.Connection, store: SqlStore) -> bool:
    """Whether writers and readers now wait for each other; it cannot be had while anybody else has the file open.

    The site looks for news all the time, and its store keeps the connection for the next look. One that was in use
    while the store was closed is swept up with its pool.
    """
    store.close()
    gc.collect()
    try:
        return bool(connection.execute("PRAGMA journal_mode=DELETE").fetchone() == ("delete",))
    except sqlite3.OperationalError:
        return False


def shorten(monkeypatch: pytest.MonkeyPatch, store: SqlStore) -> None:
    """No test waits two seconds for each answer."""

    def impatient(connection: sqlite3.Connection, record: object) -> None:
        connection.execute("PRAGMA busy_timeout=1")

    sa.event.listen(store.database._engine, "connect", impatient, insert=True)
    monkeypatch.setattr("penstock.store.sqlite_file.BUSY_S", 0.01)  # of stores that are opened from here on


@pytest.mark.sockets
def test_who_watches_hears_that_the_store_cannot_be_read_with_what_to_do_and_then_news(
    store: SqlStore, site: Site, tmp_path: Path
) -> None:
    with asking.streamed(f"{site.url}api/live") as answer, closing(sqlite3.connect(tmp_path / "runs.sqlite")) as other:
        lines = answer.iter_lines()
        assert next_event(lines)[0] == "news"
        other.execute("ALTER TABLE penstock_cycles RENAME TO hidden")
        name, body = next_event(lines)
        assert name == "trouble"
        assert "no such table" in body["message"]
        assert "another program" in body["remedy"]
        other.execute("ALTER TABLE hidden RENAME TO penstock_cycles")
        assert next_event(lines)[0] == "news"


def next_event(lines: Iterator[str]) -> tuple[str, Any]:
    """The next event that is not a mere sign of life."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        if line.startswith("data: ") and name != "life":
            return name, json.loads(line.removeprefix("data: "))
    raise AssertionError("the feed ended")


@pytest.mark.sockets
def test_a_postgresql_that_nobody_answers_for_is_told_on_every_path(
    serve_gone: Callable[[], tuple[Site, SqlStore]], settings: WebSettings, tmp_path: Path
) -> None:
    site, store = serve_gone()
    for path in paths_of(store, settings, tmp_path):
        answer = asking.get(f"{site.url}{path.lstrip('/')}")
        assert answer.status_code == 503, path
        assert answer.json()["remedy"].startswith("see that PostgreSQL runs"), path
        assert "secret" not in answer.text
    assert asking.get(f"{site.url}health").status_code == 200
    with pytest.raises(StoreError, match="store postgresql"):
        Screen(store, Reader(store), "last")


@pytest.fixture
def serve_gone(settings: WebSettings) -> Iterator[Callable[[], tuple[Site, SqlStore]]]:
    """A site over a database at a port of this machine where nobody listens."""
    with ExitStack() as stack:
        nobody = stack.enter_context(socket.socket())
        nobody.bind(("127.0.0.1", 0))  # taken, and not listened on: it is refused at once

        def start() -> tuple[Site, SqlStore]:
            url = f"postgresql://ann:secret@127.0.0.1:{nobody.getsockname()[1]}/runs"
            store = stack.enter_context(closing(open_store(url, create=False)))
            return stack.enter_context(Site(store, settings, lambda line: None).beside()), store

        yield start


def test_that_no_sign_of_life_comes_any_more_is_news_without_a_cycle(well: SqlStore) -> None:
    clock = [0.0]
    look = LiveLook(Reader(well, lives=Lives(epoch=lambda: NOW_S, clock=lambda: clock[0])))
    well.desk.leave_card(RUN.id, Card(NOW_S, 10.0, interval_s=2.0))
    found = look(RUN.id, None)
    assert found is not None
    mark, body = found
    assert body["control"]["life"] == "awaited"
    well.desk.leave_card(RUN.id, Card(NOW_S + 2.0, 10.0, interval_s=2.0))
    found = look(RUN.id, mark)
    assert found is not None
    mark, body = found
    assert body["control"]["life"] == "live"
    clock[0] = 10.0
    assert look(RUN.id, mark) is None
    clock[0] = 20.0
    found = look(RUN.id, mark)
    assert found is not None
    assert (found[1]["control"]["life"], found[1]["control"]["live"]) == ("silent", False)
