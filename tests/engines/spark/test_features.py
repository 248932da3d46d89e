"""What penstock needs of a session, and what it says where that is missing."""

import pytest
from pyspark import SparkConf
from pyspark.sql import SparkSession

import penstock as ps
from penstock.engines.spark.jvm.features import FAIR_LINE, check_session
from penstock.errors import EngineError
from tests.drivers import ran


def test_a_session_in_fair_mode_will_do(spark: SparkSession) -> None:
    check_session(spark)


def test_without_fair_mode_the_line_to_add_is_said(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    # The settings of a session that was built without it; to build one would take a JVM more.
    plain = SparkConf(loadDefaults=False, _jvm=spark.sparkContext._jvm).set("spark.scheduler.mode", "FIFO")
    monkeypatch.setattr(spark.sparkContext, "_conf", plain)
    with pytest.raises(EngineError) as refused:
        ps.govern(spark, {"orders": ps.Intent(ps.Latency("2s"))})
    assert "spark.scheduler.mode is FIFO" in str(refused.value)
    assert FAIR_LINE in str(refused.value)


def test_a_connect_session_is_refused_with_the_reason() -> None:
    done = ran("tests.engines.spark.connect_session")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "are in the driver's JVM, which a Connect client cannot reach" in done.stdout
    assert "beside the Connect server (penstock attach" in done.stdout
