"""Classes of penstock's own jar, whose methods a query calls from the code that Spark generates.

Spark compiles what calls them in the driver, whose class loader is given the jar, and in executors, which fetch it as
they do any jar of an application. One call is one term of a plan, which Spark plans anew for each batch.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from py4j.protocol import Py4JError
from pyspark.sql import Column, SparkSession

from penstock.engines.spark.jvm.beside.door import JAR
from penstock.engines.spark.jvm.columns import column_of, expression_of
from penstock.errors import first_line

_KNOWN_ARGUMENTS = 8  # of Spark's StaticInvoke; later ones have defaults
_ADDED: set[str] = set()  # applications that have the jar
# What calls a class, by application and by what makes it: an application that is found out to lack it never has it.
_KNOWN: dict[tuple[str, Callable[[SparkSession], Any]], Any] = {}
Calls = TypeVar("Calls")

_log = logging.getLogger("penstock.spark")


class OwnClass:
    """One class of the jar, as queries of one application call it."""

    def __init__(self, spark: SparkSession, name: str) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._spark = spark
        self._class = _loaded(spark, name)
        self._expressions = jvm.org.apache.spark.sql.catalyst.expressions
        self._later = _defaults(self._expressions.objects.StaticInvoke, _arity(jvm))

    def call(self, method: str, kind: Any, *arguments: Column, by_chance: bool = False, nullable: bool = False) -> Any:
        """What a static method of it says to these arguments, an expression of Spark's own of that type."""
        given = _seq(self._spark, [expression_of(self._spark, one) for one in arguments])
        null_if_any = False  # it is called where one of these is NULL, too
        return self._expressions.objects.StaticInvoke(
            self._class, kind, method, given, _seq(self._spark, []), null_if_any, nullable, not by_chance, *self._later
        )

    def column(self, expression: Any) -> Column:
        """Such an expression as a column."""
        return column_of(self._spark, expression)

    def maybe_null(self, expression: Any) -> Column:
        """The same, of which Spark does not know that it is never NULL."""
        return column_of(self._spark, self._expressions.KnownNullable(expression))


def calls_of(spark: SparkSession, made: Callable[[SparkSession], Calls], without: str) -> Calls | None:
    """What calls a class of the jar; None where Spark takes no jar or no such call, which the log says once."""
    asked = (spark.sparkContext.applicationId, made)
    if asked not in _KNOWN:
        _KNOWN[asked] = _tried(spark, made, without)
    known: Calls | None = _KNOWN[asked]
    return known


def _tried(spark: SparkSession, made: Callable[[SparkSession], Calls], without: str) -> Calls | None:
    try:
        return made(spark)
    except (Py4JError, TypeError) as error:  # a TypeError: py4j has a package where there is no such class
        _log.warning("%s, for Spark cannot call penstock's class: %s", without, first_line(error))
        return None


def _loaded(spark: SparkSession, name: str) -> Any:
    """The class as this thread and those that it starts find it: queries are begun by one that Python started."""
    jvm: Any = spark.sparkContext._jvm
    application = spark.sparkContext.applicationId
    if application not in _ADDED:
        spark.sparkContext._jsc.addJar(str(JAR))
        _ADDED.add(application)
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    loader.addURL(jvm.java.io.File(str(JAR)).toURI().toURL())
    return loader.loadClass(name)


def _arity(jvm: Any) -> int:
    wanted = jvm.java.lang.Class.forName("org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke")
    return int(wanted.getConstructors()[0].getParameterCount())


def _defaults(called: Any, arity: int) -> list[Any]:
    """Of the arguments that newer Sparks have at the end: 4.0 has one, for functions of catalogs."""
    return [getattr(called, f"apply$default${number}")() for number in range(_KNOWN_ARGUMENTS + 1, arity + 1)]


def _seq(spark: SparkSession, values: list[Any]) -> Any:
    jvm: Any = spark.sparkContext._jvm
    return jvm.PythonUtils.toSeq(values)
