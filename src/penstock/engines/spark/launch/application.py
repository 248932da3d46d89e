"""A Spark application of penstock's own: one session for all tenants of a file, with what governing needs set."""

import os
import socket
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from pyspark.sql import SparkSession

from penstock.core.addresses import place_in
from penstock.engines.spark.jvm.checkpoint_writer import CHANGELOG, write_plainly
from penstock.engines.spark.jvm.doctor import FAILURES, LEAVING, MOST_FAILURES
from penstock.engines.spark.jvm.process import Jvm
from penstock.engines.spark.launch import driver
from penstock.engines.spark.launch.quiet import quiet_state_workers
from penstock.errors import ConfigError, EngineError, OutageError, PenstockError, first_line
from penstock.local.java import java as find_java
from penstock.local.kafka.jars import JarSet, jars
from penstock.local.spark import class_archive, secret

_REACHED_WITHIN_S = 3.0
_SETTINGS = ("IllegalArgument", "NumberFormat", "ParseException")  # in the name of what Java raised
_LOG = Path(__file__).with_name("log4j2.properties")
_DEFAULTS: Mapping[str, str] = {
    "spark.scheduler.mode": "FAIR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.locality.wait": "0",
    # Without a limit nobody would be governed while a batch of one query cannot be interrupted.
    "spark.sql.streaming.stopTimeout": "60s",
    # A real-time batch would fail whenever a neighbour's short task holds a slot at its start. The slots are counted
    # before the job starts (real_time.check_slots), and the batch's tasks wait for their turn.
    "spark.scheduler.pipelinedGroup.slotCheck.enabled": "false",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    CHANGELOG: "true",  # a batch writes what it changed of its state, and no snapshot
}


def start_application(
    name: str, master: str, conf: Mapping[str, object], code: Path | None = None, kafka: bool = False
) -> SparkSession:
    """A session at that master; the tenants' own conf goes over penstock's defaults.

    `code` is the directory that holds the tenants' modules, for the driver and for Spark's Python workers.
    `kafka` adds Spark's connector, fetched when it is not cached yet.
    """
    check_master(master)
    settings = _settings(name, master, conf, code, kafka)
    try:
        with quiet_state_workers():
            session = driver.session(settings)
    except Exception as error:  # Spark and py4j raise many kinds; all mean that there is no application
        raise refusal(master, error) from error
    write_plainly(session)
    return session


def start_jvm(name: str, master: str, conf: Mapping[str, object], code: Path | None = None, kafka: bool = False) -> Jvm:
    """The JVM alone in which an application with these settings is to be started; nothing is asked of its master."""
    settings = _settings(name, master, conf, code, kafka)
    with quiet_state_workers():
        return driver.jvm(settings)


