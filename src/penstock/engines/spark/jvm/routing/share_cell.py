"""A share of rows that a running query reads anew with every batch."""

from typing import Any

from pyspark.sql import Column, SparkSession, functions

from penstock.engines.spark.jvm.routing.driver_cell import DriverCell


class ShareCell:
    """The share of rows that a query draws from its next batch on, and how many of them it keeps."""

    def __init__(self, spark: SparkSession, one_in: int, most: int) -> None:
        context = spark.sparkContext
        jvm: Any = context._jvm
        self._spark, self._most = spark, most
        self.one_in = one_in
        # An array, and no number: Spark writes numbers into the code that it makes, anew for each that it meets.
        numbers = jvm.org.apache.spark.sql.types.ArrayType(jvm.org.apache.spark.sql.types.DataTypes.DoubleType, False)
        self._cell = DriverCell(spark, numbers, self._value())

    @property
    def both(self) -> Column:
        """An array of the share and of how many rows are kept."""
        return self._cell.column

    @property
    def share(self) -> Column:
        """The share alone, a constant of each batch."""
        return functions.element_at(self._cell.column, 1)

    def draw_one_in(self, one_in: int) -> None:
        """Another share."""
        if one_in != self.one_in:
            self.one_in = one_in
            self._cell.put(self._value())

    def _value(self) -> Any:
        context = self._spark.sparkContext
        jvm: Any = context._jvm
        held = context._gateway.new_array(jvm.java.lang.Object, 2)  # type: ignore[union-attr]
        held[0], held[1] = 1.0 / self.one_in, float(self._most)
        return jvm.org.apache.spark.sql.catalyst.util.GenericArrayData(held)
