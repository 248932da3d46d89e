"""A driver that is started again when its process dies or stands still: `penstock run --restart`.

The parent only waits. Each life of the driver goes on with the run of the one before: its clock, what its policy
remembers, the slots that its jobs had. It is told when the one before died, so that the downtime becomes known. It
is a new process, or one that stood by (`standby.py`). Which exit codes are an end says the driver's last word
(`last_word.py`); without it each is a death, for any tenant's code can end the process with any code.

    runs -- ends in order: the user can mend it (2), another has the run (4), done (0), Ctrl-C (130) --> the end
      ^ \\-- died, or gave no sign of life: ended with all that it started --> waits, ever longer --\\
      | \\-- something is away (75): waits, and once it has run never gives up ----------------------------- |
      | \\-- the user can mend it (2), and it governed before: waits until that is done -------------------- |
      +----------------------------------------------------------------------------------------------------/
"""

import os
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from types import FrameType

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.engines.spark.jobs.restarts import Attempts, Health
from penstock.errors import OutageError, PenstockError, TakenOverError
from penstock.governing import last_word
from penstock.governing.groups import ended, killed, started
from penstock.governing.pulse import GOVERNS, STARTS_WITHIN_S
from penstock.governing.signs import Watch
from penstock.governing.standby import Attendant, Nobody, Second, Word
from penstock.spoken import spoken

STARTS_AT_MOST_S = 3600.0  # a start is cut short: the next one, on a machine as slow, is given twice the time
_INTERRUPTED = 130
_REFUSED = PenstockError.exit_code
# Done, done with rounds that failed, refused, another has the run, Ctrl-C.
_ENDS = (0, last_word.FAILED_TO_THE_END, _REFUSED, TakenOverError.exit_code, _INTERRUPTED)
_ENDS_WITHIN_S = 90.0
LOOK_EVERY_S = 0.1
POLICY = RestartPolicy(max_restarts=20, backoff_s=0.5, max_backoff_s=30.0)


@dataclass(frozen=True, slots=True)
class Supervised:
    """What is kept running; `helper` is a command that runs once, when a driver governs first.

    `words` is a file descriptor that all of them write to; None: where this process writes. `environment` is what
    drivers have beside this process's own: what nobody else on the machine is to see.
    """

    command: Sequence[str]
    policy: RestartPolicy = POLICY
    run_id: str | None = None
    heartbeat: Path | None = None
    standby: bool = False
    helper: Sequence[str] = ()
    words: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


def signalled() -> Event:
    """Set once a signal asks this process to end; only its main thread can ask for that.

    One that somebody had ignored for us, as `nohup` has a terminal's end, stays ignored.
    """
    stop = Event()

    def told(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, told)
    return stop


def supervise(what: Supervised, tell: Callable[[str], None], stop: Event) -> int:
    """Run the command until it ends by itself, or is to stop; the exit code is its last one.

    It is given `--run-id`, `--supervisor` and `--heartbeat` in every life, and `--run-age` and `--down-since` in all
    but the first; its last word is beside the heartbeat. Ctrl-C, as in a notebook's cell, ends it too; an error of who
    is told of its lives ends nothing.
    """
    tell = spoken(tell)
    with tempfile.TemporaryDirectory(prefix="penstock-", ignore_cleanup_errors=True) as place:
        file = what.heartbeat or Path(place, "heartbeat")
        given = ["--run-id", what.run_id or uuid.uuid4().hex[:12], "--supervisor", str(os.getpid())]
        command = [*what.command, *given, "--heartbeat", str(file)]
        beside = _beside(what, command, tell)
        try:
            return _lives(replace(what, command=command, heartbeat=file), file, stop, tell, beside)
        finally:
            beside.end()