def _settings(name: str, master: str, conf: Mapping[str, object], code: Path | None, kafka: bool) -> Mapping[str, str]:
    find_java()  # Spark would say that its gateway exited
    _prepare_python(code)
    given = {"spark.master": master, "spark.app.name": f"penstock {name}", **secret.settings_for(master)}
    local = master.startswith("local") or "//127." in master or "//localhost" in master
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    java = class_archive.options()
    defaults = {**_DEFAULTS, "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOG} {java}".strip()}
    if local and java and not master.startswith("local"):
        defaults["spark.executor.extraJavaOptions"] = java  # of this machine as well: they see the archive
    defaults |= {**on_cluster(master), **_driver_address(master)}
    settings = {**defaults, **{key: _text(value) for key, value in conf.items()}}
    if kafka:
        settings["spark.jars"] = with_connector(settings.get("spark.jars"))
    settings.setdefault("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    return {**given, **settings}


@contextmanager
def plain_session(name: str, master: str | None, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session as a driver of the user's would start it here: nothing of penstock's is set."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if master is not None:
        check_master(master)
    find_java()
    given = {"spark.app.name": name, "spark.ui.enabled": "false", **conf}
    if master is not None:
        given |= {**secret.settings_for(master), "spark.master": master}
    try:
        session = driver.session(given)
    except Exception as error:  # Spark and py4j raise many kinds; all mean that there is no application
        raise refusal(master or "of Spark's own configuration", error) from error
    try:
        yield session
    finally:
        session.stop()


def refusal(master: str, error: Exception) -> PenstockError:
    """Settings that Spark will not have are the user's to mend; a cluster that is away may come back."""
    what = f"Spark did not start at master {master}: {first_line(error)}"
    java = getattr(error, "java_exception", None)
    kind = type(error).__name__ if java is None else str(java.getClass().getName())
    return EngineError(what) if any(word in kind for word in _SETTINGS) else OutageError(what)


def on_cluster(master: str) -> Mapping[str, str]:
    """What an application needs on that cluster: executors that leave send away what they hold, and on Kubernetes
    it stays alive where a quota refuses pods, which count as failures of executors.

    >>> on_cluster("k8s://https://api:6443")["spark.executor.maxNumFailures"], on_cluster("local[4]")
    ('1000', {})
    >>> on_cluster("spark://one:7077")["spark.decommission.enabled"]
    'true'
    """
    if master.startswith("local"):
        return {}
    return {**LEAVING, **({FAILURES: str(MOST_FAILURES)} if master.startswith("k8s://") else {})}


def _driver_address(master: str) -> Mapping[str, str]:
    """Where executors find the driver: the address from which this machine reaches the master, not that of its name."""
    if master.startswith("local"):
        address = "127.0.0.1"
    elif master.startswith("spark://"):
        place = urlsplit(f"//{master.removeprefix('spark://').split(',')[0]}")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((place.hostname, place.port))  # chooses the address, and sends nothing
            address = probe.getsockname()[0]
    else:
        return {}
    return {"spark.driver.host": address, "spark.driver.bindAddress": address}


def with_connector(jars_already: str | None) -> str:
    """The value of spark.jars with Spark's Kafka connector in it."""
    return ",".join(filter(None, [jars_already, *(str(jar) for jar in jars(JarSet.CONNECTOR))]))


def check_master(master: str) -> None:
    """A ConfigError for a master that cannot be one, an OutageError where nobody listens; Spark would wait a minute."""
    if master.startswith(("local", "yarn")):
        return
    if master.startswith("k8s://"):
        reached = _api_reachable(master.removeprefix("k8s://"))
        remedy = "see that its API server is up, or start one here with `penstock cluster up --kubernetes`"
    elif master.startswith("spark://"):
        reached = any(_reachable(address) for address in master.removeprefix("spark://").split(","))
        remedy = "start a cluster with `penstock cluster up`, or use local[4]"
    else:
        raise ConfigError("master", master, "write local[n], spark://host:port, yarn or k8s://...")
    if not reached:
        raise OutageError(f"master: nobody listens at {master!r}; {remedy}")


def _api_reachable(server: str) -> bool:
    """Whether somebody listens at an API server; where a proxy leads to it nobody can tell, and Spark finds out."""
    place = place_in(server if "://" in server else f"https://{server}")
    if place is None or place.hostname is None:
        return False
    if place.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(place.hostname):
        return True
    return _reachable(place.netloc if place.port else f"{place.netloc}:{80 if place.scheme == 'http' else 443}")


def _reachable(address: str) -> bool:
    place = place_in(f"//{address}")
    if place is None or place.hostname is None or place.port is None:
        return False
    try:
        socket.create_connection((place.hostname, place.port), timeout=_REACHED_WITHIN_S).close()
    except (OSError, UnicodeError):  # of a name that no host can have
        return False
    return True


def _prepare_python(code: Path | None) -> None:
    # Left unset, executors take the system's Python, which lacks pyarrow.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if code is None:
        return
    place = str(code.resolve())
    if place not in sys.path:
        sys.path.insert(0, place)
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if place not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([place, *(path for path in paths if path)])


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
