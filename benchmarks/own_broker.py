"""A broker for one benchmark alone, ended with it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from penstock.local import processes
from penstock.local.kafka import broker
from penstock.local.kafka.broker import Broker


@contextmanager
def own_broker(partitions: int = 4) -> Iterator[Broker]:
    """It listens on a free port; its records are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="penstock-kafka-") as place:
        state = Path(place, "kafka.json")
        try:
            yield broker.up(state, processes.free_port(), partitions)
        finally:
            broker.down(state)
