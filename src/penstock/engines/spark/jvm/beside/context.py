"""PySpark over a gateway that a driver's plugin opened: nothing of the driver is started, changed or ended by it.

PySpark's own context would do more: it registers an accumulator in the driver, and at Ctrl-C it cancels all jobs of the
application.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pyspark
from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
from py4j.java_gateway import java_import
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from penstock.engines.hand import ANSWERS_WITHIN_S, Hand
from penstock.engines.spark.jvm.beside.door import DriverDoor
from penstock.engines.spark.jvm.class_homes import there
from penstock.errors import ConfigError, EngineError, OutageError, first_line

# What PySpark's own gateway is given to know; see pyspark.java_gateway.
_PACKAGES = (
    "org.apache.spark.SparkConf",
    "org.apache.spark.api.java.*",
    "org.apache.spark.api.python.*",
    "org.apache.spark.sql.functions",
    "org.apache.spark.sql.api.python.*",
    "scala.Tuple2",
)
_CLASSIC = "org.apache.spark.sql.classic"  # since Spark 4, where sessions of Connect are another kind
_REACHED_WITHIN_S = 5.0


class BesideContext(SparkContext):
    """The context of a driver that runs elsewhere on this machine."""

    def __init__(self, gateway: ClientServer) -> None:
        self._entry: Any = gateway.entry_point
        super().__init__(gateway=gateway)

    def _do_init(self, *given: Any) -> None:
        """See SparkContext: what it takes to ask a driver, and nothing more."""
        self._jsc = self._entry.context()
        self._conf = SparkConf(_jconf=self._jsc.getConf())
        self.master = str(self._conf.get("spark.master"))
        self.appName = str(self._conf.get("spark.app.name"))

    def stop(self) -> None:
        """Let go of it; the driver runs on."""
        with SparkContext._lock:
            SparkContext._active_spark_context = None
            SparkContext._gateway = SparkContext._jvm = None


@contextmanager
def beside(door: DriverDoor) -> Iterator[BesideContext]:
    """The driver's context while the block lasts."""
    _check_version(door)
    _check_reachable(door)
    gateway = _gateway(door)
    try:
        _check_answers(gateway, door)
        know_spark(gateway.jvm)
        context = BesideContext(gateway)
    except Py4JError as error:
        gateway.close(keep_callback_server=True)
        raise EngineError(
            f"{door.application} does not let this penstock in ({first_line(error)}); "
            "its file may be older than its driver"
        ) from error
    except OutageError:
        gateway.close(keep_callback_server=True)
        raise
    try:
        yield context
    finally:
        context.stop()
        gateway.close(keep_callback_server=True)  # ours alone: `shutdown` would close the driver's side, too


def know_spark(jvm: Any) -> None:
    """Let a view of that JVM know Spark's classes by the names that its PySpark has for them."""
    sessions = f"{_CLASSIC}.*" if there(jvm, f"{_CLASSIC}.SparkSession") else "org.apache.spark.sql.*"
    for package in (*_PACKAGES, sessions):
        java_import(jvm, package)


def session_of(context: BesideContext) -> SparkSession | None:
    """The driver's own session; None until it has one."""
    found = context._entry.session()
    return None if found is None else SparkSession(context, found)


def _gateway(door: DriverDoor) -> ClientServer:
    gateway = ClientServer(
        java_parameters=JavaParameters(address=door.host, port=door.port, auth_token=door.token, auto_convert=True),
        python_parameters=PythonParameters(port=0, eager_load=False),
    )
    gateway.proc = None
    return gateway


def _check_answers(gateway: ClientServer, door: DriverDoor) -> None:
    """Who connects to a JVM that stands still is let in by the kernel, and waits for a word of it without end."""

    def ask() -> None:
        with suppress(Exception):  # what is wrong with its answers is told by whoever asks for more
            gateway.jvm.System.nanoTime()

    hand = Hand()
    try:
        hand.do("an answer", ask, ANSWERS_WITHIN_S)
    except EngineError:
        told = f"the JVM at {door.host}:{door.port} has not answered within {ANSWERS_WITHIN_S:g} s"
        raise OutageError(f"{door.application}: {told}; see that its driver runs, and is not stopped") from None
    finally:
        hand.close()


def _check_version(door: DriverDoor) -> None:
    """Governing goes by Spark's private names, which PySpark's version tells; a patch changes none of them."""
    there, here = (version.split(".")[:2] for version in (door.spark, pyspark.__version__))
    if there != here:
        remedy = f"that driver runs Spark {door.spark}: pip install 'pyspark=={'.'.join(there)}.*' beside penstock"
        raise ConfigError("pyspark", pyspark.__version__, remedy)


def _check_reachable(door: DriverDoor) -> None:
    try:
        socket.create_connection((door.host, door.port), timeout=_REACHED_WITHIN_S).close()
    except (OSError, UnicodeError) as error:  # of a name that no host can have
        raise OutageError(f"{door.application}: nothing answers at {door.host}:{door.port} ({error})") from error
