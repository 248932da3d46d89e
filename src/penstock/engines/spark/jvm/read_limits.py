"""The limits of a running query as the driver's JVM makes them, and what is read of its objects by reflection."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.class_homes import home_of
from penstock.errors import first_line

MADE = "org.apache.spark.sql.execution.streaming.sources.RatePerMicroBatchStream"
_FILES_FIELDS = ("metadataLog", "unreadFiles", "sourceOptions")


class ReadLimits:
    """What is made and looked up in the driver's JVM."""

    def __init__(self, spark: SparkSession) -> None:
        context: Any = spark.sparkContext
        self._jvm, self._gateway, self._version = context._jvm, context._gateway, context.version
        self.limits = self._jvm.org.apache.spark.sql.connector.read.streaming.ReadLimit
        self.execution = home_of(self._jvm, "MicroBatchExecution")
        self.files = home_of(self._jvm, "FileStreamSource")

    def lacks(self) -> str | None:
        """What this Spark lacks, in words."""
        try:
            of_map = self._gateway.new_array(self._jvm.java.lang.Class, 1)
            of_map[0] = self.kind("scala.collection.immutable.Map")
            self.kind(self.execution).getMethod("uniqueSources_$eq", of_map)
            for name, field in (*((self.files, field) for field in _FILES_FIELDS), (MADE, "rowsPerBatch")):
                self.kind(name).getDeclaredField(field)
            self.all_of([self.limits.minRows(1, 1), self.limits.maxRows(1)])
            self.limits.maxFiles(1), self.some_long(1)
        except (Py4JError, TypeError) as error:  # a class that is not there is a package to py4j, and cannot be called
            return f"Spark {self._version} has no limits that can be set while a query runs ({first_line(error)})"
        return None

    def kind(self, name: str) -> Any:
        return self._jvm.java.lang.Class.forName(name)

    def all_of(self, limits: Sequence[Any]) -> Any:
        """One limit that stands for these."""
        if len(limits) == 1:
            return limits[0]
        array = self._gateway.new_array(self.limits, len(limits))
        for place, limit in enumerate(limits):
            array[place] = limit
        return self.limits.compositeLimit(array)

    def some_long(self, number: int) -> Any:
        """Scala's Some of a long; py4j alone would make it one of an int."""
        longs = self._gateway.new_array(self._jvm.long, 1)
        longs[0] = number
        return self._jvm.scala.Predef.wrapLongArray(longs).headOption()

    def like(self, thing: Any, *made_of: Any) -> Any:
        """Another of its kind, made of these by the one constructor that it has."""
        arguments = self._gateway.new_array(self._jvm.java.lang.Object, len(made_of))
        for place, one in enumerate(made_of):
            arguments[place] = one
        return thing.getClass().getConstructors()[0].newInstance(arguments)

    def first_to_obey(self, execution: Any) -> int:
        """The batch after the one that is in hand, which may have been planned just before."""
        return _after(execution, self._in_hand(execution))

    def _in_hand(self, execution: Any) -> int:
        if "getLatestExecutionContext" in self._methods:
            return int(execution.getLatestExecutionContext().batchId())
        return int(execution.currentBatchId())  # Spark 3.5

    @cached_property
    def _methods(self) -> frozenset[str]:
        return frozenset(method.getName() for method in self.kind(self.execution).getMethods())


def _after(execution: Any, in_hand: int) -> int:
    if in_hand >= 0:
        return int(in_hand) + 1
    logged = execution.offsetLog().getLatestBatchId()  # it starts: what is in the log is run first
    return int(logged.get()) + 1 if logged.isDefined() else 0


def kind_of(thing: Any) -> str:
    return str(thing.getClass().getSimpleName())
