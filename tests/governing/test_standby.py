"""A driver that stands by takes over when the first one dies; what becomes of it is a table."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.governing.groups import ended
from penstock.governing.run import archiver
from penstock.governing.standby import ARCHIVES, TABLE, Attendant, Nobody, Second, Word, after
from penstock.governing.standby import StandbyAct as Act
from penstock.governing.standby import StandbySignal as Signal
from penstock.governing.standby import StandbyState as State
from penstock.local.spark import class_archive
from tests.patience import eventually

pytestmark = pytest.mark.sockets
WORD = Word(down_since_s=1_700_000_000.0, age_s=12.5)
QUICK = RestartPolicy(max_restarts=None, backoff_s=0.01)

# Notes that it began; once it is warm it waits for a line on its standard input, notes that, and ends.
STANDS_BY = """
import pathlib, sys
note = pathlib.Path(sys.argv[1])
life = pathlib.Path(sys.argv[sys.argv.index("--awaits") + 1])
with note.open("a") as said:
    said.write("began\\n")
life.write_text("waiting")
line = sys.stdin.readline()
with note.open("a") as said:
    said.write(line or "nobody\\n")
"""
ENDS_AT_ONCE = "raise SystemExit(7)"


@pytest.mark.parametrize(
    ("signals", "state", "acts"),
    [
        ((Signal.GOVERNS,), State.WARMING, [Act.START]),
        (
            (Signal.GOVERNS, Signal.GOVERNS),
            State.WARMING,
            [Act.START],
        ),  # there is never a third driver
        ((Signal.GOVERNS, Signal.WARM), State.READY, [Act.START, Act.SAY_READY]),
        (
            (Signal.GOVERNS, Signal.WARM, Signal.DIED),
            State.ABSENT,
            [Act.START, Act.SAY_READY, Act.TAKE_OVER],
        ),
        # It does not wait until it is warm.
        ((Signal.GOVERNS, Signal.DIED), State.ABSENT, [Act.START, Act.TAKE_OVER]),
        # Whoever took over governs, and gets a standby of its own.
        (
            (Signal.GOVERNS, Signal.DIED, Signal.GOVERNS),
            State.WARMING,
            [Act.START, Act.TAKE_OVER, Act.START],
        ),
        # There is none yet: the driver is started anew.
        ((Signal.DIED,), State.ABSENT, []),
        (
            (Signal.GOVERNS, Signal.ENDED, Signal.DIED),
            State.RESTING,
            [Act.START, Act.SAY_ENDED],
        ),
        # One that cannot be started is not started ten times a second.
        (
            (Signal.GOVERNS, Signal.ENDED, Signal.GOVERNS),
            State.RESTING,
            [Act.START, Act.SAY_ENDED],
        ),
        (
            (Signal.GOVERNS, Signal.WARM, Signal.SILENT),
            State.RESTING,
            [Act.START, Act.SAY_READY, Act.END],
        ),
        (
            (Signal.GOVERNS, Signal.ENDED, Signal.RESTED, Signal.GOVERNS),
            State.WARMING,
            [Act.START, Act.SAY_ENDED, Act.START],
        ),
    ],
)
def test_what_happens_leads_to_this(signals: tuple[Signal, ...], state: State, acts: list[Act]) -> None:
    now, done = State.ABSENT, []
    for signal in signals:
        now, act = after(now, signal)
        done.append(act)
    assert (now, [act for act in done if act is not Act.NOTHING]) == (state, acts)


def test_a_standby_takes_over_from_every_state_in_which_it_lives_and_from_no_other() -> None:
    alive = {State.WARMING, State.READY}
    assert {state for state in State if after(state, Signal.DIED)[1] is Act.TAKE_OVER} == alive
    assert {state for (state, signal), (_, act) in TABLE.items() if act is Act.START} == {State.ABSENT}


@contextmanager
def second(script: str, note: Path, tell: Callable[[str], None] = lambda text: None) -> Iterator[Second]:
    kept = Second([sys.executable, "-c", script, str(note)], tell, rests=QUICK, settles_s=0.0)
    try:
        yield kept
    finally:
        kept.end()


def looking(kept: Attendant, met: Callable[[], object]) -> Callable[[], object]:
    """As a supervisor looks, while the driver governs, and whether that is so by then."""

    def look() -> object:
        kept.look(governs=True)
        return met()

    return look


def test_it_is_started_when_the_driver_governs_and_hears_the_word_when_that_died(tmp_path: Path) -> None:
    note, said = tmp_path / "note", list[str]()
    with second(STANDS_BY, note, said.append) as kept:
        kept.look(governs=False)
        assert not note.exists()
        eventually(looking(kept, lambda: said == ["is warm"]))
        driver = kept.taken(WORD)
        assert driver is not None
        assert driver.wait() == 0
    began, heard = note.read_text().splitlines()
    assert (began, Word.read(heard)) == ("began", WORD)
    assert json.loads(heard) == {"down_since_s": 1_700_000_000.0, "age_s": 12.5, "starts_within_s": None}


def test_nobody_takes_over_where_no_standby_was_started(tmp_path: Path) -> None:
    with second(STANDS_BY, tmp_path / "note") as kept:
        assert kept.taken(WORD) is None


def test_one_that_cannot_stand_by_is_tried_again_later_and_the_driver_is_started_anew(tmp_path: Path) -> None:
    said = list[str]()
    with second(ENDS_AT_ONCE, tmp_path / "note", said.append) as kept:
        eventually(looking(kept, lambda: len(said) == 2))
        assert "exit code 7" in said[0]
        assert said[1].startswith("failed 2 times")
        eventually(lambda: kept.taken(WORD) is None)


def test_one_that_cannot_be_started_is_tried_again_later_and_ends_nothing() -> None:
    # A machine may have no room for one more process: the driver and its tenants have theirs.
    said = list[str]()
    kept = Second(["/no/such/program"], said.append, rests=QUICK, settles_s=0.0)
    eventually(looking(kept, lambda: len(said) == 2))
    assert "it could not be started" in said[0]
    assert kept.taken(WORD) is None
    kept.end()


def test_one_whose_folder_is_spoilt_by_somebody_ends_nothing(tmp_path: Path) -> None:
    with second(ENDS_AT_ONCE, tmp_path / "note") as kept:
        folder = Path(kept._place.name)
        folder.rmdir()
        folder.write_bytes(b"")  # whatever is asked of files below it is an error of another kind than their absence
        for _ in range(3):
            kept.look(governs=True)
        folder.unlink()


def test_a_helper_that_cannot_be_started_ends_nothing() -> None:
    kept = Nobody(["/no/such/program"], settles_s=0.0)
    kept.look(governs=True)
    kept.look(governs=True)
    kept.end()


def test_one_that_stands_by_when_the_run_is_over_is_told_by_the_end_of_its_standard_input(tmp_path: Path) -> None:
    note, said = tmp_path / "note", list[str]()
    with second(STANDS_BY, note, said.append) as kept:
        eventually(looking(kept, lambda: said))
    assert note.read_text().splitlines() == ["began", "nobody"]


def test_a_standby_that_stands_still_is_ended_and_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.governing.signs.SILENT_AT_MOST_S", 0.3)
    said = list[str]()
    with second(STANDS_BY, tmp_path / "note", said.append) as kept:  # it writes its file once only
        eventually(looking(kept, lambda: any("no sign of life" in text for text in said)))


def test_one_that_stands_still_when_the_driver_dies_takes_nothing_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.governing.standby._HEARS_WITHIN_S", 0.3)
    said = list[str]()
    with second(STANDS_BY, tmp_path / "note", said.append) as kept:  # it writes its file once only
        eventually(looking(kept, lambda: said == ["is warm"]))
        eventually(looking(kept, lambda: kept._watch._silent_s > 0.3))
        assert kept.taken(WORD) is None
    assert "it gave no sign of life" in said[-1]


def test_a_helper_runs_once_when_the_driver_governs(tmp_path: Path) -> None:
    note = tmp_path / "note"
    kept = Nobody([sys.executable, "-c", f"open({str(note)!r}, 'a').write('ran ')"], settles_s=0.0)
    kept.look(governs=False)
    assert not note.exists()
    eventually(looking(kept, lambda: note.exists() and note.read_text()))
    kept.look(governs=True)
    kept.end()
    assert note.read_text() == "ran "
    assert kept.taken(WORD) is None


def test_beside_a_driver_alone_classes_are_archived_where_they_are_not_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("JDK_JAVA_OPTIONS", raising=False)
    assert archiver()._helper == (*ARCHIVES, class_archive.IF_ROOM)
    place = class_archive._archive()
    assert place is not None
    place.parent.mkdir(parents=True)
    place.touch()
    assert archiver()._helper == ()


def test_a_process_that_does_not_end_in_time_is_ended_with_all_that_it_started() -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"
    process = subprocess.Popen([sys.executable, "-c", child], process_group=0)
    ended(process, 0.0)
    assert process.returncode == -9
