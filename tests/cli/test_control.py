"""`penstock control` and `penstock top` on a store."""

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from penstock.cli.control import control
from penstock.cli.lever_commands import LEVER_COMMANDS
from penstock.cli.top import top
from penstock.core.asked.orders import Act, Answer, Wish
from penstock.core.levers import KINDS, WHOLE, Dial, Disturbs, Shows
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.acting import NotLiveError
from tests.cli.calling import penstock
from tests.controlled import controlled as controlled_run
from tests.controlled import recorded
from tests.patience import patience_s
from tests.recorded import RUN, a_cycle, a_decision, a_job, a_view


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return recorded(tmp_path)


@pytest.fixture(name="controlled")
def _controlled(path: Path) -> Iterator[SqlStore]:
    with controlled_run(path) as store:
        yield store


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


def test_a_job_that_does_not_run_is_asked_to_start_and_one_that_is_not_there_is_named(
    path: Path, controlled: SqlStore
) -> None:
    assert asked(path, "start", "ads").exit_code == 0
    (entry,) = controlled.audit(RUN.id)
    assert (entry.act, entry.detail) == ("start", "ads")
    done = penstock("control", "start", "nobody", "--store", str(path))
    assert (done.returncode, "job: 'nobody' cannot be used; name one of ads, fraud" in done.stderr) == (2, True)


def test_a_job_that_runs_is_not_asked_to_start(path: Path) -> None:
    view = a_view(40.0)
    runs = tuple(replace(job, figures=replace(job.figures, up_s=5.0)) for job in view.jobs)
    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.append(replace(a_cycle(40.0), view=replace(view, jobs=runs)))
    with controlled_run(path):
        done = penstock("control", "start", "ads", "--store", str(path))
    said = "job: 'ads' cannot be used; it runs: there is nothing to start"
    assert (done.returncode, said in done.stderr) == (2, True)


def test_a_proposal_is_refused_from_the_terminal(path: Path, controlled: SqlStore) -> None:
    controlled.desk.propose(RUN.id, a_decision(5.0))
    assert asked(path, "refuse", "1").exit_code == 0
    assert controlled.desk.proposals(RUN.id)[0].answer is Answer.REFUSED


@pytest.fixture
def levers(path: Path) -> None:
    """The newest cycle has levers beside its operators' threads."""
    ads = a_job("ads")
    bound = Dial("bound", "ads", None, 1, disturbs=Disturbs.QUERY, shows=Shows.AFTER_RESTART)
    trigger = Dial("trigger", "ads", 5.0, 0.0)
    ads = replace(ads, figures=replace(ads.figures, levers=(bound, trigger)))
    of_all = (Dial("executors", WHOLE, 2, 1, 4, asked=3), Dial("memory", WHOLE, 1024, 512))
    with closing(open_store(path)) as store:
        store.begin(RUN)
        store.append(a_cycle(40.0, replace(a_view(40.0, (ads, a_job("fraud"))), levers=of_all)))


