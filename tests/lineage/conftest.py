"""A Spark with OpenLineage's listener in its driver, and who collects what it tells."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.lineage.backend import Backend, backend
from tests.real_spark import application

LISTENER = "1.53.0"


@pytest.fixture(scope="session")
def collected() -> Iterator[Backend]:
    with backend() as listening:
        yield listening


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, collected: Backend) -> Iterator[SparkSession]:
    settings = {
        "spark.app.name": "shop",
        "spark.jars.packages": f"io.openlineage:openlineage-spark_2.13:{LISTENER}",
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.namespace": "market",
        "spark.openlineage.transport.type": "http",
        "spark.openlineage.transport.url": collected.url,
    }
    with application(tmp_path_factory.mktemp("lineage"), settings) as session:
        yield session
