"""The screen of `penstock top`."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from penstock.cli.screen import Screen
from penstock.cli.top import _key
from penstock.store.cards import Card
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.acting import this_user
from penstock.web.reading import Reader
from tests.recorded import RUN, SHORTFALL, a_cycle, a_foretelling_cycle, a_job, a_pooled_view, a_view


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    with closing(open_store(tmp_path / "runs.sqlite")) as opened:
        opened.begin(RUN)
        yield opened


def drawn(store: SqlStore) -> str:
    """The screen as text, as wide as any terminal."""
    out = StringIO()
    Console(file=out, width=220).print(Screen(store, Reader(store), RUN.id).drawn())
    return out.getvalue()


def row(screen: str, tenant: str) -> list[str]:
    line = next(line for line in screen.splitlines() if line.startswith(f"{tenant} "))
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_weight_share_and_cores_have_a_column_each(store: SqlStore) -> None:
    # ads weighs 2 of 11, which stands for 1.45 of 8 slots; it used 3.45 times that, and 1.9 cores.
    store.append(a_cycle(10.0, a_pooled_view(10.0, {"ads": 2, "fraud": 9}, slots=8, capacity=3.45, cores=1.9)))
    screen = drawn(store)
    assert "8 slots, weights of 11 in all" in screen
    assert row(screen, "ads")[5:9] == ["2", "1.5", "5.0", "1.9"]
    assert "used: slots kept busy, including idle ones of others" in screen


def test_threads_of_operators_are_threads(store: SqlStore) -> None:
    store.append(a_cycle(10.0, a_view(10.0, [a_job("ads", threads=4)])))
    screen = drawn(store)
    assert "4 threads" in row(screen, "ads")
    assert "of 1 SLOs met   4 threads" in screen


def test_how_far_off_predictions_were_and_that_no_shares_meet_all_are_shown(store: SqlStore) -> None:
    store.append(a_cycle(10.0))
    assert "off by" not in drawn(store)
    store.append(a_foretelling_cycle(20.0))
    store.desk.leave_card(RUN.id, Card(time.time(), 20.0, interval_s=600.0))  # somebody is there to judge it
    screen = drawn(store)
    assert SHORTFALL in screen
    assert "off by" in screen
    assert row(screen, "ads")[5] == "3.1 %"
    assert "predicted: ads 2.1 s instead of 6.4 s" in screen  # until it is judged


def test_a_tenant_without_figures_is_blind_and_not_settling(store: SqlStore) -> None:
    store.append(a_cycle(10.0, a_view(10.0, [a_job("ads", None)])))
    screen = drawn(store)
    assert "No figures of ads (latency is 3.0 s)." in screen
    assert row(screen, "ads")[1] == "blind"


def test_a_terminal_that_is_gone_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(writing)
    with os.fdopen(reading) as gone:
        monkeypatch.setattr(sys, "stdin", gone)
        assert _key(0.0) == "q"


def test_more_utility_than_there_can_be_fills_the_bar_and_no_more(store: SqlStore) -> None:
    store.append(a_cycle(10.0, a_view(10.0, [a_job("ads", 1e17)])))
    assert f"utility {'█' * 20} " in drawn(store)


def test_a_user_whom_no_name_was_given_is_told_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 1_234_567_890)  # as a container has it
    assert this_user() == "user 1234567890"
