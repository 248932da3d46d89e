"""What a YARN on one machine is told: a ResourceManager, NodeManagers on loopback addresses of their own, no HDFS.

Where a value differs from Hadoop's default, the comment says why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pyspark

_RM = "org.apache.hadoop.yarn.server.resourcemanager"
_HOST = "127.0.0.1"
_FIRST_NODE = 21  # NodeManagers live at 127.0.0.21, .22, ...
_LOG = """rootLogger.level = info
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.target = SYSTEM_ERR
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1}: %m%n%ex
"""


@dataclass(frozen=True, slots=True)
class YarnShape:
    """What is to be started; queues share the cluster equally, and each may take all that the others leave."""

    nodes: int
    cores: int
    memory_mib: int
    queues: tuple[str, ...]
    port: int  # of the ResourceManager's page; the four next ones are its other doors

    @property
    def page(self) -> str:
        """Where the ResourceManager's page is, with its REST below."""
        return f"http://{_HOST}:{self.port}"


def write(place: Path, shape: YarnShape) -> None:
    """A directory for each daemon below `conf`, one for clients, and Spark's own settings in `spark`."""
    client = {**_core(), **_client(shape)}
    _directory(place / "conf" / "resourcemanager", {**client, **_cluster(place, shape)}, _queues(shape), "cluster")
    for number in range(shape.nodes):
        own = {**client, **_cluster(place, shape), **_node(place, shape, number)}
        _directory(place / "conf" / f"nodemanager-{number}", own, _queues(shape), "node")
    _xml(place / "conf" / "client" / "core-site.xml", _core())
    _xml(place / "conf" / "client" / "yarn-site.xml", _client(shape))
    for name in ("tmp", "spark", "staging"):
        (place / name).mkdir(parents=True, exist_ok=True)
    lines = (f"{name} {value}\n" for name, value in _spark(place).items())
    (place / "spark" / "spark-defaults.conf").write_text("".join(lines), encoding="utf-8")


def node_address(number: int) -> str:
    """Where the NodeManager of that number lives, from 0."""
    return f"127.0.0.{_FIRST_NODE + number}"


def _core() -> dict[str, object]:
    return {
        "fs.defaultFS": "file:///",
        "ipc.client.connect.max.retries": 1,
        "ipc.client.connect.retry.interval": 300,
    }


def _client(shape: YarnShape) -> dict[str, object]:
    doors = ("address", "scheduler.address", "resource-tracker.address", "admin.address")
    return {
        "yarn.resourcemanager.hostname": _HOST,
        "yarn.resourcemanager.webapp.address": f"{_HOST}:{shape.port}",
        **{f"yarn.resourcemanager.{door}": f"{_HOST}:{shape.port + 1 + i}" for i, door in enumerate(doors)},
        "yarn.resourcemanager.connect.retry-interval.ms": 500,  # 30 s otherwise
    }


def _cluster(place: Path, shape: YarnShape) -> dict[str, object]:
    return {
        "hadoop.tmp.dir": place / "tmp",
        "yarn.resourcemanager.scheduler.class": f"{_RM}.scheduler.capacity.CapacityScheduler",
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": 250,  # 1 s otherwise
        "yarn.nm.liveness-monitor.expiry-interval-ms": 20_000,  # 10 min otherwise
        "yarn.scheduler.minimum-allocation-mb": 128,
        "yarn.scheduler.maximum-allocation-mb": shape.memory_mib,
        "yarn.scheduler.maximum-allocation-vcores": shape.cores,
        "yarn.node-attribute.fs-store.root-dir": f"file://{place}/node-attribute",  # one for all users otherwise
        # Queues' capacities can be set over REST while it runs.
        "yarn.scheduler.configuration.store.class": "fs",
        "yarn.scheduler.configuration.fs.path": f"file://{place}/queues",
        "yarn.nodemanager.pmem-check-enabled": "false",
        "yarn.nodemanager.vmem-check-enabled": "false",
        # A disk that is 90 % full makes nodes unhealthy otherwise.
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": 99.5,
        "yarn.nodemanager.delete.debug-delay-sec": 0,
        "yarn.nodemanager.sleep-delay-before-sigkill.ms": 2000,
        "yarn.nodemanager.resourcemanager.connect.retry-interval.ms": 500,
        "yarn.nodemanager.env-whitelist": "JAVA_HOME,PATH,LANG,TZ",
    }


