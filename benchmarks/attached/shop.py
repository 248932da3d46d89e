"""The README's lines in a driver of one's own."""

from pyspark.sql import SparkSession
from shop_queries import start_my_queries

import penstock as ps

spark = SparkSession.builder.master("local[4]").config("spark.scheduler.mode", "FAIR").getOrCreate()
with ps.govern(
    spark,
    {
        "fraud": ps.Intent(ps.Latency("2s", percentile=95, utility=40)),  # matters four times as much
        "reports": ps.Intent(ps.Latency("1m", utility=10)),
        "clicks": ps.Intent(ps.Juice(0.9, utility=10)),  # 90 % of the input processed
    },
):
    start_my_queries(spark)
    spark.streams.awaitAnyTermination()
