"""The copies as their parent sees them: started, listened to, ended; none outlives it."""

import contextlib
import json
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO

from penstock.errors import EngineError
from penstock.profiling.jobs.copy import CopySpec, Reading

_ENDS_WITHIN_S = 30.0
_LOOK_EVERY_S = 0.2


class Copy:
    """One copy's process, and the last that it told."""

    def __init__(self, spec: CopySpec) -> None:
        place = Path(spec.place)
        place.mkdir(parents=True, exist_ok=True)
        self.spec = spec
        self.log = place / "copy.log"
        self.started_s = time.monotonic()
        self.reading: Reading | None = None
        with self.log.open("wb") as log:
            command = [sys.executable, "-m", "penstock.profiling.jobs.copy", json.dumps(asdict(spec))]
            # In a session of its own: a terminal's Ctrl-C is ours, and we close its standard input.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
            )
        assert self._process.stdout is not None  # a pipe was asked for
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether its process is there."""
        return self._process.poll() is None

    def ready(self, latest_s: float) -> bool:
        """Whether all of its executors are there, and rows come through with at most that latency."""
        told = self.reading
        if told is None or told.executors < self.spec.scaleout or told.latency_s is None:
            return False
        return told.latency_s <= latest_s

    @property
    def cost_executor_s(self) -> float:
        """The executor-seconds that it has held so far."""
        return self.spec.scaleout * (time.monotonic() - self.started_s)

    def check(self) -> None:
        """An EngineError when it ended by itself, or its query did."""
        if self.reading is not None and self.reading.given_up:
            raise EngineError(f"the copy with {self.spec.scaleout} executors: {self.reading.trouble}")
        if not self.alive:
            raise EngineError(f"the copy with {self.spec.scaleout} executors ended: {_last_line(self.log)}")

    def ask_to_end(self) -> None:
        """It stops its query; see `end`."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def end(self) -> None:
        """Until it is gone."""
        self.ask_to_end()
        try:
            self._process.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _listen(self, told: IO[str]) -> None:
        for line in told:
            with contextlib.suppress(ValueError, TypeError):  # a job may print what it likes
                self.reading = Reading.read(json.loads(line))


def wait_ready(copies: list[Copy], latest_s: float, within_s: float) -> None:
    """Until all are ready; an EngineError says which is not."""
    deadline = time.monotonic() + within_s
    while waiting := [copy for copy in copies if not copy.ready(latest_s)]:
        for copy in copies:
            copy.check()
        if time.monotonic() > deadline:
            told = waiting[0].reading
            there = 0 if told is None else told.executors
            wanted = waiting[0].spec.scaleout
            raise EngineError(
                f"the copy with {wanted} executors was not ready within {within_s:.0f} s ({there} executors came); "
                f"see {waiting[0].log}"
            )
        time.sleep(_LOOK_EVERY_S)


def end_all(copies: list[Copy]) -> None:
    """All at once, then one after the other until they are gone."""
    for copy in copies:
        copy.ask_to_end()
    for copy in copies:
        copy.end()


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"{lines[-1]}; see {log}" if lines else f"see {log}"
