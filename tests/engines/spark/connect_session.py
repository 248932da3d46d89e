"""A driver of its own with Spark Connect's own session; run by test_features. Whether a server answers is all one."""

import os
import sys

from pyspark.sql.connect.session import SparkSession

from penstock.engines.spark.jvm.features import check_session
from penstock.errors import EngineError


def main() -> None:
    try:
        check_session(SparkSession("sc://127.0.0.1:1"))
    except EngineError as error:
        print(error)
    sys.stdout.flush()
    os._exit(0)  # at a usual end Spark's client would try for minutes to take leave of the server


if __name__ == "__main__":
    main()
