"""A second driver that stands by, warm, for the first one's death: what becomes of it, as a table.

    ABSENT -- the driver governs for a while --> WARMING -- its JVM is warm --> READY
      ^                                 |                             |
      |                                 +-- it ended, or is silent ---+--> RESTING -- rested --> ABSENT
      +-- the driver died: it takes over, warm or half warm --> it is the driver, and the next one stands by for it

It is started once the driver has governed for a while, so that it takes no core from its first batches. It is given
the word on its standard input by whoever supervises both, and only after the driver and all that it started are gone:
until then it holds no lease, no checkpoint, no executor and no store. Its own end is never the run's.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.engines.spark.jobs.restarts import Attempts
from penstock.governing.groups import ended, killed, started
from penstock.governing.pulse import WAITS
from penstock.governing.signs import Watch

ARCHIVES = (sys.executable, "-m", "penstock.local.spark.class_archive")  # Spark's classes, once
RESTS = RestartPolicy(max_restarts=None, backoff_s=5.0, max_backoff_s=300.0)
SETTLES_S = 20.0  # the first batches of a driver's queries
_ENDS_WITHIN_S = 10.0
_HEARS_WITHIN_S = 10.0  # it gives a sign of life each second


class StandbyState(StrEnum):
    """Where the second driver stands."""

    ABSENT = "absent"
    WARMING = "warming"
    READY = "ready"
    RESTING = "resting"


class StandbySignal(StrEnum):
    """What happens."""

    GOVERNS = "the driver has governed for a while"
    WARM = "the standby is warm"
    ENDED = "the standby ended"
    SILENT = "the standby gave no sign of life"
    RESTED = "it is time to try again"
    DIED = "the driver died"


class StandbyAct(StrEnum):
    """What follows."""

    NOTHING = "nothing"
    START = "start a standby"
    SAY_READY = "say that it is ready"
    SAY_ENDED = "say that it ended"
    END = "end the standby"
    TAKE_OVER = "give it the word"


TABLE: Mapping[tuple[StandbyState, StandbySignal], tuple[StandbyState, StandbyAct]] = {
    (StandbyState.ABSENT, StandbySignal.GOVERNS): (StandbyState.WARMING, StandbyAct.START),
    (StandbyState.WARMING, StandbySignal.WARM): (StandbyState.READY, StandbyAct.SAY_READY),
    (StandbyState.WARMING, StandbySignal.ENDED): (StandbyState.RESTING, StandbyAct.SAY_ENDED),
    (StandbyState.READY, StandbySignal.ENDED): (StandbyState.RESTING, StandbyAct.SAY_ENDED),
    (StandbyState.WARMING, StandbySignal.SILENT): (StandbyState.RESTING, StandbyAct.END),
    (StandbyState.READY, StandbySignal.SILENT): (StandbyState.RESTING, StandbyAct.END),
    (StandbyState.RESTING, StandbySignal.RESTED): (StandbyState.ABSENT, StandbyAct.NOTHING),
    # Half warm it is still ahead of one that is started now: it leaves out what it has not done.
    (StandbyState.WARMING, StandbySignal.DIED): (StandbyState.ABSENT, StandbyAct.TAKE_OVER),
    (StandbyState.READY, StandbySignal.DIED): (StandbyState.ABSENT, StandbyAct.TAKE_OVER),
}


def after(state: StandbyState, signal: StandbySignal) -> tuple[StandbyState, StandbyAct]:
    """Where a signal leads, and what is to be done; one that does not matter there changes nothing.

    >>> after(StandbyState.READY, StandbySignal.DIED)
    (<StandbyState.ABSENT: 'absent'>, <StandbyAct.TAKE_OVER: 'give it the word'>)
    """
    return TABLE.get((state, signal), (state, StandbyAct.NOTHING))


@dataclass(frozen=True, slots=True)
class Word:
    """What a driver is told that takes another's place.

    >>> Word(5.0, 60.0).arguments()
    ('--run-age', '60.000', '--down-since', '5.000')
    """

    down_since_s: float  # in seconds since the epoch
    age_s: float  # of the run
    starts_within_s: float | None = None  # None: as always

    def arguments(self) -> tuple[str, ...]:
        """As words of the command line."""
        told = ("--run-age", f"{self.age_s:.3f}", "--down-since", f"{self.down_since_s:.3f}")
        return told if self.starts_within_s is None else (*told, "--starts-within", f"{self.starts_within_s:.0f}")

    def line(self) -> str:
        """As a line that a standby reads."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> "Word":
        """What `line` wrote."""
        return cls(**json.loads(line))


class Attendant(Protocol):
    """What a supervisor keeps beside the driver."""

    def look(self, governs: bool) -> None:
        """Ten times a second while the driver lives."""

    def taken(self, word: Word) -> "subprocess.Popen[bytes] | None":
        """Who takes the place of the driver that died, where somebody does."""

    def end(self) -> None:
        """The run is over."""


