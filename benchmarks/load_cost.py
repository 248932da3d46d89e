"""What `penstock load` costs its machine and the broker, against a plain loop around the same client library, in turns.

    python benchmarks/load_cost.py [--pairs 5] [--seconds 20] [--rate 800] [--linger 5ms]

CPU time (user and system) of the sending process and of the broker, not wall time: others may use the machine. Both
send as many rows of as many bytes with as many keys to four partitions, lz4, idempotent. The plain loop makes one row
and sends that; it knows neither a curve nor event times, and gives no account.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from machine_use import process
from own_broker import own_broker

from penstock.core.units import positive_seconds
from penstock.engines.kafka.broker import Broker
from penstock.engines.kafka.topics import make_topics

ROW = b'{"id":1234567,"event_ms":1790000000000,"key":"k500","pair":"p50"}'
KEYS = 1000
PLAIN, OURS = "plain loop", "penstock load"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=800)
    parser.add_argument("--linger", default="20ms")
    parser.add_argument("--plain", metavar="BOOTSTRAP,TOPIC", help="be the plain loop")
    options = parser.parse_args()
    if options.plain is not None:
        bootstrap, topic = options.plain.split(",")
        send(bootstrap, topic, options.rate, options.seconds, positive_seconds(options.linger, "--linger"))
        return
    with own_broker() as broker:
        make_topics(broker.bootstrap, ["rows"], 4)
        for who in (PLAIN, OURS):  # warm: the broker's classes are compiled
            spent(broker, command(who, broker, options))
        found: dict[str, list[tuple[float, float]]] = {PLAIN: [], OURS: []}
        for _ in range(options.pairs):
            for who in found:
                found[who].append(spent(broker, command(who, broker, options)))
        idle = spent(broker, [sys.executable, "-c", f"import time; time.sleep({options.seconds})"])
    rows = options.rate * options.seconds
    print(f"{rows} rows at {options.rate}/s, linger {options.linger}, pairs: {options.pairs}, load: {os.getloadavg()}")
    print("| | sender, CPU s: median (least to most) | broker, CPU s |\n|---|---|---|")
    for who, runs in found.items():
        print(f"| {who} | {told([sender for sender, _ in runs])} | {told([broker for _, broker in runs])} |")
    print(f"| nobody sends | | {idle[1]:.2f} |")


def command(who: str, broker: Broker, options: argparse.Namespace) -> Sequence[str]:
    """What is run: a process of its own, so that all that it costs counts, its start too."""
    lasts, rate = str(options.seconds), str(options.rate)
    if who == PLAIN:
        where = ["--plain", f"{broker.bootstrap},rows"]
        return [sys.executable, __file__, *where, "--rate", rate, "--seconds", lasts, "--linger", options.linger]
    where = ["--bootstrap", broker.bootstrap, "--topic", "rows", "--keys", str(KEYS)]
    what = ["--rate", rate, "--for", f"{lasts}s", "--linger", options.linger]
    return [sys.executable, "-m", "penstock.cli.main", "load", *where, *what]


def spent(broker: Broker, words: Sequence[str]) -> tuple[float, float]:
    """CPU seconds of that process, and of the broker meanwhile."""
    before = broker_s(broker)
    began = os.times()
    subprocess.run(words, check=True, capture_output=True)
    ended = os.times()
    sender = ended.children_user + ended.children_system - began.children_user - began.children_system
    return sender, broker_s(broker) - before


def broker_s(broker: Broker) -> float:
    """CPU seconds that the broker has used."""
    assert broker.process is not None
    return process(Path(f"/proc/{broker.process.pid}/stat").read_text(encoding="utf-8")).used_s


def told(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"


def send(bootstrap: str, topic: str, rate: int, seconds: int, linger_s: float) -> None:
    """As little as it takes."""
    from confluent_kafka import Producer

    settings: dict[str, str | int | float | bool] = {
        "bootstrap.servers": bootstrap,
        "enable.idempotence": True,
        "delivery.report.only.error": True,
        "compression.type": "lz4",
        "linger.ms": 1000 * linger_s,
    }
    producer = Producer(settings)
    began_s, sent = time.monotonic(), 0
    while sent < rate * seconds:
        due = min(rate * seconds, int((time.monotonic() - began_s) * rate))
        for number in range(sent, due):
            producer.produce(topic, ROW, b"k%d" % (number * 7919 % KEYS))
        sent = due
        time.sleep(linger_s)
        producer.poll(0)
    producer.flush()


if __name__ == "__main__":
    main()
