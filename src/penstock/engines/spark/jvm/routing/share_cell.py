"""A share of rows that a running query reads anew with every batch."""

from typing import Any

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.routing.driver_cell import DriverCell


class ShareCell:
    """The share of rows that a query draws, from its next batch on."""

    def __init__(self, spark: SparkSession, one_in: int) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._cell = DriverCell(spark, jvm.org.apache.spark.sql.types.DataTypes.DoubleType, 1.0 / one_in)
        self.one_in = one_in
        self.share = self._cell.column

    def draw_one_in(self, one_in: int) -> None:
        """Another share."""
        if one_in != self.one_in:
            self._cell.put(1.0 / one_in)
            self.one_in = one_in
