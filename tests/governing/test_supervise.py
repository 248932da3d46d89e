"""A driver that dies is started again, and knows of its earlier life."""

import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.governing.pulse import SILENT_AT_MOST_S
from penstock.governing.signs import Watch
from penstock.governing.supervise import Supervised, signalled
from penstock.governing.supervise import supervise as supervise_it
from tests.patience import eventually

pytestmark = pytest.mark.sockets

# What a driver does that comes to its end.
IN_ORDER = """
import pathlib, sys
from penstock.governing.last_word import LAST_WORD
def ends(code):
    LAST_WORD.wanted(pathlib.Path(sys.argv[sys.argv.index("--heartbeat") + 1]))
    LAST_WORD.leave(code)
    sys.exit(code)
"""

# Dies by SIGKILL in its first life; in its second it writes down what it was told and ends well.
SCRIPT = f"""{IN_ORDER}
import os, signal
note = pathlib.Path(sys.argv[1])
lives = note.read_text().splitlines() if note.exists() else []
note.write_text("\\n".join([*lives, " ".join(sys.argv[2:])]))
if not lives:
    os.kill(os.getpid(), signal.SIGKILL)
ends(0)
"""
QUICK = RestartPolicy(max_restarts=2, backoff_s=0.01)


def supervise(
    command: Sequence[str], tell: Callable[[str], None], policy: RestartPolicy, run_id: str | None = None
) -> int:
    return supervise_it(Supervised(command, policy, run_id), tell, signalled())


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_the_second_life_goes_on_with_the_run_of_the_first_and_is_told_when_that_died(tmp_path: Path) -> None:
    note, said = tmp_path / "note", list[str]()
    began_s = time.time()
    code = supervise([sys.executable, "-c", SCRIPT, str(note)], said.append, QUICK, run_id="seven")
    first, second = (line.split() for line in note.read_text().splitlines())
    assert (code, first[:5]) == (0, ["--run-id", "seven", "--supervisor", str(os.getpid()), "--heartbeat"])
    *same, age_flag, age_s, flag, died_s = second
    assert (same, age_flag, flag) == (first, "--run-age", "--down-since")
    assert 0.0 < float(age_s) <= time.time() - began_s + 1.0
    assert began_s <= float(died_s) <= time.time()
    assert "exit code -9" in said[0]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), SystemExit(1)])
def test_words_that_cannot_be_written_are_no_end_of_what_runs(tmp_path: Path, error: BaseException) -> None:
    def tell(text: str) -> None:
        raise error

    note = tmp_path / "note"
    assert supervise([sys.executable, "-c", SCRIPT, str(note)], tell, QUICK) == 0
    assert len(note.read_text().splitlines()) == 2


def test_one_that_dies_again_and_again_is_given_up() -> None:
    said = list[str]()
    assert supervise([sys.executable, "-c", "raise SystemExit(1)"], said.append, QUICK) == 1
    assert "given up after 3 failures" in said[-1]


def test_one_that_cannot_be_started_is_tried_again_like_one_that_died() -> None:
    said = list[str]()
    assert supervise(["/no/such/program"], said.append, QUICK) == 1
    assert said[0] == "failed 1 times, next start in 0 s; it could not be started"
    assert "given up after 3 failures" in said[-1]


def test_who_is_told_to_end_between_two_drivers_ends_as_by_ctrl_c() -> None:
    def tell(text: str) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    policy = RestartPolicy(max_restarts=2, backoff_s=3600.0)
    assert supervise([sys.executable, "-c", "raise SystemExit(1)"], tell, policy) == 130


