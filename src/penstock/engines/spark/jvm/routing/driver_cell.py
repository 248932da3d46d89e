"""A value that a running query reads anew with every batch, from a cell of the driver's JVM.

Its plan refers to an array of one element, as a literal. A plan is analysed once, yet optimised for each batch; so
Spark folds what the array holds just then into a constant. That goes to the tasks with their code, once, however often
the plan names it, and no task looks anything up. What is put there while a batch is planned, a part of it may see.
"""

from typing import Any

from pyspark.sql import Column, SparkSession, functions

from penstock.engines.spark.jvm.columns import column_of


class DriverCell:
    """Holds what Spark calls it inside, of a type in its own words: a Java object."""

    def __init__(self, spark: SparkSession, kind: Any, value: Any) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        catalyst, types = jvm.org.apache.spark.sql.catalyst, jvm.org.apache.spark.sql.types
        self._cell: Any = context._gateway.new_array(jvm.java.lang.Object, 1)  # type: ignore[union-attr]
        self._cell[0] = value
        held = catalyst.util.GenericArrayData(self._cell)
        literal = catalyst.expressions.Literal(held, types.ArrayType(kind, False))
        self.column: Column = functions.element_at(column_of(spark, literal), 1)

    def put(self, value: Any) -> None:
        """What queries read from their next batch on."""
        self._cell[0] = value
