"""What penstock needs of a session, and what it says where that is missing."""

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.features import FAIR_LINE, check_session
from tests.drivers import ran

pytestmark = pytest.mark.jvm


def test_a_session_in_fair_mode_will_do(spark: SparkSession) -> None:
    check_session(spark)


def said_by(driver: str) -> str:
    """What a driver of its own prints."""
    done = ran(f"tests.engines.spark.{driver}")
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_without_fair_mode_the_line_to_add_is_said() -> None:
    assert FAIR_LINE in said_by("no_fair_mode")


def test_a_connect_session_is_refused_with_the_reason() -> None:
    assert "live in the driver's JVM, which a Connect client cannot reach" in said_by("connect_session")
