"""The kinds of columns and frames that stand on the driver's JVM: Spark 4 has them beside those of Connect."""

try:
    from pyspark.sql.classic.column import Column as ClassicColumn
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame
except ModuleNotFoundError:  # Spark 3.5 has one kind of each
    from pyspark.sql import Column as ClassicColumn  # type: ignore[assignment]
    from pyspark.sql import DataFrame as ClassicDataFrame  # type: ignore[assignment]

__all__ = ["ClassicColumn", "ClassicDataFrame"]
