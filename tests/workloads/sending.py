"""Rows in a topic before a job of the workloads reads it."""

import numpy as np
from confluent_kafka import Producer

from penstock.workloads import rows
from penstock.workloads.rows import TextRows
from tests.patience import patience_s

COUNT = 3000


def sent(bootstrap: str, topic: str) -> TextRows:
    """Rows as the load generator would send them, all at once."""
    index = np.arange(COUNT, dtype=np.int64)
    made: TextRows = rows.ads(index, index * 10)
    producer = Producer({"bootstrap.servers": bootstrap})
    for key, value in made:
        producer.produce(topic, value, key)
        producer.poll(0)
    assert producer.flush(patience_s()) == 0
    return made
