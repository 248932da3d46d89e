"""Three queries as somebody has them, with no word of penstock: they want six slots of the four that there are."""

from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession

QUERIES = {"fraud": (100, 4), "reports": (500, 6), "clicks": (500, 4)}  # rows a second, ms that each is waited for


def made(spark: SparkSession, name: str) -> DataFrame:
    """Rows from nowhere."""
    return spark.readStream.format("rate").option("rowsPerSecond", QUERIES[name][0]).option("numPartitions", 4).load()


def start_my_queries(spark: SparkSession, rows: Callable[[SparkSession, str], DataFrame] = made) -> None:
    """All of them, by the names that the README has."""
    for name, (_, row_ms) in QUERIES.items():
        waited = rows(spark, name).selectExpr("*", f"reflect('java.lang.Thread', 'sleep', {row_ms}L) AS waited")
        waited.writeStream.format("noop").queryName(name).start()
