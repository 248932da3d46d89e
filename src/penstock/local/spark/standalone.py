"""A standalone Spark cluster on this machine, from the installed pyspark: for trying things out.

Each worker has a loopback address of its own, so that it behaves as a host of its own: shuffle bytes between two
workers travel over TCP and count as remote. With a bandwidth, each has a network of its own too, see `hosts`.
Only its user's drivers can use it, see `secret`, unless it is opened to all users of the machine.
A state file says what is about to be started, so that exactly that is ended, even when starting broke off.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from penstock.errors import ConfigError, EngineError
from penstock.local import processes
from penstock.local.processes import Process
from penstock.local.spark import hosts, secret
from penstock.local.spark.hosts import Host, Net
from penstock.local.state_file import StateFile, default_place

LEAST_WORKER_MIB = 512  # Spark starts no executor with less than 450
_UP_WITHIN_S = 90.0
_FIRST_WORKER = 11  # workers live at 127.0.0.11, .12, ...
_MOST_WORKERS = 200
_LOOPBACK = "127.0.0.1"
# A master that was killed and is started again ends, without these, the executors of all applications that it was not
# told of: of every one.
_REMEMBERS = {"spark.deploy.recoveryMode": "FILESYSTEM"}
_WHERE = "spark.deploy.recoveryDirectory"


@dataclass(frozen=True, slots=True)
class WorkerToStart:
    """A worker to start: how many slots it offers, and the one core that it and all it starts may use."""

    slots: int
    cpu: int | None = None  # any core, when not given
    offers: tuple[str, ...] = ()  # resources of which it has one each: executors that ask for them start there


@dataclass(frozen=True, slots=True)
class StartedCluster:
    """A cluster: where its master listens, the processes that are known, and the network that was made for it."""

    master: str
    cores: int
    processes: tuple[Process, ...] = field(default=())
    net: Net | None = None


def default_state_file() -> Path:
    """Where the running cluster is noted."""
    return default_place("cluster")


def up(
    state: Path,
    workers: int,
    cores: int,
    memory: str = "1g",
    port: int = 7077,
    bandwidth: str | None = None,
    closed: bool = True,
) -> StartedCluster:
    """Start a master and so many workers, and wait until all have found each other.

    With a bandwidth each worker is on a host of its own, behind a link of that bandwidth. One that is not closed is at
    the service of every user of this machine.
    """
    _check(workers, cores, port, bandwidth)
    net = None if bandwidth is None else hosts.planned(workers, bandwidth)
    return _up(state, [WorkerToStart(cores)] * workers, memory, port, net, closed)


def up_workers(state: Path, workers: Sequence[WorkerToStart], memory: str, port: int) -> StartedCluster:
    """Start a master and these workers on loopback, and wait until all have found each other."""
    return _up(state, workers, memory, port, None)


def page_of(state: Path) -> str | None:
    """Where the page of the running cluster's master is, with its JSON below; None before it is there."""
    cluster, log = status(state), _logs(state) / "master.log"
    if cluster is None or not log.is_file():
        return None
    found = re.search(r"'MasterUI' on port (\d+)", log.read_text(encoding="utf-8", errors="replace"))
    host = cluster.master.removeprefix("spark://").rsplit(":", 1)[0]
    return None if found is None else f"http://{host}:{found[1]}"


def settings_of(state: Path) -> Path | None:
    """The file of settings without which nobody can submit to the running cluster; None where everybody can."""
    file = _mark(state)
    return file if file.name.endswith(secret.CLOSED) else None


def worker_address(number: int) -> str:
    """Where the worker of that number lives on loopback, from 0; what it starts finds it in SPARK_LOCAL_IP."""
    return f"127.0.0.{_FIRST_WORKER + number}"


def _up(
    state: Path, workers: Sequence[WorkerToStart], memory: str, port: int, net: Net | None, closed: bool = True
) -> StartedCluster:
    _refuse_second(state)
    address = _LOOPBACK if net is None else net.gateway
    if net is None:  # an address that is yet to be made has no listener; who is asked for it now is somebody else
        _refuse_taken(address, port)
    cluster = StartedCluster(f"spark://{address}:{port}", max(worker.slots for worker in workers), net=net)
    _unmark(state)
    _remembered(state).mkdir(mode=0o700, parents=True, exist_ok=True)
    kind = secret.CLOSED if closed else secret.OPEN
    secret.write_settings(_logs(state) / f"{state.stem}{kind}", {**_REMEMBERS, _WHERE: str(_remembered(state))})
    _file(state).write(cluster)
    try:
        if net is not None:
            hosts.make(net)
        return _started(state, cluster, workers, memory)
    except BaseException:
        down(state)
        raise


def down(state: Path) -> tuple[Process, ...]:
    """End what `up` started, and nothing else; the processes that were still there are returned."""
    cluster = status(state)
    if cluster is None:
        return ()
    known = {process.pid for process in cluster.processes}
    unnoted = (found for found in processes.found_by("unnoted", str(_mark(state))) if found.pid not in known)
    ended = tuple(process for process in (*cluster.processes, *unnoted) if process.alive)
    for process in reversed(ended):
        processes.end(process)
    left = () if cluster.net is None else hosts.remove(cluster.net)
    _unmark(state)
    _file(state).remove()
    return ended + left


