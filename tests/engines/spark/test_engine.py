"""What the pools of an application are to Spark's own scheduler; the rest of the engine is in test_contract."""

from pyspark.sql import SparkSession

from penstock.engines.spark.application.shares import Sharing
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.pools import COMMON_POOL
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.helpers import observed, quick
from tests.real_spark import OpenEngine


def test_without_shares_all_queries_are_in_one_pool_whose_oldest_job_comes_first(
    spark: SparkSession, engine: OpenEngine, name: str
) -> None:
    running = engine(Job(name, quick), settings=SparkSettings(window_s=20.0, sharing=Sharing.FIFO))
    observed(running, name, lambda job: job.stages and job.trouble is None)
    pool = spark.sparkContext._jsc.sc().getPoolForName(COMMON_POOL).get()
    assert str(pool.schedulingMode()) == "FIFO"