@pytest.mark.parametrize(
    ("typed", "wish"),
    [
        ("bound ads 2000", Wish("bound", "ads", 2000)),
        ("bound ads none", Wish("bound", "ads", None)),
        ("tasks fraud map 5", Wish("tasks", "fraud", 5, "map")),
        ("trigger ads 250ms", Wish("trigger", "ads", 0.25)),
        ("trigger ads 2", Wish("trigger", "ads", 2)),
        ("executors 4", Wish("executors", WHOLE, 4)),
        ("memory 2g", Wish("memory", WHOLE, 2048)),
        ("memory 700", Wish("memory", WHOLE, 700)),
    ],
)
@pytest.mark.usefixtures("levers")
def test_a_lever_is_asked_for_by_its_kind(path: Path, controlled: SqlStore, typed: str, wish: Wish) -> None:
    assert asked(path, *typed.split()).exit_code == 0
    (filed,) = controlled.desk.filed(RUN.id)
    assert (filed.request.act, filed.request.turn) == (Act.TURN, wish)
    (entry,) = controlled.audit(RUN.id)
    assert (entry.act, entry.detail, entry.who.endswith("(command line)")) == ("turn", wish.text, True)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("bound adz 2000", "job: 'adz' cannot be used; name one of ads, fraud"),
        ("slots ads 3", "kind: 'slots' cannot be used; ads has tasks, bound, trigger"),
        ("tasks ads mop 3", "operator: 'mop' cannot be used; tasks of ads are those of source, map"),
        ("executors 9", "value: 9 cannot be used; executors of the application can be 1 to 4"),
        ("executors -1", "value: '-1' cannot be used; write a whole number, such as 4"),
        ("executors 2.5", "value: '2.5' cannot be used; write a whole number, such as 4"),
        ("executors nan", "value: 'nan' cannot be used; write a whole number, such as 4"),
        ("bound ads some", "value: 'some' cannot be used; write a number of rows, such as 2000, or none"),
        ("bound ads 1e300", "value: 1e+300 cannot be used; write 9,007,199,254,740,992 or less"),
        ("trigger ads soon", "value: 'soon' cannot be used; write a number of seconds, or text such as"),
        ("memory lots", "value: 'lots' cannot be used; write a size such as 512m or 2g"),
        ("memory 1m", "value: 1 cannot be used; memory of the application can be 512 MiB or more"),
    ],
)
@pytest.mark.usefixtures("levers", "controlled")
def test_what_a_lever_cannot_be_turned_to_is_one_line_with_exit_code_2(path: Path, typed: str, said: str) -> None:
    done = penstock("control", *typed.split(), "--store", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"penstock: {said}")


@pytest.mark.usefixtures("levers")
def test_who_asks_a_paused_controller_is_told_that_nothing_is_done(path: Path, controlled: SqlStore) -> None:
    asked(path, "pause")
    assert "not carried out: " in asked(path, "executors", "4").output
    asked(path, "resume")
    asked(path, "dry-run")
    assert "this is a dry run" in asked(path, "executors", "4").output


@pytest.mark.usefixtures("levers")
def test_levers_are_listed_as_they_stand_with_what_a_turn_disturbs(path: Path) -> None:
    told = [line.split("  ") for line in asked(path, "levers").output.splitlines()]
    cells = [[cell.strip() for cell in line if cell] for line in told]
    assert cells[0] == ["of", "lever", "now", "pending", "limits", "a change disturbs", "effect shows"]
    assert ["ads", "tasks of map", "3", "1 or more", "nothing", "with the next task"] in cells
    assert ["ads", "bound", "none", "1 row or more", "its query starts again", "after the restart"] in cells
    assert ["application", "executors", "2", "3", "1 to 4", "nothing", "with the next task"] in cells


def test_every_kind_of_lever_but_tables_is_a_command_with_an_example() -> None:
    assert {lever.kind for lever in LEVER_COMMANDS} == {*KINDS} - {"table"}
    for lever in LEVER_COMMANDS:
        assert f"Example: {lever.example}" in CliRunner().invoke(control, [lever.kind, "--help"]).output
        assert lever.example.split()[2:3] == [lever.kind]


def test_a_run_that_is_over_takes_no_requests(path: Path) -> None:
    with pytest.raises(NotLiveError, match="has no running controller"):
        asked(path, "pause")
    assert "no controller is running" in asked(path, "show").output


def test_top_tells_who_is_in_trouble_and_what_was_done(path: Path) -> None:
    told = CliRunner().invoke(top, ["--once", "--store", str(path)], catch_exceptions=False).output
    assert "1 of 2 tenants misses what was asked: ads." in told
    assert "utility" in told
    assert "Reconfigured  ads: map 3 -> 6  better: utility 55.0 -> 64.0 (expected 65.0)" in told
    # Those in trouble come first.
    lines = [line.split() for line in told.splitlines() if line.startswith(("ads", "fraud"))]
    assert [line[:2] for line in lines] == [["ads", "missing"], ["fraud", "fine"]]


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
