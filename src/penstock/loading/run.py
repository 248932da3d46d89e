"""One load: rows sent when they are due, whether or not anybody reads them, and an exact account of it.

The generator never slows down for the topic's readers. When it is itself too slow it goes on as fast as it can, every
row with the event time that it was due at, and says so.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from confluent_kafka import KafkaException, Producer

from penstock.engines.kafka.offsets import end_offsets
from penstock.errors import EngineError
from penstock.loading.keys import Keys, KeySettings
from penstock.loading.report import LATE_AFTER_S, LoadReport
from penstock.loading.rows import RowMaker, json_rows
from penstock.loading.schedule import Schedule

_ROWS_AT_ONCE = 2000  # between two looks at the clock
_DELIVERED_WITHIN_S = 300.0
_JOINED_MS = 5.0  # of rows that were handed over together: the client's thread sends them as one message


@dataclass(frozen=True, slots=True)
class Load:
    """What to send, and where to."""

    bootstrap: str
    topic: str
    schedule: Schedule
    keys: KeySettings = KeySettings()
    seed: int = 1
    rows: RowMaker = json_rows
    start_ms: int | None = None  # the event time of the start; None: the present
    linger_s: float = 0.02  # rows wait so long for one another: a message costs the broker more than its rows


def run_load(
    load: Load, stop: Callable[[], bool] = lambda: False, tell: Callable[[str], None] = lambda text: None
) -> LoadReport:
    """Send the rows in real time; `stop` ends it early, `tell` hears what should be known at once."""
    before = end_offsets(load.bootstrap, load.topic)
    cpu_s = time.process_time()
    with Producer(_settings(load.bootstrap, load.linger_s)) as producer:
        sender = _Sender(load, producer, tell)
        sender.run(stop)
        if producer.flush(_DELIVERED_WITHIN_S) > 0:
            raise EngineError(f"{load.topic}: some rows were not confirmed within {_DELIVERED_WITHIN_S:.0f} s")
    after = end_offsets(load.bootstrap, load.topic)
    return LoadReport(
        topic=load.topic,
        asked=load.schedule.rows,
        sent=sender.sent,
        failed=sender.failed,
        seconds=sender.elapsed_s(),
        cpu_s=time.process_time() - cpu_s,
        late_s=sender.late_s,
        start_ms=sender.start_ms,
        per_key={f"k{key}": int(sender.counts[key]) for key in np.flatnonzero(sender.counts)},
        offsets={partition: (before.get(partition, 0), end) for partition, end in sorted(after.items())},
    )


def _settings(bootstrap: str, linger_s: float) -> dict[str, str | int | float | bool]:
    return {
        "bootstrap.servers": bootstrap,
        "enable.idempotence": True,  # what is sent again after a broken connection is kept once
        "message.timeout.ms": int(_DELIVERED_WITHIN_S * 1000),
        "delivery.report.only.error": True,  # a call for each row would cost more than the row
        "compression.type": "lz4",
        "linger.ms": min(_JOINED_MS, 1000 * linger_s),
        "queue.buffering.max.messages": 1_000_000,
        "log_level": 0,
    }


class _Sender:
    """Sends a load's rows and keeps count."""

    def __init__(self, load: Load, producer: Producer, tell: Callable[[str], None]) -> None:
        self._load = load
        self._producer = producer
        self._tell = tell
        self._keys = Keys(load.keys, load.seed)
        self._started_s = time.monotonic()
        self.start_ms = round(time.time() * 1000) if load.start_ms is None else load.start_ms
        self.sent = 0
        self.failed = 0
        self.late_s = 0.0
        self.counts = np.zeros(load.keys.keys, dtype=np.int64)

    def elapsed_s(self) -> float:
        """Since it began."""
        return time.monotonic() - self._started_s

    def run(self, stop: Callable[[], bool]) -> None:
        """Until all rows are out."""
        schedule = self._load.schedule
        while self.sent < schedule.rows and not stop():
            now_s = self.elapsed_s()
            due = schedule.due(now_s)
            if due > self.sent:
                self._send(min(due, self.sent + _ROWS_AT_ONCE), now_s)
            if due == self.sent:
                time.sleep(self._load.linger_s)  # a poll for as long would return with each confirmation
                self._producer.poll(0)

    def _send(self, until: int, now_s: float) -> None:
        times_s = self._load.schedule.times(self.sent, until)
        self._note_late(now_s - float(times_s[0]), now_s)
        left, right = self._keys.draw(until - self.sent)
        event_ms = self.start_ms + np.floor(times_s * 1000.0).astype(np.int64)
        for key, value in self._load.rows(np.arange(self.sent, until), event_ms, left, right):
            self._produce(key, value)
        self._producer.poll(0)
        self.counts += np.bincount(left, minlength=len(self.counts))
        self.sent = until

    def _produce(self, key: str | bytes, value: str | bytes) -> None:
        while True:
            try:
                self._producer.produce(self._load.topic, value, key, on_delivery=self._undelivered)
                return
            except BufferError:  # the broker is slower than we are: wait for room, nothing is dropped
                self._producer.poll(0.1)
            except KafkaException as error:
                raise EngineError(f"{self._load.topic}: a row could not be sent: {error}") from error

    def _undelivered(self, error: object, message: object) -> None:
        self.failed += 1

    def _note_late(self, late_s: float, now_s: float) -> None:
        if late_s > LATE_AFTER_S >= self.late_s:
            self._tell(f"cannot keep up: {late_s:.1f} s behind the curve, {now_s:.0f} s after the start")
        self.late_s = max(self.late_s, late_s)
