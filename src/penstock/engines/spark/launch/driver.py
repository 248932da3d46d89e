"""Secrets among Spark's settings: they reach a driver's JVM once that runs, and are on no command line.

Every user of the machine can read those. Such are the passwords and keys of tenants files, an object store's for one,
and what a driver shows to a standalone cluster, see `local/spark/secret.py`.
"""

import re
from collections.abc import Mapping

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.process import Jvm, jvm_with

_HOLD_SECRETS = re.compile(r"(?i)secret|password|token|access[.]?key")  # by their names, as Spark itself redacts


def session(settings: Mapping[str, str]) -> SparkSession:
    """Spark with these settings; secrets among them are given to its JVM when that runs already."""
    jvm(settings)
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def jvm(settings: Mapping[str, str]) -> Jvm:
    """The JVM of this process, started with these settings but the secrets where there is none yet."""
    return jvm_with({name: value for name, value in settings.items() if not _HOLD_SECRETS.search(name)})
