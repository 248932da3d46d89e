"""What `penstock load` costs its machine and the broker, against librdkafka's own tool and a plain loop, in turns.

    python benchmarks/load_cost.py [--rounds 5] [--seconds 20] [--rate 800] [--linger 20ms] [--mock]

CPU time (user and system) of the sending process and of the broker, not wall time: others may use the machine. All
send as many rows of as many bytes to four partitions by the same library with the same linger, lz4, idempotent. The
tool makes the same row over and over, without a key, and looks at the clock for each. The plain loop, in Python, sends
that row with keys, as many as are due at a time. Neither knows a curve or event times, or gives an account. With
`--mock` they send to the broker inside librdkafka, in a process of its own: no JVM runs beside the senders.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from librdkafka_tool import tool
from machine_use import process
from own_broker import own_broker

from penstock.core.units import positive_seconds
from penstock.engines.kafka.topics import make_topics
from penstock.loading.keys import KeySettings
from penstock.loading.run import Load, run_load
from penstock.loading.schedule import Schedule
from penstock.workloads.rates import constant

ROW = b'{"id":1234567,"event_ms":1790000000000,"key":"k500","pair":"p50"}'
KEYS, TOPIC, PARTITIONS = 1000, "rows", 4
BROKER = "broker"
TOOL, PLAIN, OURS = "rdkafka_performance", "plain loop", "penstock load"


@dataclass(frozen=True, slots=True)
class Listening:
    """A broker: where it listens, and the process whose CPU time is its own."""

    bootstrap: str
    pid: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=800)
    parser.add_argument("--linger", default="20ms")
    parser.add_argument("--mock", action="store_true", help="send to the broker inside librdkafka")
    parser.add_argument("--be", nargs=2, metavar=("WHO", "BOOTSTRAP"), help="be one of those that take turns")
    options = parser.parse_args()
    if options.be is not None:
        who, bootstrap = options.be
        be(who, bootstrap, options)
        return
    tool()
    with mock_broker() if options.mock else real_broker() as broker:
        idle = spent(broker, [sys.executable, "-c", f"import time; time.sleep({options.seconds})"])
        for who in (TOOL, PLAIN, OURS):  # warm: the broker's classes are compiled
            spent(broker, command(who, broker, options))
        found: dict[str, list[tuple[float, float]]] = {TOOL: [], PLAIN: [], OURS: []}
        for _ in range(options.rounds):
            for who in found:
                found[who].append(spent(broker, command(who, broker, options)))
                sender_s, broker_s = found[who][-1]
                print(f"{who}: {sender_s:.2f} s, broker {broker_s:.2f} s", file=sys.stderr, flush=True)
    rows = options.rate * options.seconds
    print(f"{rows} rows at {options.rate}/s, linger {options.linger}, {options.rounds} rounds, load: {os.getloadavg()}")
    print("| | sender, CPU s: median (least to most) | broker, CPU s |\n|---|---|---|")
    for who, runs in found.items():
        print(f"| {who} | {told([sender for sender, _ in runs])} | {told([broker for _, broker in runs])} |")
    print(f"| nobody sends | | {idle[1]:.2f} |")


@contextmanager
def real_broker() -> Iterator[Listening]:
    """Kafka's own."""
    with own_broker() as broker:
        assert broker.process is not None
        make_topics(broker.bootstrap, [TOPIC], PARTITIONS)
        yield Listening(broker.bootstrap, broker.process.pid)


@contextmanager
def mock_broker() -> Iterator[Listening]:
    """librdkafka's, in a process that ends with the block."""
    words = [sys.executable, __file__, "--be", BROKER, "-"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Listening(process.stdout.readline().strip(), process.pid)


def command(who: str, broker: Listening, options: argparse.Namespace) -> Sequence[str]:
    """What is run: a process of its own, so that all that it costs counts, its start too."""
    lasts, rate = str(options.seconds), str(options.rate)
    if who == TOOL:
        return _of_the_tool(broker, options)
    what = ["--rate", rate, "--linger", options.linger]
    if who == PLAIN or options.mock:  # which has its topic already, and knows no other way to get one
        return [sys.executable, __file__, "--be", who, broker.bootstrap, "--seconds", lasts, *what]
    where = ["--bootstrap", broker.bootstrap, "--topic", TOPIC, "--keys", str(KEYS)]
    return [sys.executable, "-m", "penstock.cli.main", "load", *where, "--for", f"{lasts}s", *what]


def _of_the_tool(broker: Listening, options: argparse.Namespace) -> Sequence[str]:
    linger_ms = 1000 * positive_seconds(options.linger, "--linger")
    settings = [f"linger.ms={linger_ms:g}", "enable.idempotence=true", "compression.type=lz4"]
    rows = ["-c", str(options.rate * options.seconds), "-s", str(len(ROW)), "-r", str(options.rate)]
    given = [word for setting in settings for word in ("-X", setting)]
    return [str(tool()), "-P", "-q", "-b", broker.bootstrap, "-t", TOPIC, *rows, *given]


def spent(broker: Listening, words: Sequence[str]) -> tuple[float, float]:
    """CPU seconds of that process, and of the broker meanwhile."""
    before_s, began = _used_s(broker), os.times()
    subprocess.run(words, check=True, capture_output=True)
    ended = os.times()
    sender_s = ended.children_user + ended.children_system - began.children_user - began.children_system
    return sender_s, _used_s(broker) - before_s


def _used_s(broker: Listening) -> float:
    return process(Path(f"/proc/{broker.pid}/stat").read_text(encoding="utf-8")).used_s


def told(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"


def be(who: str, bootstrap: str, options: argparse.Namespace) -> None:
    """One of them, in this process."""
    linger_s = positive_seconds(options.linger, "--linger")
    if who == BROKER:
        be_broker()
    elif who == PLAIN:
        send(bootstrap, options.rate, options.seconds, linger_s)
    else:
        schedule = Schedule.of(constant(options.rate, options.seconds))
        run_load(Load(bootstrap, TOPIC, schedule, KeySettings(KEYS), linger_s=linger_s))


def be_broker() -> None:
    """Says where it listens, and listens until its input ends."""
    from confluent_kafka import Producer

    settings: dict[str, str | int | float | bool] = {
        "bootstrap.servers": "made",
        "test.mock.num.brokers": 1,
        "log_level": 0,
        "topic.metadata.refresh.interval.ms": -1,
    }
    producer = Producer(settings)
    known = producer.list_topics(TOPIC, timeout=30.0)  # makes it
    print(next(f"{broker.host}:{broker.port}" for broker in known.brokers.values()), flush=True)
    sys.stdin.read()


def send(bootstrap: str, rate: int, seconds: int, linger_s: float) -> None:
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
            producer.produce(TOPIC, ROW, b"k%d" % (number * 7919 % KEYS))
        sent = due
        time.sleep(linger_s)
        producer.poll(0)
    producer.flush()


if __name__ == "__main__":
    main()
