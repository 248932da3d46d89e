"""Rows for several topics at steady rates from one process, made beforehand: it shall cost the cores next to nothing.

    python benchmarks/cpu_load.py --bootstrap 127.0.0.1:9092 payments=100 reports=120.5
    python benchmarks/cpu_load.py --bootstrap 127.0.0.1:9092 --at-once payments-full=30000

Until it is told to end; --at-once sends so many rows to each topic and ends.
"""

import argparse
import signal
import time
from collections.abc import Mapping

from confluent_kafka import Producer

KEYS = 100
_TICK_S = 0.1  # a twentieth of the shortest batch or less: each message costs the broker more than its rows
ROWS = [(f"k{n % KEYS}", f'{{"id":{n},"key":"k{n % KEYS}"}}') for n in range(1000)]


class Sender:
    """Sends what is due, and keeps count."""

    def __init__(self, bootstrap: str) -> None:
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "linger.ms": 50,
                "delivery.report.only.error": True,
                "queue.buffering.max.messages": 1_000_000,
                "log_level": 0,
            }
        )
        self._sent: dict[str, int] = {}

    def send_due(self, rates: Mapping[str, float], elapsed_s: float) -> None:
        """All rows due by then that are not out yet."""
        for topic, rate_rps in rates.items():
            self.send(topic, due(rate_rps, elapsed_s))
        self._producer.poll(0)

    def send(self, topic: str, until: int) -> None:
        """The rows from the last one sent up to this number."""
        for number in range(self._sent.get(topic, 0), until):
            key, value = ROWS[number % len(ROWS)]
            self._produce(topic, key, value)
        self._sent[topic] = max(until, self._sent.get(topic, 0))

    def flush(self) -> None:
        """Until the broker has them all."""
        self._producer.flush(60)

    def _produce(self, topic: str, key: str, value: str) -> None:
        while True:
            try:
                return self._producer.produce(topic, value, key)
            except BufferError:  # wait for room: nothing is dropped
                self._producer.poll(0.1)


def due(rate_rps: float, elapsed_s: float) -> int:
    """Rows due by then.

    >>> due(2.5, 4.0)
    10
    """
    return int(rate_rps * elapsed_s + 1e-6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("rates", nargs="+", help="topic=rows a second, or rows")
    options = parser.parse_args()
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    rates = {topic: float(rate) for topic, _, rate in (pair.partition("=") for pair in options.rates)}
    sender = Sender(options.bootstrap)
    if options.at_once:
        for topic, rows in rates.items():
            sender.send(topic, int(rows))
    else:
        started_s = time.monotonic()
        while not told:
            sender.send_due(rates, time.monotonic() - started_s)
            time.sleep(_TICK_S)
    sender.flush()


if __name__ == "__main__":
    main()