class Settling:
    """Whether the driver has governed for so long.

    >>> settling = Settling(20.0)
    >>> [settling.done(*at) for at in ((True, 0.0), (False, 15.0), (True, 16.0), (True, 36.0))]
    [False, False, False, True]
    """

    def __init__(self, settles_s: float) -> None:
        self._settles_s = settles_s
        self._since_s: float | None = None

    def done(self, governs: bool, now: float) -> bool:
        """As it is seen now."""
        if not governs:
            self._since_s = None
        elif self._since_s is None:
            self._since_s = now
        return self._since_s is not None and now - self._since_s >= self._settles_s


class Nobody:
    """Keeps nothing beside it, but lets a helper run once when the driver has settled first."""

    def __init__(self, helper: Sequence[str] = (), settles_s: float = SETTLES_S, words: int | None = None) -> None:
        self._helper = helper
        self._words = words
        self._settling = Settling(settles_s)
        self._started: subprocess.Popen[bytes] | None = None

    def look(self, governs: bool) -> None:
        """See Attendant."""
        if self._settling.done(governs, time.monotonic()) and self._helper and self._started is None:
            self._started = started(self._helper, subprocess.DEVNULL, subprocess.DEVNULL, self._words)
            self._helper = ()  # it is not tried again: it only helps

    def taken(self, word: Word) -> "subprocess.Popen[bytes] | None":
        """See Attendant."""
        return None

    def end(self) -> None:
        """See Attendant."""
        if self._started is not None and self._started.poll() is None:
            killed(self._started.pid)
            self._started.wait()


class Second:
    """Keeps a standby: `command` starts it, and is given `--awaits` with the file of life that it writes."""

    def __init__(
        self,
        command: Sequence[str],
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        rests: RestartPolicy = RESTS,
        settles_s: float = SETTLES_S,
        words: int | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._command = command
        self._environment = environment
        self._words = words
        self._tell = tell
        self._clock = clock
        self._rests = rests
        self._settling = Settling(settles_s)
        self._place = tempfile.TemporaryDirectory(prefix="penstock-standby-", ignore_cleanup_errors=True)
        self._state = StandbyState.ABSENT
        self._attempts = Attempts()
        self._process: subprocess.Popen[bytes] | None = None
        self._watch = Watch(Path(self._place.name, "life"))

    def look(self, governs: bool) -> None:
        """See Attendant."""
        for signal in self._seen(governs):
            self._follow(signal)

    def taken(self, word: Word) -> "subprocess.Popen[bytes] | None":
        """See Attendant; one that does not hear the word is nobody."""
        self.look(False)
        if self._state is StandbyState.READY and self._watch.silent_s(self._clock()) > _HEARS_WITHIN_S:
            self._follow(StandbySignal.SILENT)  # the word would wait for it as long as a start may take
        process = self._process
        if self._follow(StandbySignal.DIED) is not StandbyAct.TAKE_OVER or process is None or process.stdin is None:
            return None
        self._process = None
        try:
            process.stdin.write(word.line().encode())
            process.stdin.close()
        except OSError:
            _ended(process, 0.0)
            return None
        return process

    def end(self) -> None:
        """See Attendant."""
        if self._process is not None:
            _ended(self._process, _ENDS_WITHIN_S)
        self._place.cleanup()

    def _seen(self, governs: bool) -> Sequence[StandbySignal]:
        now = self._clock()
        settled = self._settling.done(governs, now)
        if self._process is None and self._state is StandbyState.WARMING:
            return [StandbySignal.ENDED]  # it could not even be started
        if self._process is None:
            rested = self._state is StandbyState.RESTING and self._attempts.due(now)
            return [StandbySignal.RESTED] if rested else [StandbySignal.GOVERNS] if settled else []
        if self._process.poll() is not None:
            return [StandbySignal.ENDED]
        if self._watch.frozen(now):
            return [StandbySignal.SILENT]
        return [StandbySignal.WARM] if self._state is StandbyState.WARMING and self._watch.says(WAITS) else []

    def _follow(self, signal: StandbySignal) -> StandbyAct:
        self._state, act = after(self._state, signal)
        if act is StandbyAct.START:
            self._start()
        elif act is StandbyAct.SAY_READY:
            self._tell("is warm")
        elif act in (StandbyAct.SAY_ENDED, StandbyAct.END):
            self._gone(signal)
        return act

    def _start(self) -> None:
        self._watch = Watch(self._watch.file)
        with suppress(OSError):
            self._watch.file.unlink()
        self._attempts = self._attempts.started(self._clock())
        command = [*self._command, "--awaits", str(self._watch.file)]
        self._process = started(command, subprocess.PIPE, self._words, self._words, self._environment)

    def _gone(self, signal: StandbySignal) -> None:
        process, self._process = self._process, None
        if process is not None:
            _ended(process, 0.0)
        now = self._clock()
        why = "it could not be started" if process is None else f"exit code {process.returncode}"
        why = "it gave no sign of life" if signal is StandbySignal.SILENT else why
        self._attempts = self._attempts.failed(why, now, self._rests)
        self._tell(self._attempts.text(now) or "")


def _ended(process: "subprocess.Popen[bytes]", within_s: float) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()  # nobody can give it the word any more, of which it ends by itself
    ended(process, within_s)
