"""`penstock control` and `penstock top` on a store."""

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner, Result

from penstock.cli.control import control
from penstock.cli.top import top
from penstock.core.orders import Answer
from penstock.store.control import DeskControl, Standing
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.acting import NotLiveError
from tests.patience import patience_s
from tests.recorded import RUN, a_cycle, a_decision, a_judging_cycle, an_acting_cycle

STANDING = Standing(interval_s=patience_s())  # its sign of life holds for three intervals, however busy the machine is


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        for cycle in (a_cycle(10.0), an_acting_cycle(20.0), a_judging_cycle(30.0, 20.0)):
            store.append(cycle)
    return path


@pytest.fixture
def controlled(path: Path) -> Iterator[SqlStore]:
    """A controller that does nothing but listen."""
    stop = Event()

    def listen() -> None:
        with closing(open_store(path)) as store:
            heard = DeskControl(store.desk, RUN.id, STANDING)
            while not stop.wait(0.02):
                heard.orders(10.0)

    thread = Thread(target=listen)
    with closing(open_store(path)) as store:
        DeskControl(store.desk, RUN.id, STANDING).orders(0.0)
        thread.start()
        yield store
        stop.set()
        thread.join()


def asked(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(control, [*arguments, "--store", str(path)], catch_exceptions=False)


def test_what_is_asked_is_heard_and_kept_with_who_asked(path: Path, controlled: SqlStore) -> None:
    assert asked(path, "pause").exit_code == 0
    card = controlled.desk.card(RUN.id)
    assert card is not None
    assert (card.paused_by or "").endswith("(command line)")
    assert asked(path, "intent", "ads", "--latency", "3s", "--percentile", "95").exit_code == 0
    assert [(entry.act, entry.detail) for entry in controlled.audit(RUN.id)] == [
        ("pause", ""),
        ("intent", "ads: p95 latency <= 3s"),
    ]
    assert "paused by" in asked(path, "show").output


def test_a_proposal_is_refused_from_the_terminal(path: Path, controlled: SqlStore) -> None:
    controlled.desk.propose(RUN.id, a_decision(5.0))
    assert asked(path, "refuse", "1").exit_code == 0
    assert controlled.desk.proposals(RUN.id)[0].answer is Answer.REFUSED


def test_a_run_that_is_over_takes_no_requests(path: Path) -> None:
    with pytest.raises(NotLiveError, match="not governed by anybody now"):
        asked(path, "pause")
    assert "nobody governs it now" in asked(path, "show").output


def test_top_tells_who_is_in_trouble_and_what_was_done(path: Path) -> None:
    told = CliRunner().invoke(top, ["--once", "--store", str(path)], catch_exceptions=False).output
    assert "1 of 2 tenants misses what was asked: ads." in told
    assert "utility" in told
    assert "Reconfigured  ads: map 3 -> 6  better: utility 55.0 -> 64.0 (expected 65.0)" in told
    # Those in trouble come first.
    lines = [line.split() for line in told.splitlines() if line.startswith(("ads", "fraud"))]
    assert [line[:2] for line in lines] == [["ads", "missed"], ["fraud", "met"]]


@pytest.mark.parametrize("typed", [b"ssq", b"\x03"], ids=["at once", "ctrl-c"])
def test_keys_that_are_typed_are_all_heard_and_the_terminal_is_given_back(path: Path, typed: bytes) -> None:
    ours, its = pty.openpty()
    before = termios.tcgetattr(ours)
    command = ["setsid", "--ctty", "--wait", sys.executable, "-c", "from penstock.cli.top import top; top()"]
    command += ["--store", str(path)]
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env={**os.environ, "TERM": "xterm"})
    os.close(its)
    shown = b""
    while b"q quit" not in shown:
        shown += os.read(ours, 65536)
    os.write(ours, typed)
    with suppress(OSError):  # as soon as nobody writes any more
        while more := os.read(ours, 65536):
            shown += more
    assert process.wait(patience_s()) == 0
    assert (termios.tcgetattr(ours), b"Traceback" in shown) == (before, False)
    os.close(ours)
