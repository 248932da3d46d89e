"""A standalone Spark cluster on this machine's loopback, from the installed pyspark: for trying things out.

Each worker has a loopback address of its own, so that it behaves as a host of its own: shuffle bytes between two
workers travel over TCP and count as remote. A state file says what was started, so that exactly that is ended.
"""

import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyspark

from penstock.errors import ConfigError, EngineError

_UP_WITHIN_S = 90.0
_DOWN_WITHIN_S = 15.0
_LOOK_EVERY_S = 0.1
_FIRST_WORKER = 11  # workers live at 127.0.0.11, .12, ...
_MOST_WORKERS = 200


@dataclass(frozen=True, slots=True)
class Process:
    """One process that was started. `ticks` is its start time as the kernel counts it: pids are used again."""

    role: str
    pid: int
    ticks: int

    @property
    def alive(self) -> bool:
        """Whether it is still the process that was started, and no zombie."""
        return _start_ticks(self.pid) == self.ticks


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker to start: how many slots it offers, and the one core that it and all it starts may use."""

    slots: int
    cpu: int | None = None  # any core, when not given


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that was started: where its master listens, and its processes."""

    master: str
    cores: int
    processes: tuple[Process, ...]


def default_state_file() -> Path:
    """Where the running cluster is noted."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base, "penstock", "cluster.json")


def up(state: Path, workers: int, cores: int, memory: str = "1g", port: int = 7077) -> Cluster:
    """Start a master and so many equal workers, and wait until all have found each other."""
    _check(workers, cores, port)
    return up_workers(state, [Worker(cores)] * workers, memory, port)


def up_workers(state: Path, workers: Sequence[Worker], memory: str, port: int) -> Cluster:
    """Start a master and these workers, the first at 127.0.0.11, and wait until all have found each other."""
    known = status(state)
    if known is not None and any(process.alive for process in known.processes):
        raise EngineError(f"a cluster runs already at {known.master}; end it with `penstock cluster down`")
    _refuse_taken(port)
    logs = state.parent / "cluster"
    logs.mkdir(parents=True, exist_ok=True)
    master = f"spark://127.0.0.1:{port}"
    cores = max(worker.slots for worker in workers)
    cluster = Cluster(master, cores, (_start_master(logs, port),))
    _save(state, cluster)
    try:
        _wait(lambda: _listens(port), logs / "master.log")
        for number, worker in enumerate(workers):
            started = _start_worker(logs, number, worker, memory, master)
            cluster = Cluster(master, cores, (*cluster.processes, started))
            _save(state, cluster)
        _wait(lambda: _registered(logs / "master.log") >= len(workers), logs / "master.log")
    except BaseException:
        down(state)
        raise
    return cluster


def down(state: Path) -> tuple[Process, ...]:
    """End what `up` started, and nothing else; the processes that were still there are returned."""
    cluster = status(state)
    if cluster is None:
        return ()
    ended = tuple(process for process in cluster.processes if process.alive)
    for process in reversed(ended):
        _end(process)
    state.unlink(missing_ok=True)
    return ended


def status(state: Path) -> Cluster | None:
    """The cluster that the state file tells of; None when there is none."""
    try:
        raw = json.loads(state.read_text(encoding="utf-8"))
        return Cluster(raw["master"], raw["cores"], tuple(Process(**entry) for entry in raw["processes"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError("state", str(state), f"it is no cluster's state file ({error}); name another") from None


def worker_address(number: int) -> str:
    """Where the worker of that number lives, counted from 0; what it starts finds it in SPARK_LOCAL_IP."""
    return f"127.0.0.{_FIRST_WORKER + number}"


def _check(workers: int, cores: int, port: int) -> None:
    if not 1 <= workers <= _MOST_WORKERS:
        raise ConfigError("--workers", workers, f"write a number from 1 to {_MOST_WORKERS}")
    if cores < 1:
        raise ConfigError("--cores", cores, "write the slots of each worker, at least 1")
    if not 1024 <= port <= 65535:
        raise ConfigError("--port", port, "write a port from 1024 to 65535")


def _refuse_taken(port: int) -> None:
    if _listens(port):
        raise ConfigError("--port", port, "somebody listens there already; choose another")


def _start_master(logs: Path, port: int) -> Process:
    arguments = ["Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    return _start("master", logs / "master.log", arguments, {"SPARK_LOCAL_IP": "127.0.0.1"})


def _start_worker(logs: Path, number: int, worker: Worker, memory: str, master: str) -> Process:
    address = worker_address(number)
    environment = {
        "SPARK_LOCAL_IP": address,
        "SPARK_WORKER_CORES": str(worker.slots),
        "SPARK_WORKER_MEMORY": memory,
        "SPARK_WORKER_DIR": str(logs / f"worker-{number}"),
        "PYSPARK_PYTHON": sys.executable,
    }
    arguments = ["Worker", "--host", address, "--webui-port", "0", master]
    started = _start(f"worker {address}", logs / f"worker-{number}.log", arguments, environment)
    if worker.cpu is not None:
        # At once, before its JVM is there: whatever it starts inherits the core.
        os.sched_setaffinity(started.pid, {worker.cpu})
    return started


def _start(role: str, log: Path, arguments: list[str], environment: dict[str, str]) -> Process:
    home = Path(pyspark.__file__).parent
    kind, *rest = arguments
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind.lower()}.{kind}", *rest]
    # Spawned without a handle: the process outlives this command, and its terminal's Ctrl-C.
    pid = os.posix_spawn(
        command[0],
        command,
        {**os.environ, "SPARK_HOME": str(home), **environment},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    ticks = _start_ticks(pid)
    if ticks is None:
        raise EngineError(f"the {role} ended at once; see {log}")
    return Process(role, pid, ticks)


def _save(state: Path, cluster: Cluster) -> None:
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(json.dumps(asdict(cluster), indent=2) + "\n", encoding="utf-8")


def _wait(done: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + _UP_WITHIN_S
    while not done():
        if time.monotonic() > deadline:
            raise EngineError(f"the cluster was not up within {_UP_WITHIN_S:.0f} s; see {log}")
        time.sleep(_LOOK_EVERY_S)


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
        return True
    return False


def _registered(log: Path) -> int:
    return log.read_text(encoding="utf-8", errors="replace").count("Registering worker")


def _end(process: Process) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, number)
        deadline = time.monotonic() + _DOWN_WITHIN_S
        while process.alive and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY_S)
    with contextlib.suppress(ChildProcessError):  # of another command's making: not ours to reap
        os.waitpid(process.pid, os.WNOHANG)


def _start_ticks(pid: int) -> int | None:
    try:
        # The name in parentheses may hold spaces; the fields after it do not. State is field 3, the start field 22.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])
