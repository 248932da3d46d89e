"""A YARN's daemons on this machine: started from jars of the Maven registry, known again, ended in their order.

A state file says what was started, so that exactly that is ended.
"""

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pyspark

from penstock.errors import ConfigError, EngineError
from penstock.http_answers import opened
from penstock.local import processes
from penstock.local.java import java
from penstock.local.kafka.jars import JarSet, jars
from penstock.local.processes import Process
from penstock.local.state_file import StateFile, default_place
from penstock.local.yarn import configuration
from penstock.local.yarn.configuration import YarnShape

_UP_WITHIN_S = 180.0
_DOWN_WITHIN_S = 25.0  # after applications a NodeManager takes 18 s
_MOST_NODES = 100
_JVM = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_OF_SPARK = (  # the client's classes, and a log
    "hadoop-client-api",
    "hadoop-client-runtime",
    "slf4j-api",
    "log4j-api",
    "log4j-core",
    "log4j-slf4j2-impl",
    "log4j-1.2-api",
    "jcl-over-slf4j",
)
_RESOURCE_MANAGER = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
_NODE_MANAGER = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"


@dataclass(frozen=True, slots=True)
class Yarn:
    """A running one: its page, its directory, and its daemons, the ResourceManager first."""

    page: str
    place: str
    processes: tuple[Process, ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        """What a Spark application finds it by, with `--master yarn`."""
        archives = sorted(Path(pyspark.__file__).parent.glob("python/lib/*.zip"))
        return {
            "HADOOP_CONF_DIR": f"{self.place}/conf/client",
            "SPARK_CONF_DIR": f"{self.place}/spark",
            # Read where they are: they would be copied for each application.
            "PYSPARK_ARCHIVES_PATH": ",".join(f"local:{archive}" for archive in archives),
        }


def default_state_file() -> Path:
    """Where the running one is noted."""
    return default_place("yarn")


def up(state: Path, shape: YarnShape) -> Yarn:
    """Start a ResourceManager and NodeManagers, and wait until all have found each other."""
    _check(shape)
    known = status(state)
    if known is not None and any(process.alive for process in known.processes):
        raise EngineError(f"a YARN runs already at {known.page}; end it with `penstock cluster down --yarn`")
    down(state)  # what a crash left
    for port in range(shape.port, shape.port + 5):
        if processes.listens(port):
            raise ConfigError("--port", port, "the port is in use; choose another (five in a row are used)")
    place = state.parent.absolute() / f"{state.stem}-files"
    found = tuple(str(jar) for jar in jars(JarSet.YARN))
    shutil.rmtree(place, ignore_errors=True)
    configuration.write(place, shape)
    noted = _file(state)
    yarn = noted.write(Yarn(shape.page, str(place)))
    try:
        yarn = noted.note(yarn, processes=(_start(place, "resourcemanager", _RESOURCE_MANAGER, found),))
        for number in range(shape.nodes):
            started = _start(place, f"nodemanager-{number}", _NODE_MANAGER, found)
            yarn = noted.note(yarn, processes=(*yarn.processes, started))
        processes.wait(lambda: _nodes(yarn) >= shape.nodes, _UP_WITHIN_S, f"YARN was not up; see {place}/*.log;")
    except BaseException:
        down(state)
        raise
    return yarn


def down(state: Path) -> tuple[Process, ...]:
    """End what `up` started, and nothing else: NodeManagers first, for one without a ResourceManager takes long."""
    yarn = status(state)
    if yarn is None:
        return ()
    ended = tuple(process for process in yarn.processes if process.alive)
    for process in reversed(ended):
        processes.end(process, _DOWN_WITHIN_S)
    shutil.rmtree(yarn.place, ignore_errors=True)
    _file(state).remove()
    return ended


def status(state: Path) -> Yarn | None:
    """What the state file tells of; None when there is none."""
    return _file(state).read()


def _check(shape: YarnShape) -> None:
    if not 1 <= shape.nodes <= _MOST_NODES:
        raise ConfigError("--workers", shape.nodes, f"write a number from 1 to {_MOST_NODES}")
    if shape.cores < 1:
        raise ConfigError("--cores", shape.cores, "write the cores of each node, at least 1")
    if not 1024 <= shape.port <= 65530:
        raise ConfigError("--port", shape.port, "write a port from 1024 to 65530")
    if not shape.queues or not all(re.fullmatch(r"[A-Za-z0-9_-]+", name) for name in shape.queues):
        raise ConfigError("--queues", ",".join(shape.queues), "write names of letters, digits, _ and -, with commas")
    if len(set(shape.queues)) < len(shape.queues):
        raise ConfigError("--queues", ",".join(shape.queues), "write each name once")
    if shape.memory_mib < 512:
        raise ConfigError("--memory", f"{shape.memory_mib}m", "write at least 512m: an application's master takes 384m")


def _start(place: Path, role: str, main: str, found: tuple[str, ...]) -> Process:
    spark = Path(pyspark.__file__).parent / "jars"
    own = [str(next(spark.glob(f"{name}-[0-9]*.jar"))) for name in _OF_SPARK]
    path = os.pathsep.join([str(place / "conf" / role), *own, *found])
    command = [java(), *_JVM, f"-Djava.io.tmpdir={place}/tmp", "-cp", path, main]
    home = Path(os.path.realpath(java())).parents[1]
    return processes.start(role, command, place / f"{role}.log", {"JAVA_HOME": str(home)})


def _nodes(yarn: Yarn) -> int:
    """The NodeManagers that have registered."""
    try:
        with opened(f"{yarn.page}/ws/v1/cluster/metrics", 5.0) as response:
            return int(json.load(response)["clusterMetrics"]["activeNodes"])
    except (OSError, ValueError, KeyError):  # it does not listen yet
        pass
    dead = [process.role for process in yarn.processes if not process.alive]
    if dead:
        raise EngineError(f"YARN's {dead[0]} ended at once; see {yarn.place}/{dead[0]}.log")
    return 0


def _file(state: Path) -> StateFile[Yarn]:
    return StateFile(state, Yarn, "YARN")