def test_a_terminals_end_that_somebody_had_ignored_ends_nothing() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` does
    stop = signalled()
    os.kill(os.getpid(), signal.SIGHUP)
    assert not stop.is_set()
    os.kill(os.getpid(), signal.SIGTERM)
    assert stop.is_set()


def test_what_the_user_must_mend_is_not_tried_again() -> None:
    said = list[str]()
    assert supervise([sys.executable, "-c", f"{IN_ORDER}ends(2)"], said.append, QUICK) == 2
    assert said == []


@pytest.mark.parametrize("code", [0, 2, 4, 130, 75])
def test_a_driver_that_a_tenants_code_ends_has_died_whatever_its_exit_code(code: int) -> None:
    said = list[str]()
    assert supervise([sys.executable, "-c", f"import os; os._exit({code})"], said.append, QUICK) == 1
    assert f"exit code {code}, without a last word" in said[0]
    assert "given up after 3 failures" in said[-1]


def test_the_last_word_of_the_life_before_is_none_of_the_next_one(tmp_path: Path) -> None:
    said, note = list[str](), tmp_path / "note"
    script = f"""{IN_ORDER}
import os
note = pathlib.Path(sys.argv[1])
if note.exists():
    os._exit(75)
note.write_text("lived")
ends(75)
"""
    assert supervise([sys.executable, "-c", script, str(note)], said.append, QUICK) == 1
    assert "without a last word" in said[1]


# Ends with the code that it is told to; a child of it does not.
LEAVES_A_CHILD = f"""{IN_ORDER}
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
ends(int(sys.argv[2]))
"""


@pytest.mark.parametrize("code", [0, 2, 4])
def test_no_jvm_is_left_behind_by_a_driver_that_is_not_started_again(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One whose end stands still would write beside whoever has the run by now.
    monkeypatch.setattr("penstock.governing.groups.LEAVES_WITHIN_S", 0.1)
    note = tmp_path / "note"
    assert supervise([sys.executable, "-c", LEAVES_A_CHILD, str(note), str(code)], lambda text: None, QUICK) == code
    eventually(lambda: not is_running(int(note.read_text())))


def dies_with(code: int, times: int) -> str:
    """A driver that ends so often with that code, and then well."""
    return f"""{IN_ORDER}
note = pathlib.Path(sys.argv[1])
lives = int(note.read_text()) if note.exists() else 0
note.write_text(str(lives + 1))
ends({code} if lives < {times} else 0)
"""


def test_what_is_away_is_waited_for_like_a_driver_that_died(tmp_path: Path) -> None:
    said = list[str]()
    script = dies_with(75, times=2)
    assert supervise([sys.executable, "-c", script, str(tmp_path / "note")], said.append, QUICK) == 0
    assert [text.split(",")[0] for text in said] == ["failed 1 times", "failed 2 times"]


def test_what_was_away_from_the_first_start_on_may_be_a_mistake_and_is_given_up() -> None:
    said = list[str]()
    assert supervise([sys.executable, "-c", f"{IN_ORDER}ends(75)"], said.append, QUICK) == 1
    assert "given up after 3 failures" in said[-1]


# Runs for one life, in which it dies; then what it needs is away for longer than three failures; then it is back.
RAN_ONCE = f"""{IN_ORDER}
note = pathlib.Path(sys.argv[1])
lives = int(note.read_text()) if note.exists() else 0
note.write_text(str(lives + 1))
ends([1, 75, 75, 75, 75, 0][lives])
"""


def test_what_goes_away_once_it_has_run_is_waited_for_as_long_as_it_is_away(tmp_path: Path) -> None:
    policy = RestartPolicy(max_restarts=2, backoff_s=0.01, max_backoff_s=0.02)
    assert supervise([sys.executable, "-c", RAN_ONCE, str(tmp_path / "note")], lambda text: None, policy) == 0


# Governs, and dies; then its file is wrong for longer than three failures; then it is mended.
GOVERNED_ONCE = f"""{IN_ORDER}
import os, signal
note, heartbeat = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[sys.argv.index("--heartbeat") + 1])
lives = int(note.read_text()) if note.exists() else 0
note.write_text(str(lives + 1))
if not lives:
    heartbeat.write_text("governing")
    os.kill(os.getpid(), signal.SIGKILL)
ends([2, 2, 2, 2, 0][lives - 1])
"""


def test_a_file_that_is_wrong_when_a_driver_that_governed_has_died_is_waited_for(tmp_path: Path) -> None:
    said = list[str]()
    policy = RestartPolicy(max_restarts=2, backoff_s=0.01, max_backoff_s=0.02)
    assert supervise([sys.executable, "-c", GOVERNED_ONCE, str(tmp_path / "note")], said.append, policy) == 0
    assert [text for text in said if "then it continues" in text] == said[1:]
    assert len(said) == 5


@pytest.mark.parametrize("code", [4, 5])
def test_a_driver_whose_run_is_over_or_another_ones_is_not_started_again(code: int) -> None:
    said = list[str]()
    assert supervise([sys.executable, "-c", f"{IN_ORDER}ends({code})"], said.append, QUICK) == code
    assert said == []


# Stops itself and a child, after a sign of life; in its second life it ends well. The test's clock runs fast.
STOPS = f"""{IN_ORDER}
import os, signal, subprocess
note = pathlib.Path(sys.argv[1])
if note.exists():
    ends(0)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
note.write_text(str(child.pid))
pathlib.Path(sys.argv[sys.argv.index("--heartbeat") + 1]).write_text("governing")
child.send_signal(signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_a_driver_that_stands_still_is_ended_with_all_that_it_started_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.governing.signs.SILENT_AT_MOST_S", 0.3)
    said, note = list[str](), tmp_path / "note"
    assert supervise([sys.executable, "-c", STOPS, str(note)], said.append, QUICK) == 0
    assert said == ["failed 1 times, next start in 0 s; it gave no sign of life"]
    assert not is_running(int(note.read_text()))


# Stops itself while it starts, in two lives; in the third it ends well. Each notes what it was told.
STARTS_SLOWLY = f"""{IN_ORDER}
import os, signal
note = pathlib.Path(sys.argv[1])
lives = note.read_text().splitlines() if note.exists() else []
told = sys.argv[sys.argv.index("--starts-within") + 1] if "--starts-within" in sys.argv else "as always"
note.write_text("\\n".join([*lives, told]))
if len(lives) == 2:
    ends(0)
pathlib.Path(sys.argv[sys.argv.index("--heartbeat") + 1]).write_text("starting")
os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_a_start_that_was_cut_short_is_given_twice_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A machine on which Spark takes six minutes to start would start it for ever.
    monkeypatch.setattr("penstock.governing.signs.SILENT_AT_MOST_S", 0.3)
    note = tmp_path / "note"
    assert supervise([sys.executable, "-c", STARTS_SLOWLY, str(note)], lambda text: None, QUICK) == 0
    assert note.read_text().split("\n") == ["as always", "600", "1200"]


def is_running(process: int) -> bool:
    """Whether it is there, and no zombie."""
    stat = Path("/proc", str(process), "stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_sign_of_life_in_other_bytes_says_nothing(tmp_path: Path) -> None:
    watch = Watch(tmp_path / "heartbeat")
    watch.file.write_bytes(b"\xffgoverns")
    assert not watch.says("governs")


def test_silence_is_what_was_looked_at_and_ends_with_a_sign_of_life(tmp_path: Path) -> None:
    watch = Watch(tmp_path / "heartbeat")
    assert not any(watch.frozen(float(second)) for second in range(300))  # it has five minutes to start
    watch.file.write_text("starting")
    os.utime(watch.file, ns=(1, 1))
    assert watch.silent_s(300.0) == 0.0
    assert watch.silent_s(4000.0) == 1.0  # the supervisor itself was stopped
    assert not any(watch.frozen(4000.0 + second) for second in range(1, int(SILENT_AT_MOST_S)))
    assert watch.frozen(4000.0 + SILENT_AT_MOST_S)
    os.utime(watch.file, ns=(2, 2))
    assert not watch.frozen(5000.0)