@dataclass(frozen=True, slots=True)
class _End:
    """Of one driver: its exit code, whether it stood still, and whether its last word was that very code.

    >>> _End(0, in_order=False).said(0)
    False
    """

    code: int
    frozen: bool = False
    in_order: bool = True

    def said(self, *codes: int) -> bool:
        """Whether it ended by one of these, and said so."""
        return self.in_order and self.code in codes

    @property
    def exit_code(self) -> int:
        """What the supervisor's own is, if this was the last one."""
        return self.code if self.code > 0 or self.said(0) else _INTERRUPTED

    @property
    def why(self) -> str:
        """What is told of it."""
        if self.said(_REFUSED):
            return "fix what it says above; then it continues"
        if self.frozen:
            return "it gave no sign of life"
        abrupt = not self.in_order and self.code >= 0
        return f"exit code {self.code}" + (", without a last word: something in it ended the process" if abrupt else "")


class _NotStarted(_End):
    """There is no room for another process, for instance: as where a master is away."""

    @property
    def why(self) -> str:
        """See _End."""
        return "it could not be started"


_NOT_STARTED = _NotStarted(OutageError.exit_code)


def _beside(what: Supervised, command: Sequence[str], tell: Callable[[str], None]) -> Attendant:
    if what.standby:

        def say(text: str) -> None:
            tell(f"that stands by {text}")

        return Second(command, say, words=what.words, environment=what.environment)
    return Nobody(what.helper, words=what.words)


def _lives(what: Supervised, file: Path, stop: Event, tell: Callable[[str], None], beside: Attendant) -> int:
    attempts, lived, governed = Attempts(), False, False
    began_s, allowed_s = time.monotonic(), STARTS_WITHIN_S
    driver = _started(what, file)
    while True:
        attempts = attempts.started(time.monotonic())
        watch = Watch(file, allowed_s)
        end = _NOT_STARTED if driver is None else _life(driver, stop, watch, beside)
        # A file that is wrong when a driver has died, as while somebody writes it, is no end of what ran by it.
        mended_later = end.said(_REFUSED) and governed
        if (end.said(*_ENDS) and not mended_later) or stop.is_set():
            return end.exit_code
        governed = governed or watch.says(GOVERNS)
        away = end.said(OutageError.exit_code)
        lived = lived or not away
        # What ran before is no user's mistake: it is waited for as long as it is away.
        waits = mended_later or (lived and away)
        patient = replace(what.policy, max_restarts=None) if waits else what.policy
        died_s = time.monotonic()
        attempts = attempts.failed(end.why, died_s, patient)
        slow = end.frozen and not watch.says(GOVERNS)
        allowed_s = min(2.0 * allowed_s, STARTS_AT_MOST_S) if slow else STARTS_WITHIN_S
        word = Word(time.time(), died_s - began_s, None if allowed_s == STARTS_WITHIN_S else allowed_s)
        tell(attempts.text(died_s) or "")
        if attempts.health is Health.GIVEN_UP:
            return 1
        if stop.wait(max(0.0, (attempts.due_s or died_s) - died_s)):
            return _INTERRUPTED
        _forget(file)
        driver = beside.taken(word) or _started(what, file, word.arguments())


def _started(what: Supervised, file: Path, told: Sequence[str] = ()) -> "subprocess.Popen[bytes] | None":
    _forget(file)
    # In a group of its own, so that a terminal's Ctrl-C reaches it once, through us; its JVM is in it too.
    return started([*what.command, *told], None, what.words, what.words, what.environment)


def _forget(file: Path) -> None:
    """The sign of life of the one before, and its last word."""
    for old in (file, last_word.place_of(file)):
        with suppress(OSError):
            old.unlink()


def _life(driver: "subprocess.Popen[bytes]", stop: Event, watch: Watch, beside: Attendant) -> _End:
    """One life, and its end.

    An order to end is passed on as Ctrl-C, which lets a driver stop its queries.
    """
    frozen = False
    try:
        while driver.poll() is None and not stop.wait(LOOK_EVERY_S):
            beside.look(watch.says(GOVERNS))
            if watch.frozen(time.monotonic()):
                frozen = True
                killed(driver.pid)
    finally:
        if driver.poll() is None:
            driver.send_signal(signal.SIGINT)
        ended(driver, _ENDS_WITHIN_S)
    return _End(driver.returncode, frozen, last_word.left(watch.file) == driver.returncode)
