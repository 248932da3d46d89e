"""Rows of verdicts, outlooks, deeds and routes that no penstock would have written: told by their place, in a line."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.calls.recorded import diff, explain, incident, present, report
from penstock.core.known.outlook import JobOutlook
from penstock.core.seen.deeds import Deed
from penstock.core.seen.shares import Pool
from penstock.errors import PenstockError
from penstock.store.archive import UnreadableError
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from tests.bombs import a_bomb
from tests.recorded import FORECAST, RUN, a_judging_cycle, a_route, an_acting_cycle

VERDICT, OUTLOOK, DEED = (
    f"penstock_{table}, cycle_id 2, {key}: "
    for table, key in (("verdicts", "position 0"), ("outlooks", "job 'ads'"), ("deeds", "position 0"))
)
SPOILT = {
    "an effect that is none": ("verdicts SET effect = 'maybe'", VERDICT),
    "judged at the end of time": ("verdicts SET judged_at_s = 9e999", VERDICT),
    "judged before the run": ("verdicts SET judged_at_s = -5.0", VERDICT),
    "of a decision in words": ("verdicts SET decided_at_s = 'x'", VERDICT),
    "of a decision in a far year": ("verdicts SET decided_at_s = 1e308", VERDICT),
    "a utility that nobody can have": ("verdicts SET utility_came = 1e308", VERDICT),
    "a place before the first": ("verdicts SET place = -1", VERDICT),
    "to be looked at at no instant": ("verdicts SET again = 1, again_until_s = 'x'", VERDICT),
    "an outlook cut short": ("outlooks SET body = substr(body, 1, 40)", OUTLOOK),
    "an outlook of no numbers": ("outlooks SET body = replace(body, '20.0', 'NaN')", OUTLOOK),
    "an outlook without end": ("outlooks SET body = replace(body, '100.0', '1e308')", OUTLOOK),
    "an outlook of less than nothing": ("outlooks SET body = replace(body, '90.0', '-5')", OUTLOOK),
    "an outlook of one step less": ("outlooks SET body = replace(body, '[100.0,120.0]', '[100.0]')", OUTLOOK),
    "a recovery in no time": ("outlooks SET body = replace(body, '171.0', '-171.0')", OUTLOOK),
    "an outlook in bytes": ("outlooks SET body = X'FF00'", OUTLOOK),
    "a deed in words": ("deeds SET at_s = 'x'", DEED),
    "a deed at the end of time": ("deeds SET at_s = 9e999", DEED),
    "a deed before the run": ("deeds SET at_s = -1.0", DEED),
}
LOOKS: tuple[Callable[[str], object], ...] = (
    lambda path: report("last", path).html(),
    lambda path: explain("last", path),
    lambda path: incident("ads", "last", path),
    lambda path: diff("last", "last", path),
    lambda path: present("last", path),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A run of two cycles: the second judges the decision of the first, and tells of a deed, an outlook and a route."""
    found = tmp_path / "runs.sqlite"
    cycle = a_judging_cycle(20.0, 10.0)
    outlook = JobOutlook("ads", 20.0, 1000.0, FORECAST, ((4, 171.0),))
    view = replace(cycle.view, deeds=(Deed(15.0, "ads", "restarted", "it had died"),), routes=(a_route(),))
    with closing(open_store(found)) as store:
        store.begin(RUN)
        store.append(an_acting_cycle(10.0))
        store.append(replace(cycle, view=view, plan=replace(cycle.plan, outlooks=(outlook,))))
    return found


def spoil(path: Path, how: str) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        assert raw.execute(f"UPDATE penstock_{how}").rowcount == 1


def said(look: Callable[[str], object], path: Path) -> str:
    """What is said of the store that cannot be told of; empty where all can."""
    try:
        look(str(path))
    except PenstockError as error:
        return str(error)
    return ""


def test_what_is_spoilt_below_can_be_told_of(path: Path) -> None:
    assert [said(look, path) for look in LOOKS] == [""] * len(LOOKS)


@pytest.mark.parametrize(("how", "row"), SPOILT.values(), ids=SPOILT)
def test_a_row_that_nobody_of_ours_wrote_is_told_by_its_place(path: Path, how: str, row: str) -> None:
    spoil(path, how)
    told = [text for look in LOOKS if (text := said(look, path))]
    assert told
    assert all(f"a row cannot be read: {row}" in text and "\n" not in text for text in told)
    assert [text for text in told if "Error" in text] == []  # the words are ours, and say what is wrong


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("verdicts SET effect = 'maybe'", "effect: 'maybe' is none of better, no change, worse, not known"),
        (
            "outlooks SET body = replace(body, '[100.0,120.0]', '[100.0]')",
            "forecast: 1 steps of the mean, 2 of its lower and 2 of its upper bound",
        ),
    ],
)
def test_our_own_words_come_without_the_kind_of_error_that_carries_them(path: Path, how: str, says: str) -> None:
    spoil(path, how)
    assert [text for look in LOOKS if (text := said(look, path)).endswith(f": {says}")]


def test_the_kind_is_told_where_the_words_alone_would_say_little(path: Path) -> None:
    spoil(path, "decisions SET changes = '[{\"job\": 1}]'")
    assert [text for look in LOOKS if "cycle_id 1, position 0: KeyError: 'operator'" in (text := said(look, path))]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("route_windows SET body = X'FF00'", "penstock_route_windows, id 1: "),
        ("route_windows SET body = substr(body, 1, 9)", "penstock_route_windows, id 1: "),
        ("routes SET window_id = 7", "penstock_route_windows has no row 7"),
    ],
)
def test_a_route_that_cannot_be_read_is_told_by_its_place(path: Path, how: str, says: str) -> None:
    spoil(path, how)
    with closing(open_store(path, create=False)) as store, pytest.raises(PenstockError, match=says):
        list(store.views(RUN.id))


@pytest.mark.parametrize(
    ("column", "row", "where", "look"),
    [
        ("cycles SET snapshot", 2, "penstock_cycles, id 2", lambda store: list(store.views(RUN.id))),
        ("cycles SET snapshot", 2, "penstock_cycles, id 2", lambda store: Gallery(store.database, RUN.id).newest()),
        (
            "cycles SET prediction_errors",
            2,
            "penstock_cycles, id 2, prediction_errors",
            lambda store: store.read_run(RUN.id),
        ),
        ("route_windows SET body", 1, "penstock_route_windows, id 1", lambda store: list(store.views(RUN.id))),
    ],
)
def test_few_bytes_that_unpack_to_gigabytes_are_told_by_run_and_place_with_what_to_do(
    path: Path, column: str, row: int, where: str, look: Callable[[SqlStore], object]
) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(f"UPDATE penstock_{column} = ? WHERE id = ?", [a_bomb(2048), row])
    with closing(open_store(path, create=False)) as store, pytest.raises(UnreadableError) as found:
        look(store)
    assert f", run 'demo-1': a row cannot be read: {where}: " in str(found.value)
    assert "it unpacks to more than 64 MiB: no penstock has written it" in str(found.value)
    assert found.value.remedy == "another program wrote it: mend or delete that row; other runs can be read"


def test_words_that_stand_there_as_bytes_are_read_as_words(path: Path) -> None:
    before = report("last", str(path)).run
    with closing(sqlite3.connect(path)) as raw, raw:
        for table, name in (("job_figures", "state"), ("machine_figures", "machine"), ("cycles", "note")):
            raw.execute(f"UPDATE penstock_{table} SET {name} = CAST({name} AS BLOB)")
        raw.execute("UPDATE penstock_job_figures SET trouble = CAST('no topic' AS BLOB)")
    now = report("last", str(path)).run
    assert (now.notes, now.machines) == (before.notes, before.machines)
    assert [job.states for job in now.jobs] == [job.states for job in before.jobs]
    assert [[trouble.text for trouble in job.troubles] for job in now.jobs] == [["no topic"]] * len(before.jobs)


def test_a_run_is_told_without_what_was_seen_in_the_end_where_that_cannot_be_read(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE penstock_cycles SET snapshot = ?", [a_bomb(2048)])
    told = report("last", str(path))
    assert (told.run.at_s, told.run.pool, len(told.run.decisions)) == ((10.0, 20.0), Pool(), 1)
    assert "what was seen in the end cannot be told: penstock_cycles, id 2: it unpacks" in caplog.text
