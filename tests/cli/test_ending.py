"""No program that runs for long ends without a word in its log."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from penstock.cli.background_writer import BackgroundStream
from penstock.cli.coordinate import _run
from penstock.cli.ending import ending_told, quietly
from penstock.errors import EngineError
from tests.cli.calling import ROOT, penstock, restored_signals
from tests.patience import patience_s


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_the_signal_that_ends_it_is_told_by_its_name(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    with restored_signals():
        signal.signal(number, signal.SIG_DFL)  # whoever started the tests in the background had some of them ignored
        with pytest.raises(KeyboardInterrupt), ending_told("it"):
            signal.raise_signal(number)
    assert capsys.readouterr().err == f"it ends: {number.name}\n"


def test_a_signal_that_was_to_be_ignored_is_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    with restored_signals():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup has it
        with ending_told("it"):
            signal.raise_signal(signal.SIGHUP)
    assert capsys.readouterr().err == "it ends: it is done\n"


def test_an_error_is_told_and_raised(capsys: pytest.CaptureFixture[str]) -> None:
    with restored_signals(), pytest.raises(KeyError), ending_told("it"):
        raise KeyError("ads")
    assert capsys.readouterr().err == "it ends: KeyError: 'ads'\n"


def test_where_nobody_reads_standard_error_any_more_it_goes_on() -> None:
    tried: list[str] = []

    def broken(text: str) -> None:
        tried.append(text)
        raise BrokenPipeError(text)

    say = quietly(broken)
    for text in ("words", "more words"):
        say(text)
    assert tried == ["words", "more words"]


# A run whose words nobody reads: a warning from any thread, its table, and its end with the code that it has.
SPEAKS = """
import logging, sys
from penstock.cli.governed import console_of_run, with_table
from tests.recorded import a_view
console = console_of_run()
logging.getLogger("penstock").warning("a tenant is in trouble")
code = with_table(console, "shop", lambda show: show(a_view(10.0)) or 4)
console.print("governing ended")
sys.exit(code)
"""


def test_a_run_goes_on_and_ends_as_it_should_where_the_reader_of_its_log_is_gone() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as broken:
        ended = subprocess.run([sys.executable, "-c", SPEAKS], stdout=subprocess.PIPE, stderr=broken, cwd=ROOT)
    assert ended.returncode == 4


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_run_goes_on_where_the_disk_of_its_log_is_full() -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([sys.executable, "-c", SPEAKS], stdout=subprocess.PIPE, stderr=full, cwd=ROOT)
    assert ended.returncode == 4


# More than a pipe holds, and then that it goes on.
SPEAKS_MUCH = (
    "import logging\nfrom penstock.cli.governed import console_of_run\nconsole = console_of_run()\n"
    'for _ in range(400): logging.getLogger("penstock").warning("x" * 500)\n'
    'print("it goes on", flush=True)\nconsole.print("governing ended")\n'
)


def test_a_run_goes_on_while_the_reader_of_its_log_stands_still_and_tells_the_end_once_it_reads() -> None:
    command = [sys.executable, "-c", SPEAKS_MUCH]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "it goes on\n"
        said = process.communicate()[1]
    assert (process.returncode, said.count("x" * 500), "governing ended" in said) == (0, 400, True)


class Held(StringIO):
    """A stream whose reader stands still until it goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.goes_on = threading.Event(), threading.Event()

    def write(self, text: str) -> int:
        self.begun.set()
        self.goes_on.wait(patience_s())
        return super().write(text)


def test_what_is_too_much_for_who_reads_is_left_out_and_counted() -> None:
    held = Held()
    words = BackgroundStream(held, most=len("two\nthree\n"))
    words.write("one\n")
    assert held.begun.wait(patience_s())
    for text in ("two\n", "three\n", "four\n", "five\n"):
        words.write(text)
    held.goes_on.set()
    assert words.drain(patience_s())
    words.write("six\n")
    assert words.drain(patience_s())
    assert held.getvalue().splitlines() == [
        "one",
        "two",
        "three",
        "... 2 more were not written: nobody read them",
        "six",
    ]


class Coordinating:
    """What a coordinator's thread runs."""

    def __init__(self, run: Callable[[], object]) -> None:
        self.stopped = threading.Event()
        self._run = run

    def run(self) -> None:
        self._run()

    def stop(self) -> None:
        self.stopped.set()


class Door:
    def __init__(self, shut_s: float = 0.0) -> None:
        self.shut_s = shut_s


def test_an_error_of_the_thread_that_coordinates_ends_the_program() -> None:
    def fails() -> None:
        raise RuntimeError("nobody foresaw this")

    with pytest.raises(RuntimeError, match="nobody foresaw this"):
        _run(Coordinating(fails), Door())


def test_a_door_that_cannot_be_opened_again_ends_the_program() -> None:
    coordinating = Coordinating(lambda: None)
    coordinating._run = lambda: coordinating.stopped.wait(60.0)
    with pytest.raises(EngineError, match="the server for agents has ended, and could not begin again in 11 s"):
        _run(coordinating, Door(shut_s=11.0))
    assert coordinating.stopped.is_set()


def test_no_command_can_be_ended_by_whoever_hangs_up_on_it() -> None:
    with restored_signals():
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as Python begins
        penstock("policies")
        assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN
