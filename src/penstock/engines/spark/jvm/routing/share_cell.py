"""A share of rows that a running query reads anew with every batch, from a cell of the driver's JVM.

Its plan refers to an array of one number, as a literal. A plan is analysed once, yet optimised for each batch; so Spark
folds what the array holds just then into a constant, and no task looks anything up.
"""

from typing import Any

from pyspark.sql import SparkSession, functions

from penstock.engines.spark.jvm.columns import ClassicColumn


class ShareCell:
    """The share of rows that a query draws, from its next batch on."""

    def __init__(self, spark: SparkSession, one_in: int) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        catalyst, types = jvm.org.apache.spark.sql.catalyst, jvm.org.apache.spark.sql.types
        self._cell: Any = context._gateway.new_array(jvm.java.lang.Object, 1)  # type: ignore[union-attr]
        self._cell[0] = 1.0 / one_in
        self.one_in = one_in
        held = catalyst.util.GenericArrayData(self._cell)
        literal = catalyst.expressions.Literal(held, types.ArrayType(types.DataTypes.DoubleType, False))
        self.share = functions.element_at(
            ClassicColumn(jvm.org.apache.spark.sql.classic.ExpressionUtils.column(literal)), 1
        )

    def draw_one_in(self, one_in: int) -> None:
        """Another share."""
        if one_in != self.one_in:
            self._cell[0] = 1.0 / one_in
            self.one_in = one_in
