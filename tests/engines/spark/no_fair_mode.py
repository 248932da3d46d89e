"""A driver of its own whose Spark has no FAIR mode; run by test_features."""

from pyspark.sql import SparkSession

import penstock as ps
from penstock.errors import EngineError


def main() -> None:
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.host", "127.0.0.1").config("spark.log.level", "OFF").getOrCreate()
    try:
        ps.govern(spark, {"orders": ps.Intent(ps.Latency("2s"))})
    except EngineError as error:
        print(error)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
