"""The same queries for a minute and a half, with an event log and without penstock."""

import sys

from pyspark.sql import SparkSession
from shop_queries import start_my_queries

builder = SparkSession.builder.master("local[4]").appName("shop").config("spark.eventLog.enabled", "true")
spark = builder.config("spark.eventLog.dir", f"file:{sys.argv[1]}").getOrCreate()
start_my_queries(spark)
spark.streams.awaitAnyTermination(90)
for query in spark.streams.active:
    query.stop()
spark.stop()
