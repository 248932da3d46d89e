"""The JVM of this process: PySpark starts it as it is first asked for anything, and leaves its end to itself.

It ends once nobody holds its input any more; unless one of its shutdown hooks stands still.
"""

import logging
import subprocess
from collections.abc import Mapping
from typing import TypeAlias

from py4j.java_gateway import JavaGateway
from pyspark import SparkConf, SparkContext

Jvm: TypeAlias = JavaGateway

_ENDS_WITHIN_S = 10.0  # by itself in one or two

_log = logging.getLogger("penstock.spark")


def jvm_with(settings: Mapping[str, str]) -> Jvm:
    """It, started with these settings where there is none yet."""
    SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll(list(settings.items())))
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
