"""What others wrote is shown: it is no markup, and the terminal obeys none of it."""

import ast
import logging
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from penstock.cli.output import VisibleFormatter
from penstock.cli.screen import Screen
from penstock.cli.tenants_table import tenants_table
from penstock.cli.terminal import Lines, Terminal, line
from penstock.core.asked.orders import Act, Request
from penstock.core.safe_text import visible
from penstock.core.seen.view import View
from penstock.store.desk import Card
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.reading import Reader
from tests.cli.calling import ROOT, penstock
from tests.recorded import RUN, a_cycle, a_job, a_view
from tests.simulation.small import scenario, written

NASTY = ("[/10.0.0.1:9092]", "[red]", "[/]", ":boom:", "\x1b[2J", "\x9b31m", "\r", "\n", "\u202e", "\ud800", "\\[", "a")
WORDS = st.lists(st.one_of(st.text(max_size=8), st.sampled_from(NASTY)), max_size=6).map("".join)
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]")


def shown(*what: object) -> str:
    out = StringIO()
    Terminal(file=out, width=400).print(*what)
    return out.getvalue()


def troubled(words: str) -> View:
    job = a_job(words)
    return a_view(10.0, [replace(job, figures=replace(job.figures, trouble=words))])


@given(words=WORDS)
def test_any_words_are_told_without_a_fault_and_nothing_of_them_is_obeyed(words: str) -> None:
    plain, lines = Table(words), Lines()
    plain.add_row(words, Text(words))
    lines.add_row(words)
    told = shown(
        words, Text(words), Group(words, line(words, "red")), plain, lines, tenants_table(troubled(words), words)
    )
    assert OBEYED.search(told) is None
    told.encode()


def test_an_address_in_an_error_is_told_as_it_is() -> None:
    said = "no broker at [/10.0.0.1:9092] :boom:"
    assert said in shown(tenants_table(troubled(said), "shop"))


def test_a_cell_is_one_line_and_as_wide_as_what_is_shown() -> None:
    table = Lines(box=None, pad_edge=False)
    for _ in range(2):
        table.add_column()
    table.add_row("a\x1b[2J\nb", "|")
    table.add_row("c", "|")
    found = [told.rstrip() for told in shown(table).splitlines() if told.strip()]
    assert found[0].startswith(r"a\x1b[2J\nb")
    assert [told.index("|") for told in found] == [len(r"a\x1b[2J\nb") + 2] * 2


def test_the_terminal_still_moves_its_own_cursor() -> None:
    out = StringIO()
    with Live(console=Terminal(file=out, width=80, force_terminal=True), auto_refresh=False) as live:
        live.update("one\ntwo", refresh=True)
        live.update(Text("\x1b[31mthree"), refresh=True)
    assert "\x1b[1A" in out.getvalue()
    assert "\x1b[31m" not in out.getvalue()
    assert r"\x1b[31mthree" in out.getvalue()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    with closing(open_store(tmp_path / "runs.sqlite")) as opened:
        opened.begin(RUN)
        opened.append(a_cycle(10.0, troubled("[/x]\x1b]0;owned\x07\nall is well")))
        yield opened


def test_the_screen_of_top_shows_it_too(store: SqlStore) -> None:
    told = shown(Screen(store, Reader(store), RUN.id).drawn())
    assert OBEYED.search(told) is None
    assert r"[/x]\x1b]0;owned\x07\nall is well" in told


def test_who_acted_cannot_write_a_line_of_the_log(store: SqlStore, tmp_path: Path) -> None:
    who = "eve\n2026-01-01 00:00:00 ann: approve proposal 1\x1b[1A"
    store.desk.leave_card(RUN.id, Card(0.0, 10.0, 5.0))
    store.desk.ask(RUN.id, Request(Act.PAUSE, who, 1_000_000.0))
    done = penstock("control", "show", "--store", str(tmp_path / "runs.sqlite"))
    assert [told for told in done.stdout.splitlines() if "ann:" in told and "eve" not in told] == []
    assert OBEYED.search(done.stdout) is None


def test_a_scenario_about_anything_is_simulated(tmp_path: Path) -> None:
    path = written(tmp_path, scenario(about="[/x] \x1b[2J"))
    done = penstock("simulate", str(path), "--policy", "static")
    assert (done.returncode, r"[/x] \x1b[2J" in done.stderr) == (0, True), done.stderr


def test_the_log_is_shown_in_the_same_way() -> None:
    record = logging.LogRecord("penstock", logging.WARNING, "", 1, "%s ended", ("ads\x1b[2J",), None)
    assert VisibleFormatter().format(record) == r"ads\x1b[2J ended"


def test_commands_print_in_these_ways_only() -> None:
    """Another would have to think of all this again."""
    for path in (ROOT / "src" / "penstock" / "cli").glob("*.py"):
        called = {
            ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        }
        others = called & {"click.echo", "click.secho", "print", "Console", "Table"}
        assert others == ({"click.echo"} if path.name == "output.py" else set()), path.name


def test_what_is_plain_stays_as_it_is() -> None:
    assert visible("über 5 µs – 100 % 表 👍") == "über 5 µs – 100 % 表 👍"
