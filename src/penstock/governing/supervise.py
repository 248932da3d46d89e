"""A driver that is started again when its process dies or stands still: `penstock run --restart`.

The parent only waits. Each life of the driver goes on with the run of the one before: its clock, what its policy
remembers, the slots that its jobs had. It is told when the one before died, so that the downtime becomes known.

    runs -- the user can mend it (2), another has the run (4), done (0), Ctrl-C (130) --> the end
      ^ \\-- died, or gave no sign of life for 40 s: ended with all that it started --> waits, ever longer --\\
      | \\-- something is away (75): waits, and once it has run never gives up ----------------------------- |
      +----------------------------------------------------------------------------------------------------/
"""

import os
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from types import FrameType

from penstock.engines.spark.restarts import Attempts, Health, RestartPolicy
from penstock.errors import OutageError, TakenOverError
from penstock.governing.pulse import STARTS_WITHIN_S

STARTS_AT_MOST_S = 3600.0  # a start is cut short: the next one, on a machine as slow, is given twice the time
SILENT_AT_MOST_S = 40.0  # with the 10 s that its JVM may take to answer: a frozen driver is replaced within a minute
_ENDED_BY_ITSELF = (0, 2, TakenOverError.exit_code, 130)  # done, refused, another has the run, Ctrl-C
_ENDS_WITHIN_S = 90.0
_LEAVES_WITHIN_S = 5.0  # what a driver started, once the driver is dead: its JVM ends by itself in one or two
_LOOK_EVERY_S = 0.1
_STEP_S = 1.0
POLICY = RestartPolicy(max_restarts=20, backoff_s=0.5, max_backoff_s=30.0)


@dataclass(slots=True)
class Watch:
    """How long a file has not been written, as far as it was looked at: who slept himself blames nobody.

    >>> watch = Watch(Path("/nowhere"))
    >>> [watch.silent_s(now) for now in (5.0, 5.5, 3600.0)]
    [0.0, 0.5, 1.5]
    """

    file: Path
    starts_within_s: float = STARTS_WITHIN_S
    _silent_s: float = 0.0
    _looked_s: float | None = None
    _written_ns: int | None = None

    def silent_s(self, now: float) -> float:
        """Until now, on a clock that nobody sets."""
        step_s = 0.0 if self._looked_s is None else min(_STEP_S, now - self._looked_s)
        self._looked_s = now
        written_ns = self._look()
        self._silent_s = 0.0 if written_ns != self._written_ns else self._silent_s + step_s
        self._written_ns = written_ns
        return self._silent_s

    def frozen(self, now: float) -> bool:
        """Whether it is that for too long; before the first sign of life a driver has time to start."""
        silent_s = self.silent_s(now)
        return silent_s > (self.starts_within_s if self._written_ns is None else SILENT_AT_MOST_S)

    @property
    def governed(self) -> bool:
        """Whether it had come so far by its last sign of life."""
        try:
            return self.file.read_text(encoding="ascii").strip() == "governing"
        except OSError:
            return False

    def _look(self) -> int | None:
        try:
            return self.file.stat().st_mtime_ns
        except OSError:
            return None


def supervise(
    command: Sequence[str],
    tell: Callable[[str], None],
    policy: RestartPolicy = POLICY,
    run_id: str | None = None,
    heartbeat: Path | None = None,
) -> int:
    """Run the command until it ends by itself; the exit code is its last one.

    It is given `--run-id`, `--supervisor` and `--heartbeat` in every life, and `--run-age` and `--down-since` in all
    but the first.
    """
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _setting(stop))
    with tempfile.TemporaryDirectory(prefix="penstock-", ignore_cleanup_errors=True) as place:
        file = heartbeat or Path(place, "heartbeat")
        given = ["--run-id", run_id or uuid.uuid4().hex[:12], "--supervisor", str(os.getpid())]
        return _lives([*command, *given, "--heartbeat", str(file)], file, stop, tell, policy)


def _lives(command: Sequence[str], file: Path, stop: Event, tell: Callable[[str], None], policy: RestartPolicy) -> int:
    attempts, lived, began_s, allowed_s = Attempts(), False, time.monotonic(), STARTS_WITHIN_S
    since: tuple[str, ...] = ()
    while True:
        attempts = attempts.started(time.monotonic())
        file.unlink(missing_ok=True)
        watch = Watch(file, allowed_s)
        code, frozen = _life([*command, *since, *_patience(allowed_s)], stop, watch)
        why = "it gave no sign of life" if frozen else f"exit code {code}"
        if code in _ENDED_BY_ITSELF or stop.is_set():
            return code if code >= 0 else 130
        lived = lived or code != OutageError.exit_code
        # What ran before is no user's mistake: it is waited for as long as it is away.
        patient = replace(policy, max_restarts=None) if lived and code == OutageError.exit_code else policy
        died_s = time.monotonic()
        attempts = attempts.failed(why, died_s, patient)
        since = ("--run-age", f"{died_s - began_s:.3f}", "--down-since", f"{time.time():.3f}")
        allowed_s = min(2.0 * allowed_s, STARTS_AT_MOST_S) if frozen and not watch.governed else STARTS_WITHIN_S
        tell(attempts.text(died_s) or "")
        if attempts.health is Health.GIVEN_UP or stop.wait(max(0.0, (attempts.due_s or died_s) - died_s)):
            return 1


def _patience(allowed_s: float) -> tuple[str, ...]:
    return () if allowed_s == STARTS_WITHIN_S else ("--starts-within", f"{allowed_s:.0f}")


def _setting(stop: Event) -> Callable[[int, FrameType | None], None]:
    def told(number: int, frame: FrameType | None) -> None:
        stop.set()

    return told


def _life(command: Sequence[str], stop: Event, watch: Watch) -> tuple[int, bool]:
    """One life: its exit code, and whether it stood still.

    An order to end is passed on as Ctrl-C, which lets a driver stop its queries.
    """
    # In a group of its own, so that a terminal's Ctrl-C reaches it once, through us; its JVM is in it too.
    driver = subprocess.Popen(command, process_group=0)
    frozen = False
    while driver.poll() is None and not stop.wait(_LOOK_EVERY_S):
        if watch.frozen(time.monotonic()):
            frozen = True
            _kill(driver.pid)
    if driver.poll() is None:
        driver.send_signal(signal.SIGINT)
        try:
            driver.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            _kill(driver.pid)
    code = driver.wait()
    if code not in _ENDED_BY_ITSELF:
        _clear(driver.pid)
    return code, frozen


def _clear(group: int) -> None:
    """Nobody of the group is left to write into a checkpoint beside the next driver."""
    until_s = time.monotonic() + _LEAVES_WITHIN_S
    while _lives_on(group) and time.monotonic() < until_s:
        time.sleep(_LOOK_EVERY_S)
    _kill(group)


def _lives_on(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _kill(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
