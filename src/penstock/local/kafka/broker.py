"""A Kafka broker on this machine's loopback, in KRaft mode, from jars of the Maven registry: for trying things out.

A state file says what was started, so that exactly that is ended. A broker that died is started again by `up` with
the records that it had; `down` ends it and removes them.
"""

import os
import shutil
import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from penstock.errors import ConfigError, EngineError
from penstock.extras import check_extra
from penstock.local import processes
from penstock.local.java import java
from penstock.local.kafka.jars import JarSet, jars
from penstock.local.processes import Process
from penstock.local.state_file import StateFile, default_place

_UP_WITHIN_S = 120.0
CONTROLLER_PORT = "{controller_port}"  # in a property that somebody gives: the one that was chosen
_ASK_FOR_S = 2.0
_MEMORY = ("-Xms128m", "-Xmx512m")
# One thread of each kind does for a broker that serves one machine; a topic is there as soon as somebody names it.
_PROPERTIES = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={data}
auto.create.topics.enable=true
num.partitions={partitions}
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
log.retention.hours=24
controlled.shutdown.enable=false
"""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker that was started: where it listens, where its records are, and its process, once there is one."""

    port: int
    controller_port: int
    partitions: int
    place: Path
    process: Process | None = None

    @property
    def bootstrap(self) -> str:
        """Where clients find it."""
        return f"127.0.0.1:{self.port}"

    @property
    def alive(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.alive

    @property
    def properties(self) -> Path:
        """Its settings; the file's name on a command line tells its process from all others."""
        return self.place / "broker.properties"

    @property
    def records(self) -> Path:
        """Where its records are."""
        return self.place / "records"

    @property
    def formatted(self) -> bool:
        """Whether the place of its records was made ready, to the end."""
        return (self.records / "meta.properties").exists()

    @property
    def log(self) -> Path:
        """What it says."""
        return self.place / "broker.log"


def default_state_file() -> Path:
    """Where the running broker is noted."""
    return default_place("kafka")


@dataclass(frozen=True, slots=True)
class BrokerExtras:
    """What a broker is told beside our own settings, which these go before, and users who log in by SCRAM.

    A user is what Kafka's storage tool takes, such as SCRAM-SHA-512=[name=ads,password=...].
    """

    properties: Mapping[str, str] = field(default_factory=dict)
    users: Sequence[str] = ()


def up(state: Path, port: int = 9092, partitions: int = 4, beside: BrokerExtras = BrokerExtras()) -> Broker:
    """Start a broker and wait until it answers; one that died starts again with the records it had."""
    check_extra("kafka")  # or a broker that nobody can ask would be started
    known = status(state)
    if known is not None and known.alive:
        raise EngineError(f"a broker runs already at {known.bootstrap}; end it with `penstock kafka down`")
    broker = known or _new(state, port, partitions)
    _refuse_taken(broker.port)
    try:
        return _started(state, broker, beside)
    except BaseException:
        if known is None:
            down(state)
        raise


def down(state: Path) -> Process | None:
    """End what `up` started and remove its records; the process that was still there is returned."""
    broker = status(state)
    if broker is None:
        return None
    ended = _end(broker)
    shutil.rmtree(broker.place, ignore_errors=True)
    _file(state).remove()
    return ended


def restart(state: Path) -> Broker:
    """End the broker and start it again where it was, with its records."""
    broker = status(state)
    if broker is None:
        raise EngineError("no broker is up; start one with `penstock kafka up`")
    _end(broker)
    return _started(state, broker)


def status(state: Path) -> Broker | None:
    """The broker that the state file tells of; None when there is none."""
    return _file(state).read()


def answers(bootstrap: str) -> bool:
    """Whether a broker answers there."""
    from confluent_kafka import KafkaException  # an extra, which who names a Broker need not have
    from confluent_kafka.admin import AdminClient

    quiet: dict[str, str | int | float | bool] = {
        "bootstrap.servers": bootstrap,
        "log_level": 0,
        "socket.timeout.ms": int(_ASK_FOR_S * 1000),
    }
    try:
        AdminClient(quiet).list_topics(timeout=_ASK_FOR_S)
    except KafkaException:
        return False
    return True


def _new(state: Path, port: int, partitions: int) -> Broker:
    if not 1024 <= port <= 65535:
        raise ConfigError("--port", port, "write a port from 1024 to 65535")
    if not 1 <= partitions <= 1000:
        raise ConfigError("--partitions", partitions, "write a number from 1 to 1000")
    return Broker(port, processes.free_port(), partitions, state.absolute().parent / f"kafka-{uuid.uuid4().hex[:8]}")


def _refuse_taken(port: int) -> None:
    if processes.listens(port):
        raise ConfigError("--port", port, "the port is in use; choose another")


def _started(state: Path, broker: Broker, beside: BrokerExtras = BrokerExtras()) -> Broker:
    noted = _file(state)
    broker = noted.note(broker, process=None)  # before its process: `down` finds that by the settings file
    if not broker.formatted:
        _format(broker, beside)
    started = noted.note(broker, process=processes.start("broker", _command(broker), broker.log, {}))
    late = f"the broker did not answer; see {broker.log};"
    processes.wait(lambda: not started.alive or answers(started.bootstrap), _UP_WITHIN_S, late)
    if not started.alive:
        raise EngineError(f"the broker ended; it says: {_last_line(broker.log)}")
    return started


def _format(broker: Broker, beside: BrokerExtras) -> None:
    broker.place.mkdir(parents=True, exist_ok=True, mode=0o700)
    values = {"port": broker.port, "controller_port": broker.controller_port, "partitions": broker.partitions}
    told = "".join(
        f"{name}={value.replace(CONTROLLER_PORT, str(broker.controller_port))}\n"
        for name, value in beside.properties.items()
    )  # the last line of a name holds
    broker.properties.write_text(_PROPERTIES.format(data=broker.records, **values) + told, encoding="utf-8")
    cluster = cluster_id(uuid.uuid4().bytes)
    arguments = ["kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(broker.properties)]
    arguments += [word for user in beside.users for word in ("--add-scram", user)]
    done = subprocess.run([*_jvm(), *arguments], capture_output=True, text=True, timeout=_UP_WITHIN_S, check=False)
    if done.returncode != 0:
        raise EngineError(f"the broker's storage could not be made: {(done.stdout + done.stderr).strip()[-300:]}")


def cluster_id(chance: bytes) -> str:
    """An id of a Kafka cluster of 16 bytes; never one that begins with a dash, which Kafka would take for an option.

    >>> cluster_id(b"\\xf8" * 16)
    'ePj4-Pj4-Pj4-Pj4-Pj4-A'
    """
    return urlsafe_b64encode(bytes([chance[0] & 0x7F]) + chance[1:]).decode("ascii").rstrip("=")


def _command(broker: Broker) -> Sequence[str]:
    return [*_jvm(), "kafka.Kafka", str(broker.properties)]


def _jvm() -> list[str]:
    classes = os.pathsep.join(str(jar) for jar in jars(JarSet.BROKER))
    return [java(), *_MEMORY, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classes]


def _end(broker: Broker) -> Process | None:
    noted = (broker.process,) if broker.process is not None and broker.process.alive else ()
    for process in (*noted, *processes.found_by("broker", str(broker.properties))):
        processes.end(process)
    return noted[0] if noted else None


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "nothing"


def _file(state: Path) -> StateFile[Broker]:
    return StateFile(state, Broker, "broker")
