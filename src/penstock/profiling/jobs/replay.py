"""Replay: the recording at any rate, by deleting and replicating rows at random.

The recording passes at about its own pace whatever the rate, so that times inside the rows go on as they did; after
its end it begins again.
"""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
from confluent_kafka import KafkaException, Producer

from penstock.errors import EngineError
from penstock.profiling.jobs.recording import RecordedRow, Recording
from penstock.threads import BesideThread

_TICK_S = 0.02
_DELIVERED_WITHIN_S = 30.0


class Sampler:
    """Rows of a recording, one after the other, some several times or not at all."""

    def __init__(self, recording: Recording, seed: int) -> None:
        self._rows = recording.rows
        self._rate_rps = recording.rate_rps
        self._random = np.random.default_rng(seed)
        self._at = 0

    def take(self, count: int, rate_rps: float) -> Iterator[RecordedRow]:
        """The next so many, for a rate: from row to row it goes on by recorded rate / rate on average."""
        step = self._rate_rps / rate_rps
        whole = int(step)
        steps = whole + (self._random.random(count) < step - whole)
        places = (self._at + np.cumsum(steps)) % len(self._rows)
        self._at = int(places[-1]) if count else self._at
        return (self._rows[place] for place in places.tolist())


class Sink(Protocol):
    """Where replayed rows go."""

    def write(self, rows: Iterator[RecordedRow]) -> None:
        """All of these."""

    def close(self) -> None:
        """Nothing more comes."""


class TopicSink:
    """A topic: each row goes to the partition that it was recorded in."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        settings: dict[str, str | int | float | bool] = {
            "bootstrap.servers": bootstrap,
            "linger.ms": 5,
            "compression.type": "lz4",
            "queue.buffering.max.messages": 1_000_000,
            "log_level": 0,
        }
        self._producer = Producer(settings)
        self._topic = topic

    def write(self, rows: Iterator[RecordedRow]) -> None:
        for row in rows:
            while True:
                try:
                    self._producer.produce(self._topic, row.value, row.key, row.partition)
                    break
                except BufferError:  # the broker is slower than we are: wait for room
                    self._producer.poll(0.1)
        self._producer.poll(0)

    def close(self) -> None:
        self._producer.flush(_DELIVERED_WITHIN_S)


class FileSink:
    """A directory: a file a second, renamed into place when it is whole."""

    def __init__(self, directory: Path, every_s: float = 1.0) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._every_s = every_s
        self._lines: list[bytes] = []
        self._since_s = time.monotonic()
        self._number = time.time_ns() // 1_000_000

    def write(self, rows: Iterator[RecordedRow]) -> None:
        self._lines.extend(row.value for row in rows)
        if time.monotonic() - self._since_s >= self._every_s:
            self.close()

    def close(self) -> None:
        if self._lines:
            hidden = self._directory / f".{self._number}"
            hidden.write_bytes(b"\n".join(self._lines) + b"\n")
            hidden.rename(self._directory / f"{self._number}.lines")
        self._lines, self._since_s, self._number = [], time.monotonic(), self._number + 1


class Replay:
    """A thread that writes rows at the present rate, from when it is entered until it is left."""

    def __init__(self, recording: Recording, open_sink: Callable[[], Sink], seed: int = 0) -> None:
        self._sampler = Sampler(recording, seed)
        self._open_sink = open_sink
        self._stop = threading.Event()
        self._thread = BesideThread(self._run, "replay")
        self._error: Exception | None = None
        self.rate_rps = 0.0  # may be changed at any time

    def __enter__(self) -> "Replay":
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stop.set()
        self._thread.join(_DELIVERED_WITHIN_S + 5.0)

    def check(self) -> None:
        """An EngineError when it broke off."""
        if self._error is not None:
            raise EngineError(f"the replay ended: {self._error}")

    def _run(self) -> None:
        try:
            sink = self._open_sink()
            self._write(sink)
            sink.close()
        except (KafkaException, OSError) as error:  # told by check(), in the caller's thread
            self._error = error

    def _write(self, sink: Sink) -> None:
        due, before_s = 0.0, time.monotonic()
        while not self._stop.wait(_TICK_S):
            now_s = time.monotonic()
            due += self.rate_rps * (now_s - before_s)
            before_s = now_s
            count = int(due)
            due -= count
            if count:
                sink.write(self._sampler.take(count, self.rate_rps))