def _node(place: Path, shape: YarnShape, number: int) -> dict[str, object]:
    address, own = node_address(number), place / f"nodemanager-{number}"
    ports = ("address", "localizer.address", "webapp.address", "collector-service.address", "amrmproxy.address")
    return {
        "yarn.nodemanager.hostname": address,
        "yarn.nodemanager.bind-host": address,
        **{f"yarn.nodemanager.{name}": f"{address}:0" for name in ports},
        "yarn.nodemanager.resource.memory-mb": shape.memory_mib,
        "yarn.nodemanager.resource.cpu-vcores": shape.cores,
        "yarn.nodemanager.local-dirs": own / "local",
        "yarn.nodemanager.log-dirs": own / "log",
    }


def _queues(shape: YarnShape) -> dict[str, object]:
    prefix = "yarn.scheduler.capacity"
    found: dict[str, object] = {
        # Otherwise cores do not count.
        f"{prefix}.resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
        f"{prefix}.root.queues": ",".join(shape.queues),
        f"{prefix}.maximum-am-resource-percent": 1.0,  # a tenth otherwise: the second application would wait
        f"{prefix}.node-locality-delay": -1,
    }
    for place, name in enumerate(shape.queues):
        queue = f"{prefix}.root.{name}"
        found[f"{queue}.capacity"] = _share(place, len(shape.queues))
        found[f"{queue}.maximum-capacity"] = 100
        found[f"{queue}.user-limit-factor"] = 100  # one user may have more than the queue's own share
        found[f"{queue}.state"] = "RUNNING"
    return found


def _share(place: int, count: int) -> float:
    """Percents that add up to exactly a hundred, as YARN insists.

    >>> [_share(place, 3) for place in range(3)]
    [33.3, 33.3, 33.4]
    """
    each = 1000 // count
    return (each if place < count - 1 else 1000 - each * (count - 1)) / 10


def _spark(place: Path) -> dict[str, object]:
    """What makes small applications start and move their executors quickly here; the driver is on this machine."""
    home = Path(pyspark.__file__).parent
    java = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
    return {
        "spark.yarn.jars": f"local:{home}/jars/*",  # 300 MB are copied for each application otherwise
        "spark.yarn.stagingDir": f"file://{place}/staging",
        "spark.yarn.am.memory": "256m",
        "spark.yarn.am.memoryOverhead": "128m",
        "spark.yarn.am.extraJavaOptions": java,
        "spark.yarn.scheduler.heartbeat.interval-ms": 500,
        "spark.executor.extraJavaOptions": java,
        "spark.driver.host": _HOST,
        "spark.driver.bindAddress": _HOST,
        "spark.scheduler.minRegisteredResourcesRatio": 0,
        # Executors that come and go are no failures; Spark ends an application that has too many.
        "spark.executor.maxNumFailures": 1000,
    }


def _directory(place: Path, site: Mapping[str, object], queues: Mapping[str, object], web: str) -> None:
    for name in (web, "static"):  # its pages are not in the jars; without these directories it would not start
        (place / "webapps" / name).mkdir(parents=True, exist_ok=True)
    _xml(place / "core-site.xml", {name: value for name, value in site.items() if not name.startswith("yarn.")})
    _xml(place / "yarn-site.xml", {name: value for name, value in site.items() if name.startswith("yarn.")})
    _xml(place / "capacity-scheduler.xml", queues)
    (place / "log4j2.properties").write_text(_LOG, encoding="utf-8")


def _xml(file: Path, properties: Mapping[str, object]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines: Sequence[str] = [
        f"<property><name>{name}</name><value>{escape(str(value))}</value></property>"
        for name, value in properties.items()
    ]
    file.write_text("\n".join(["<configuration>", *lines, "</configuration>", ""]), encoding="utf-8")
