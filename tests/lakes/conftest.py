"""A Spark that reads and writes Delta and Iceberg: of the releases that there are for the Spark that is installed."""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.lakes.lake import Lake, delta, iceberg
from tests.real_spark import application

DELTA, ICEBERG = "4.4.0", "1.12.0"
BUILT_FOR = "4.1"  # both of them; neither is for 4.3


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    if not version("pyspark").startswith(f"{BUILT_FOR}."):
        pytest.fail(f"Delta {DELTA} and Iceberg {ICEBERG} are for Spark {BUILT_FOR}: run `make test-lakes`")
    work = tmp_path_factory.mktemp("lakes")
    packages = [
        f"io.delta:delta-spark_{BUILT_FOR}_2.13:{DELTA}",
        f"org.apache.iceberg:iceberg-spark-runtime-{BUILT_FOR}_2.13:{ICEBERG}",
    ]
    settings = {
        "spark.jars.packages": ",".join(packages),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(work / "iceberg"),
    }
    with application(work, settings) as session:
        yield session


@pytest.fixture(params=["delta", "iceberg"])
def lake(request: pytest.FixtureRequest, name: str, tmp_path: Path) -> Lake:
    return delta(tmp_path) if request.param == "delta" else iceberg(name, tmp_path)
