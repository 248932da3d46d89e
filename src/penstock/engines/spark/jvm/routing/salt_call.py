"""A salt as one call of a class of our own, in place of two dozen terms, which Spark plans anew for each batch.

The class is in the jar of `plugin`. Spark compiles what calls it in the driver, whose class loader is given the jar,
and in executors, which fetch it as they do any jar of an application. Where one of these, or the call as this Spark
writes it, is not to be had, salts are made of terms: the same numbers.
"""

import logging
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import Column, SparkSession

from penstock.engines.spark.jvm.beside.door import JAR
from penstock.engines.spark.jvm.columns import column_of, expression_of
from penstock.errors import first_line

_CLASS, _METHOD = "penstock.KeySalt", "of"
_KNOWN_ARGUMENTS = 8  # of Spark's StaticInvoke; later ones have defaults

_log = logging.getLogger("penstock.spark")


class SaltCall:
    """Calls the class in the queries of one application."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._spark = spark
        self._class = _loaded(spark)
        self._expressions = jvm.org.apache.spark.sql.catalyst.expressions
        self._int = jvm.org.apache.spark.sql.types.DataTypes.IntegerType
        self._later = _defaults(self._expressions.objects.StaticInvoke, _arity(jvm))

    def of(self, *arguments: Column) -> Column:
        """The salt of a cell, the start of a window if there is one, a key's text, and the hash of a row's columns."""
        given = _seq(self._spark, [expression_of(self._spark, one) for one in arguments])
        null_if_any, null, alike = False, False, True  # not NULL where one of these is, never NULL, and no chance in it
        called = self._expressions.objects.StaticInvoke(
            self._class, self._int, _METHOD, given, _seq(self._spark, []), null_if_any, null, alike, *self._later
        )
        # State says of each of its columns whether it may be NULL, and the salt of terms may.
        return column_of(self._spark, self._expressions.KnownNullable(called))


_CALLS: dict[str, SaltCall | None] = {}  # by application: one that is found out to lack it never has it


def salt_call(spark: SparkSession) -> SaltCall | None:
    """None where salts are to be made of terms, which is said once."""
    application = spark.sparkContext.applicationId
    if application not in _CALLS:
        _CALLS[application] = new_call(spark)
    return _CALLS[application]


def new_call(spark: SparkSession) -> SaltCall | None:
    """The same, tried anew."""
    try:
        return SaltCall(spark)
    except (Py4JError, TypeError) as error:  # a TypeError: py4j has a package where there is no such class
        _log.warning("salts take more CPU here, for Spark cannot call penstock's class: %s", first_line(error))
        return None


def _loaded(spark: SparkSession) -> Any:
    """The class as this thread and those that it starts find it: queries are begun by one that Python started."""
    jvm: Any = spark.sparkContext._jvm
    spark.sparkContext._jsc.addJar(str(JAR))
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    loader.addURL(jvm.java.io.File(str(JAR)).toURI().toURL())
    return loader.loadClass(_CLASS)


def _arity(jvm: Any) -> int:
    wanted = jvm.java.lang.Class.forName("org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke")
    return int(wanted.getConstructors()[0].getParameterCount())


def _defaults(called: Any, arity: int) -> list[Any]:
    """Of the arguments that newer Sparks have at the end: 4.0 has one, for functions of catalogs."""
    return [getattr(called, f"apply$default${number}")() for number in range(_KNOWN_ARGUMENTS + 1, arity + 1)]


def _seq(spark: SparkSession, values: list[Any]) -> Any:
    jvm: Any = spark.sparkContext._jvm
    return jvm.PythonUtils.toSeq(values)
