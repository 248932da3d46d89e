"""The engine as a whole, on real Spark."""

from pyspark.sql import SparkSession

from penstock.core.figures import ALL_OPERATORS
from penstock.engines.spark.engine import SparkSettings
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.jvm.pools import COMMON_POOL, FairPools
from penstock.engines.spark.shares import PoolShare, Sharing, SlotLimits
from tests.engines.spark.helpers import counting, give, observed, quick
from tests.real_spark import OpenEngine


def test_a_running_query_shows_rates_latency_juice_stages_and_machines(
    engine: OpenEngine, name: str, checkpoint: str
) -> None:
    running = engine(Job(name, counting(checkpoint)))
    figures = observed(running, name, lambda job: job.juice is not None and len(job.stages) == 2 and job.latency)
    assert figures.latency is not None
    assert figures.latency.estimated
    assert figures.arrival_rps is not None
    assert figures.state_bytes is not None
    assert figures.operator(ALL_OPERATORS).capacity is not None
    assert any("StateStoreSave" in stage.name for stage in figures.stages)
    machines = running.observe(1.0).machines
    assert [machine.executors for machine in machines] == [1]


def test_a_share_is_seen_in_the_pool_object_at_once(spark: SparkSession, engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, quick, SlotLimits(1, 4), slots=1))
    assert FairPools(spark.sparkContext).share(name) == PoolShare(weight=1, min_share=1)
    assert not give(running, name, 3).failed
    assert FairPools(spark.sparkContext).share(name) == PoolShare(weight=3, min_share=3)


def test_the_same_step_twice_leaves_the_world_as_after_the_first(
    spark: SparkSession, engine: OpenEngine, name: str
) -> None:
    running = engine(Job(name, quick, slots=1))
    give(running, name, 2)
    once = FairPools(spark.sparkContext).share(name)
    give(running, name, 2)
    assert FairPools(spark.sparkContext).share(name) == once


def test_without_shares_all_queries_are_in_one_pool_whose_oldest_job_comes_first(
    spark: SparkSession, engine: OpenEngine, name: str
) -> None:
    running = engine(Job(name, quick), settings=SparkSettings(window_s=20.0, sharing=Sharing.FIFO))
    figures = observed(running, name, lambda job: job.stages)
    assert figures.trouble is None
    pool = spark.sparkContext._jsc.sc().getPoolForName(COMMON_POOL).get()
    assert str(pool.schedulingMode()) == "FIFO"
    assert FairPools(spark.sparkContext).share(name) is None


def test_queries_run_in_the_pool_of_their_name(spark: SparkSession, engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, quick))
    figures = observed(running, name, lambda job: job.stages)
    assert figures.trouble is None
