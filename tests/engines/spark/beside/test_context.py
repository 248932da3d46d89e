"""What is refused before anything is asked of a driver, and what its JVM is then known by."""

import socket
from pathlib import Path

import pyspark
import pytest
from py4j.java_gateway import JavaClass
from pyspark import SparkContext
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.beside import context
from penstock.engines.spark.jvm.beside.context import beside, know_spark
from penstock.engines.spark.jvm.beside.door import DriverDoor
from penstock.errors import ConfigError, OutageError


def door(spark: str, port: int = 1) -> DriverDoor:
    return DriverDoor(Path("app-1.json"), "app-1", "shop", spark, pid=1, host="127.0.0.1", port=port, token="s3cret")


def test_another_spark_than_the_pyspark_here_is_refused_with_the_line_to_type() -> None:
    with (
        pytest.raises(ConfigError, match=r"runs Spark 3\.1\.2: pip install 'pyspark==3\.1\.\*'"),
        beside(door("3.1.2")),
    ):
        pass


def test_a_driver_that_does_not_answer_may_come_back() -> None:
    patched = ".".join([*pyspark.__version__.split(".")[:2], "99"])  # a patch of the same Spark will do
    with pytest.raises(OutageError, match=r"app-1: nothing answers at 127\.0\.0\.1:1"), beside(door(patched)):
        pass


def test_a_driver_that_lets_in_and_says_nothing_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "ANSWERS_WITHIN_S", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(
            OutageError, match=r"app-1: the JVM at 127\.0\.0\.1:\d+ has not answered within 0\.2 s; see that"
        ),
        beside(door(pyspark.__version__, silent.getsockname()[1])),
    ):
        pass


def test_what_pyspark_calls_by_name_is_known_on_whatever_spark(spark: SparkSession) -> None:
    """`make test-oldest` asks Spark 3.5, whose sessions are in no package of their own."""
    gateway = SparkContext._gateway
    assert gateway is not None
    view = gateway.new_jvm_view("beside")
    know_spark(view)
    names = ("SparkSession", "SparkConf", "JavaSparkContext", "PythonUtils", "PythonSQLUtils", "functions")
    assert [name for name in names if not isinstance(getattr(view, name), JavaClass)] == []
