"""What-if questions are answered aside, one at a time, and few may wait."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from penstock.errors import ConfigError
from penstock.store.archive import StoreError
from penstock.store.sqlite_file import SQLITE
from penstock.web import aside as aside_module
from penstock.web import what_if_process
from penstock.web.aside import WAITING, Aside, FullError
from penstock.web.what_if import WhatIfIn
from tests.patience import eventually, patience_s
from tests.recorded import RUN
from tests.web import asking
from tests.web.living import LiveRun

pytestmark = pytest.mark.sockets

QUESTION = WhatIfIn.model_validate({"minutes": 1})


@pytest.fixture(scope="module")  # its process takes seconds to start
def aside(live: LiveRun) -> Iterator[Aside]:
    with ended(Aside(live.store.database.target)) as found:
        yield found


@pytest.fixture
def ending(live: LiveRun) -> Iterator[Aside]:
    with ended(Aside(live.store.database.target)) as found:
        yield found


@contextmanager
def ended(aside: Aside) -> Iterator[Aside]:
    yield aside
    aside.end()


def pid_of(aside: Aside) -> int:
    assert aside._process is not None
    return aside._process.pid


def test_it_is_answered_by_a_process_of_low_priority_which_stays(aside: Aside, live: LiveRun) -> None:
    assert '"changed":' in aside.answer(live.run.id, QUESTION, patience_s())
    first = pid_of(aside)
    nice = int(Path(f"/proc/{first}/stat").read_text().rpartition(")")[2].split()[16])
    assert nice == min(19, os.nice(0) + 10)
    aside.answer(live.run.id, QUESTION, patience_s())
    assert pid_of(aside) == first


def test_it_is_made_ready_when_somebody_asks_what_could_be_asked(live: LiveRun) -> None:
    live.get("policies")
    first = pid_of(live.site.aside)
    live.get("policies")
    live.site.aside.answer(live.run.id, QUESTION, patience_s())
    assert pid_of(live.site.aside) == first


def test_one_that_ended_is_started_again(aside: Aside, live: LiveRun) -> None:
    aside.answer(live.run.id, QUESTION, patience_s())
    assert aside._process is not None
    aside._process.kill()
    aside._process.wait()
    assert '"changed":' in aside.answer(live.run.id, QUESTION, patience_s())


def test_so_many_wait_and_no_more(aside: Aside, live: LiveRun) -> None:
    with ThreadPoolExecutor(8) as askers:
        with aside._turn:  # as if one was being answered
            found = [askers.submit(aside.answer, live.run.id, QUESTION, patience_s()) for _ in range(1 + WAITING)]
            eventually(lambda: not aside._places._value or None)
            with pytest.raises(FullError):
                aside.answer(live.run.id, QUESTION, patience_s())
        assert all('"changed":' in one.result(patience_s()) for one in found)


def test_nobody_waits_for_longer_than_an_answer_may_take(aside: Aside, live: LiveRun) -> None:
    with aside._turn, pytest.raises(FullError, match="take long"):
        aside.answer(live.run.id, QUESTION, 0.01)
    assert '"changed":' in aside.answer(live.run.id, QUESTION, patience_s())


def test_what_can_be_mended_is_said_in_the_same_words(aside: Aside, live: LiveRun, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="run"):
        aside.answer("no such run", QUESTION, patience_s())
    with pytest.raises(ConfigError, match="policy"):
        aside.answer(live.run.id, WhatIfIn.model_validate({"policy": "magic"}), patience_s())
    (tmp_path / "no.sqlite").write_bytes(SQLITE + b"this is no database at all, but it is long enough for one" * 100)
    other = Aside(str(tmp_path / "no.sqlite"))
    with pytest.raises(StoreError, match="not a database"):
        other.answer(RUN.id, QUESTION, patience_s())
    other.end()


def test_who_waits_when_the_site_ends_is_told(ending: Aside, live: LiveRun) -> None:
    with ThreadPoolExecutor(8) as askers:
        found = askers.submit(ending.answer, live.run.id, WhatIfIn.model_validate({"minutes": 60}), 600.0)
        eventually(lambda: ending._process)
        ending.end()
        with pytest.raises(FullError):
            found.result(patience_s())


def test_acts_are_heard_while_many_ask_what_if(live: LiveRun) -> None:
    """Beyond those that may wait, askers are told when to come again."""
    answers: list[httpx.Response] = []

    def ask() -> None:
        answers.append(asking.post(f"{live.url}api/what-if", json={"minutes": 2}))

    askers = [threading.Thread(target=ask) for _ in range(12)]
    with live.site.aside._turn:  # as if one more was being answered, until all have come
        for asker in askers:
            asker.start()
        eventually(lambda: len(answers) == 12 - 1 - WAITING)
        assert live.act(act="dry-run").status_code == 200
        live.until(lambda control: control["dry_run"])
        live.act(act="do")
    for asker in askers:
        asker.join()
    codes = [answer.status_code for answer in answers]
    assert (codes.count(200), codes.count(503)) == (1 + WAITING, 12 - 1 - WAITING)
    assert {answer.headers.get("retry-after") for answer in answers if answer.status_code == 503} == {"5"}


def test_where_no_process_can_be_started_who_asks_is_told_so_and_nobody_else_is_hindered(
    ending: Aside, live: LiveRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    ending.begin()
    with pytest.raises(FullError, match="no process could be started to answer"):
        ending.answer(live.run.id, QUESTION, patience_s())
    monkeypatch.undo()
    assert '"changed":' in ending.answer(live.run.id, QUESTION, patience_s())


def test_one_that_is_started_while_the_site_ends_is_ended_too(live: LiveRun, monkeypatch: pytest.MonkeyPatch) -> None:
    found, starting, really = Aside(live.store.database.target), threading.Event(), aside_module._started

    def started() -> "subprocess.Popen[bytes]":
        starting.set()
        eventually(lambda: found._over)
        return really()

    monkeypatch.setattr(aside_module, "_started", started)
    beginning = threading.Thread(target=found.begin)
    beginning.start()
    starting.wait(patience_s())
    ending = threading.Thread(target=found.end, daemon=True)
    ending.start()
    ending.join(60.0)  # it waits for nobody but the one that starts it
    assert not ending.is_alive()
    assert found._process is not None
    assert found._process.returncode == -signal.SIGKILL


def test_it_has_so_much_memory_and_says_which_question_takes_more(
    aside: Aside, live: LiveRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    aside.begin()
    aside.answer(live.run.id, QUESTION, patience_s())
    limits = Path(f"/proc/{pid_of(aside)}/limits").read_text()
    assert re.search(r"Max data size +(\d+) ", limits).group(1) == str(what_if_process.MOST_BYTES)  # type: ignore[union-attr]

    def too_large(question: dict[str, object]) -> str:
        raise MemoryError

    monkeypatch.setattr(what_if_process, "_answer", too_large)
    assert what_if_process._answered({}) == {"mend": "the answer takes more memory than 2 GiB; ask for fewer minutes"}
