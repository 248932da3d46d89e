"""A standalone Spark cluster on this machine's loopback, from the installed pyspark: for trying things out.

Each worker has a loopback address of its own, so that it behaves as a host of its own: shuffle bytes between two
workers travel over TCP and count as remote. A state file says what was started, so that exactly that is ended.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import pyspark

from penstock.engines import processes
from penstock.engines.processes import Process
from penstock.errors import ConfigError, EngineError

_UP_WITHIN_S = 90.0
_FIRST_WORKER = 11  # workers live at 127.0.0.11, .12, ...
_MOST_WORKERS = 200


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
    """Start a master and so many workers, and wait until all have found each other."""
    _check(workers, cores, port)
    known = status(state)
    if known is not None and any(process.alive for process in known.processes):
        raise EngineError(f"a cluster runs already at {known.master}; end it with `penstock cluster down`")
    _refuse_taken(port)
    logs = state.parent / "cluster"
    logs.mkdir(parents=True, exist_ok=True)
    master = f"spark://127.0.0.1:{port}"
    cluster = Cluster(master, cores, (_start_master(logs, port),))
    _save(state, cluster)
    try:
        _wait(lambda: processes.listens(port), logs / "master.log")
        for number in range(workers):
            started = _start_worker(logs, number, cores, memory, master)
            cluster = Cluster(master, cores, (*cluster.processes, started))
            _save(state, cluster)
        _wait(lambda: _registered(logs / "master.log") >= workers, logs / "master.log")
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
        processes.end(process)
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


def _check(workers: int, cores: int, port: int) -> None:
    if not 1 <= workers <= _MOST_WORKERS:
        raise ConfigError("--workers", workers, f"write a number from 1 to {_MOST_WORKERS}")
    if cores < 1:
        raise ConfigError("--cores", cores, "write the slots of each worker, at least 1")
    if not 1024 <= port <= 65535:
        raise ConfigError("--port", port, "write a port from 1024 to 65535")


def _refuse_taken(port: int) -> None:
    if processes.listens(port):
        raise ConfigError("--port", port, "somebody listens there already; choose another")


def _start_master(logs: Path, port: int) -> Process:
    arguments = ["Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    return _start("master", logs / "master.log", arguments, {"SPARK_LOCAL_IP": "127.0.0.1"})


def _start_worker(logs: Path, number: int, cores: int, memory: str, master: str) -> Process:
    address = f"127.0.0.{_FIRST_WORKER + number}"
    environment = {
        "SPARK_LOCAL_IP": address,
        "SPARK_WORKER_CORES": str(cores),
        "SPARK_WORKER_MEMORY": memory,
        "SPARK_WORKER_DIR": str(logs / f"worker-{number}"),
        "PYSPARK_PYTHON": sys.executable,
    }
    arguments = ["Worker", "--host", address, "--webui-port", "0", master]
    return _start(f"worker {address}", logs / f"worker-{number}.log", arguments, environment)


def _start(role: str, log: Path, arguments: list[str], environment: dict[str, str]) -> Process:
    home = Path(pyspark.__file__).parent
    kind, *rest = arguments
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind.lower()}.{kind}", *rest]
    return processes.start(role, command, log, {"SPARK_HOME": str(home), **environment})


def _save(state: Path, cluster: Cluster) -> None:
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_text(json.dumps(asdict(cluster), indent=2) + "\n", encoding="utf-8")


def _wait(done: Callable[[], bool], log: Path) -> None:
    processes.wait(done, _UP_WITHIN_S, f"the cluster was not up; see {log};")


def _registered(log: Path) -> int:
    return log.read_text(encoding="utf-8", errors="replace").count("Registering worker")
