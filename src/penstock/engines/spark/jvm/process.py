"""The JVM of this process: PySpark starts it as it is first asked for anything."""

from collections.abc import Mapping
from typing import TypeAlias

from py4j.java_gateway import JavaGateway
from pyspark import SparkConf, SparkContext

Jvm: TypeAlias = JavaGateway


def jvm_with(settings: Mapping[str, str]) -> Jvm:
    """It, started with these settings where there is none yet."""
    SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll(list(settings.items())))
    gateway: Jvm = SparkContext._gateway
    return gateway