def status(state: Path) -> StartedCluster | None:
    """The cluster that the state file tells of; None when there is none."""
    return _file(state).read()


def _check(workers: int, cores: int, port: int, bandwidth: str | None) -> None:
    if not 1 <= workers <= _MOST_WORKERS:
        field = "--workers" if bandwidth is None else "--hosts"
        raise ConfigError(field, workers, f"write a number from 1 to {_MOST_WORKERS}")
    if cores < 1:
        raise ConfigError("--cores", cores, "write the slots of each worker, at least 1")
    if not 1024 <= port <= 65535:
        raise ConfigError("--port", port, "write a port from 1024 to 65535")


def _refuse_second(state: Path) -> None:
    known = status(state)
    if known is not None and any(process.alive for process in known.processes):
        raise EngineError(f"a cluster runs already at {known.master}; end it with `penstock cluster down`")
    down(state)  # what a crash left


def _refuse_taken(address: str, port: int) -> None:
    if processes.listens(port, address):
        raise ConfigError("--port", port, "the port is in use; choose another")


def _started(state: Path, cluster: StartedCluster, workers: Sequence[WorkerToStart], memory: str) -> StartedCluster:
    address, port = cluster.master.removeprefix("spark://").split(":")
    noted = _file(state)
    cluster = noted.note(cluster, processes=(_start_master(state, address, int(port)),))
    log = _logs(state) / "master.log"
    _wait(lambda: processes.listens(int(port), address), log)
    for number, worker in enumerate(workers):
        started = _start_worker(state, number, worker, cluster, memory)
        if worker.cpu is not None:
            # At once, before its JVM is there: whatever it starts inherits the core.
            os.sched_setaffinity(started.pid, {worker.cpu})
        cluster = noted.note(cluster, processes=(*cluster.processes, started))
    _wait(lambda: _registered(log) >= len(workers), log)
    return cluster


def _start_master(state: Path, address: str, port: int) -> Process:
    # Named, not any: started again with this command line it has its page where coordinators look for it.
    page = str(processes.free_port())
    arguments = ["Master", "--host", address, "--port", str(port), "--webui-port", page]
    return _start("master", state, arguments, {"SPARK_LOCAL_IP": address})


def _start_worker(state: Path, number: int, worker: WorkerToStart, cluster: StartedCluster, memory: str) -> Process:
    host = None if cluster.net is None else cluster.net.hosts[number]
    address = worker_address(number) if host is None else host.address
    environment = {
        "SPARK_LOCAL_IP": address,
        "SPARK_WORKER_CORES": str(worker.slots),
        "SPARK_WORKER_MEMORY": memory,
        "SPARK_WORKER_DIR": str(_logs(state) / f"worker-{number}"),
        "PYSPARK_PYTHON": sys.executable,
    }
    if worker.offers:
        environment["SPARK_WORKER_OPTS"] = _offering(worker.offers, _logs(state) / f"worker-{number}.json")
    arguments = ["Worker", "--host", address, "--webui-port", "0", cluster.master]
    return _start(f"worker {address}", state, arguments, environment, host)


def _offering(names: Sequence[str], file: Path) -> str:
    known = [{"id": {"componentName": "spark.worker", "resourceName": name}, "addresses": ["0"]} for name in names]
    file.write_text(json.dumps(known), encoding="utf-8")
    amounts = [f"-Dspark.worker.resource.{name}.amount=1" for name in names]
    return " ".join([*amounts, f"-Dspark.worker.resourcesFile={file}"])


def _start(
    role: str, state: Path, arguments: Sequence[str], environment: dict[str, str], host: Host | None = None
) -> Process:
    home = Path(pyspark.__file__).parent
    kind, *rest = arguments
    marked = ["--properties-file", str(_mark(state)), *rest]
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind.lower()}.{kind}", *marked]
    log = _logs(state) / f"{role.replace(' ', '-')}.log"
    inside = command if host is None else host.inside(command)
    return processes.start(role, inside, log, {"SPARK_HOME": str(home), **environment})


def _logs(state: Path) -> Path:
    return state.parent / "cluster"


def _mark(state: Path) -> Path:
    """Its file of settings, whose name on a command line tells this cluster's processes from all others."""
    closed = _logs(state) / f"{state.stem}{secret.CLOSED}"
    return closed if closed.exists() else closed.with_name(f"{state.stem}{secret.OPEN}")


def _unmark(state: Path) -> None:
    for kind in (secret.CLOSED, secret.OPEN):
        (_logs(state) / f"{state.stem}{kind}").unlink(missing_ok=True)
    shutil.rmtree(_remembered(state), ignore_errors=True)


def _remembered(state: Path) -> Path:
    """Where its master keeps what it knows of workers and applications; gone with the cluster."""
    return _logs(state) / f"{state.stem}.recovery"


def _file(state: Path) -> StateFile[StartedCluster]:
    return StateFile(state, StartedCluster, "cluster")


def _wait(done: Callable[[], bool], log: Path) -> None:
    processes.wait(done, _UP_WITHIN_S, f"the cluster was not up; see {log};")


def _registered(log: Path) -> int:
    return log.read_text(encoding="utf-8", errors="replace").count("Registering worker")
