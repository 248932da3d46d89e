"""Rows drawn by chance, by calls of a class of our own: a row that is not drawn costs little more than a countdown.

The tasks keep no more than some thousand rows each, however many there are, and the driver tells those of all of them
that have the lowest numbers of chance, in one text.
"""

from typing import Any

from pyspark.sql import Column, SparkSession, functions

from penstock.engines.spark.jvm.own_class import OwnClass, calls_of


class DrawCall:
    """Calls the class in the queries of one application."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._class = OwnClass(spark, "penstock.RowDraw")
        self._text = jvm.org.apache.spark.sql.types.DataTypes.StringType
        self.number(functions.lit(""))  # what this Spark cannot build fails here, before a query depends on it

    def number(self, cell: Column) -> Column:
        """A text that is drawn anew for each row; NULL for those that are not drawn."""
        return self._class.column(self._class.call("number", self._text, cell, by_chance=True, nullable=True))

    def told(self, rows: Column, most: int) -> Column:
        """An array of texts that begin with their numbers: those of the lowest ones, without these, as one."""
        return self._class.column(self._class.call("told", self._text, rows, functions.lit(most)))


def draw_call(spark: SparkSession) -> DrawCall | None:
    """None where rows are to be drawn by terms, which is said once."""
    return calls_of(spark, DrawCall, "rows for pairs of keys are drawn by Spark's own functions")
