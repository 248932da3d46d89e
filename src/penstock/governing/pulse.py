"""The pulse of a driver: whether its JVM answers, and a file by which others see that all of it is alive.

A process that is stopped, or a JVM that is, dies of nothing and says nothing. The file is written every second while
Python runs, the JVM answers and the loop moves on; whoever watches it replaces a driver whose file grows old.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from penstock.errors import ConfigError

# A frozen driver is replaced within a minute: these, the answer that its JVM owes (`hand.ANSWERS_WITHIN_S`), the end of
# what it started and the first pause before a start come to less (`tests/governing/test_replaced_in_time.py`).
BEAT_EVERY_S = 1.0
MOVES_WITHIN_S = 10.0  # a loop that does nothing and waits for nothing; it may be slow for as long as that and silence
SILENT_AT_MOST_S = 40.0  # nobody is replaced for less, however slow the machine
STARTS_WITHIN_S = 300.0  # Spark, its jars and its executors; by then something must be governed
GOVERNS = "governing"  # what the file says of a driver that does
WAITS = "waiting"  # of one that stands by

_log = logging.getLogger("penstock")


def check_heartbeat(file: Path | None, field: str) -> None:
    """A file that is never written is a driver that is replaced every five minutes."""
    if file is None:
        return
    folder = file.absolute().parent
    other = file.exists() and not file.is_file()  # a folder, or a device, in whose place a file would be put
    if other or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ConfigError(field, str(file), "give a file in a folder that is there and can be written")


class Pulse:
    """Asks `ping` again and again in a thread of its own, and knows since when it waits for the answer."""

    def __init__(
        self,
        ping: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[threading.Event, float], bool] = threading.Event.wait,
    ) -> None:
        self._ping = ping
        self._clock = clock
        self._pause = pause
        self._over = threading.Event()
        self._asked_s: float | None = None

    def start(self) -> None:
        """Begin to ask."""
        threading.Thread(target=self._run, name="penstock-pulse", daemon=True).start()

    def stop(self) -> None:
        """Ask no more."""
        self._over.set()

    def silent_s(self) -> float:
        """For how long an answer has been owed; 0 when none is."""
        asked_s = self._asked_s
        return 0.0 if asked_s is None else self._clock() - asked_s

    def _run(self) -> None:
        while not self._pause(self._over, BEAT_EVERY_S):
            self._asked_s = self._clock()
            try:
                self._ping()
            except Exception as error:  # whatever it says, it answers; one that is gone is found out by whoever asks
                _log.debug("the JVM answers %s", type(error).__name__)
            self._asked_s = None


class Motion:
    """Whether a loop moves on: for how long nothing was heard of its thread, which says so whenever it waits."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._moved_s = clock()
        self._thread: int | None = None

    def begins(self) -> None:
        """The loop is this thread's."""
        self._thread = threading.get_ident()
        self.goes_on()

    def goes_on(self) -> None:
        """It moves."""
        self._moved_s = self._clock()

    def still_s(self) -> float:
        """For how long it has not."""
        return self._clock() - self._moved_s

    def awaits(self, over: threading.Event, for_s: float) -> bool:
        """Wait for what a hand does: that has a limit of its own. What others wait for says nothing of the loop."""
        if threading.get_ident() == self._thread:
            self.goes_on()
        return over.wait(for_s)


class Heart:
    """Writes the file while the process is well.

    The file says `starting`, `waiting` (of one that stands by) or `governing`; its age tells of life.
    """

    def __init__(
        self,
        file: Path | None,
        starts_within_s: float = STARTS_WITHIN_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file = file
        self._starts_within_s = starts_within_s
        self._clock = clock
        self._well: Callable[[], bool] | None = None
        self._does = "starting"
        self._since_s = clock()
        self._over = threading.Event()

    def start(self) -> None:
        """Begin to beat, for whoever looks."""
        if self._file is not None:
            threading.Thread(target=self._run, name="penstock-heart", daemon=True).start()

    def stop(self) -> None:
        """Beat no more, and leave no file that would grow old."""
        self._over.set()
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink()

    def governed_by(self, well: Callable[[], bool] | None, does: str = GOVERNS) -> None:
        """From now on `well` says how it is; None: something is being started, which may take its time."""
        self._does = "starting" if well is None else does
        self._well, self._since_s = well, self._clock()

    def beat(self) -> None:
        """Once."""
        well = self._clock() - self._since_s < self._starts_within_s if self._well is None else self._well()
        if well and self._file is not None:
            self._write(self._file, self._does)

    def _run(self) -> None:
        while not self._over.wait(BEAT_EVERY_S):
            try:
                self.beat()
            except Exception as error:  # a disk that was full from the start, for instance; the next beat tries again
                _log.warning("no sign of life could be left: %s", error)

    def _write(self, file: Path, text: str) -> None:
        whole = file.with_name(f"{file.name}.new")
        with suppress(OSError):  # who clears /tmp takes the folder too, and whose file is gone counts as silent
            file.parent.mkdir(0o700, parents=True, exist_ok=True)
        try:
            whole.write_text(f"{text}\n", encoding="ascii")
            whole.replace(file)
        except OSError:
            # Its age tells of life, and takes neither room on a disk nor a descriptor: who is well is not replaced.
            os.utime(file)
