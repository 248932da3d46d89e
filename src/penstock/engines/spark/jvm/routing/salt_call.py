"""A salt as one call of a class of our own, in place of two dozen terms.

Where Spark does not take it, salts are made of terms: the same numbers.
"""

from typing import Any

from pyspark.sql import Column, SparkSession, functions

from penstock.engines.spark.jvm.own_class import OwnClass, calls_of


class SaltCall:
    """Calls the class in the queries of one application."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._class = OwnClass(spark, "penstock.KeySalt")
        self._int = jvm.org.apache.spark.sql.types.DataTypes.IntegerType
        self.of(functions.lit(""))  # what this Spark cannot build fails here, before a query depends on it

    def of(self, *arguments: Column) -> Column:
        """The salt of a cell, the start of a window if there is one, a key's text, and the hash of a row's columns."""
        # State says of each of its columns whether it may be NULL, and the salt of terms may.
        return self._class.maybe_null(self._class.call("of", self._int, *arguments))


def salt_call(spark: SparkSession) -> SaltCall | None:
    """None where salts are to be made of terms, which is said once."""
    return calls_of(spark, SaltCall, "salts take more CPU here")
