"""A driver of its own on a real Spark Connect session; run by test_features."""

from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.features import check_session
from penstock.errors import EngineError


def main() -> None:
    spark = SparkSession.builder.remote("local[1]").getOrCreate()
    try:
        check_session(spark)
    except EngineError as error:
        print(error)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
