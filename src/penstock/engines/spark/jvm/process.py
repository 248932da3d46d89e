"""The JVM of this process: PySpark starts it as it is first asked for anything, and leaves its end to itself.

It ends once nobody holds its input any more; unless one of its shutdown hooks stands still.
"""

import logging
import os
import signal
import subprocess
import time
from collections.abc import Collection, Mapping
from typing import TypeAlias

from py4j.java_gateway import JavaGateway
from pyspark import SparkConf, SparkContext

from penstock.local import processes

Jvm: TypeAlias = JavaGateway

_STARTED_BY_PYSPARK = "pyspark-shell"  # stands on its command line
_HAS_A_COMMAND_WITHIN_S = 1.0
_LOOK_EVERY_S = 0.001
_ENDS_WITHIN_S = 10.0  # by itself in one or two

_log = logging.getLogger("penstock.spark")


def jvm_with(settings: Mapping[str, str]) -> Jvm:
    """It, started with these settings where there is none yet; none is left where that is broken off."""
    if SparkContext._gateway is None:
        _start(settings)
    gateway: Jvm = SparkContext._gateway
    return gateway


def end_jvm(within_s: float = _ENDS_WITHIN_S) -> None:
    """It is gone, where this process started one: by itself within that time, else killed.

    For a process that ends as well: there is no Spark in it any more.
    """
    started = getattr(SparkContext._gateway, "proc", None)
    if started is None or started.poll() is not None:
        return
    started.stdin.close()
    try:
        started.wait(within_s)
    except subprocess.TimeoutExpired:
        _log.warning("Spark's JVM has not ended by itself within %.0f s, so it was killed", within_s)
        started.kill()
        started.wait()


def _start(settings: Mapping[str, str]) -> None:
    others = processes.children(os.getpid())
    try:
        SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll(list(settings.items())))
    except BaseException:
        if SparkContext._gateway is None:
            _end_unfinished(others)
        raise


def _end_unfinished(others: Collection[int]) -> None:
    """A JVM whose start Ctrl-C broke off would stay for ever.

    PySpark removes the folder that it is to write its port into, which ends the thread that watches its input, and only
    that. Nobody holds it as a process any more either.
    """
    for child in processes.children(os.getpid()):
        if child not in others and _begins_as_pyspark_starts(child):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _begins_as_pyspark_starts(child: int) -> bool:
    """Between fork and exec, and from one exec to the next, a process has its parent's command line or none."""
    unknown = (list[str](), processes.command_of(os.getpid()))
    deadline = time.monotonic() + _HAS_A_COMMAND_WITHIN_S
    while (command := processes.command_of(child)) in unknown and time.monotonic() < deadline:
        if processes.start_ticks(child) is None:  # it has ended
            break
        time.sleep(_LOOK_EVERY_S)
    return _STARTED_BY_PYSPARK in command
