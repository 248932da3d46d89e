"""The README's lines in a driver whose queries log in to their broker by options of their own."""

import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from shop_queries import start_my_queries

import penstock as ps

OPTIONS = json.loads(Path("broker.json").read_text(encoding="utf-8"))


def read(spark: SparkSession, name: str) -> DataFrame:
    """The topic of that name."""
    return spark.readStream.format("kafka").options(**OPTIONS, subscribe=name).load()


builder = SparkSession.builder.master("local[4]").config("spark.scheduler.mode", "FAIR")
spark = builder.config("spark.jars", sys.argv[1]).getOrCreate()
with ps.govern(
    spark,
    {
        "fraud": ps.Intent(ps.Latency("2s", percentile=95, utility=40)),
        "reports": ps.Intent(ps.Latency("1m", utility=10)),
        "clicks": ps.Intent(ps.Juice(0.9, utility=10)),
    },
):
    start_my_queries(spark, read)
    spark.streams.awaitAnyTermination()
