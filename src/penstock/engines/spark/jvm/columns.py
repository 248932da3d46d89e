"""The kinds of columns and frames that stand on the driver's JVM: Spark 4 has them beside those of Connect."""

from typing import Any

from pyspark.sql import SparkSession

try:
    from pyspark.sql.classic.column import Column as ClassicColumn
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame
except ModuleNotFoundError:  # Spark 3.5 has one kind of each
    from pyspark.sql import Column as ClassicColumn  # type: ignore[assignment]
    from pyspark.sql import DataFrame as ClassicDataFrame  # type: ignore[assignment]

__all__ = ["ClassicColumn", "ClassicDataFrame", "column_of"]


def column_of(spark: SparkSession, expression: Any) -> ClassicColumn:
    """An expression of Spark's own as a column."""
    sql: Any = spark.sparkContext._jvm.org.apache.spark.sql  # type: ignore[union-attr]
    before = spark.version.startswith("3.")
    return ClassicColumn(sql.Column(expression) if before else sql.classic.ExpressionUtils.column(expression))


def expression_of(spark: SparkSession, column: Any) -> Any:
    """A column as an expression of Spark's own."""
    sql: Any = spark.sparkContext._jvm.org.apache.spark.sql  # type: ignore[union-attr]
    before = spark.version.startswith("3.")
    return column._jc.expr() if before else sql.classic.ExpressionUtils.expression(column._jc)
