"""A server of Spark Connect, started with the plugin beside Connect's own: its clients' queries are tenants."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engines.spark.beside import drivers
from tests.harness.ports import own_port

pytestmark = [pytest.mark.jvm, pytest.mark.long]
CLIENT = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
for name in ("fraud", "clicks"):
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 400).load()
    writer = rows.writeStream.format("noop").queryName(name).trigger(processingTime="300 milliseconds")
    query = writer.option("checkpointLocation", f"{sys.argv[2]}/{name}").start()
query.awaitTermination()
"""
PLUGINS = "spark.plugins=org.apache.spark.sql.connect.SparkConnectPlugin,penstock.AttachPlugin"
SERVER = ("--master", "local[4]", "--class", "org.apache.spark.sql.connect.service.SparkConnectServer")


def test_queries_of_clients_are_governed_from_beside_the_server(tmp_path: Path) -> None:
    port, tenants = own_port(), tmp_path / "tenants.yaml"
    tenants.write_text(drivers.TENANTS)
    settings = ("--conf", PLUGINS, "--conf", f"spark.connect.grpc.binding.port={port}")
    with drivers.driver(tmp_path, "spark-submit", *settings, *SERVER) as process:
        door = drivers.door(tmp_path, process)
        with (
            drivers.attached(tmp_path, tenants, str(door.file), "--policy", "static") as governing,
            _client(tmp_path, port),
        ):
            drivers.obeys(tmp_path)
            assert drivers.figures(tmp_path, "clicks").trouble is None
            assert governing.poll() is None


@contextmanager
def _client(place: Path, port: int) -> Iterator[None]:
    """A program with two queries, which has no JVM of its own."""
    program = place / "client.py"
    program.write_text(CLIENT)
    given = [sys.executable, str(program), f"sc://127.0.0.1:{port}", str(place / "checkpoints")]
    with (place / "client.log").open("wb") as said:
        process = subprocess.Popen(given, env=drivers.in_place(place), stdout=said, stderr=said)
    try:
        yield
        assert process.poll() is None, (place / "client.log").read_text(errors="replace")[-2000:]
    finally:
        process.kill()
        process.wait()
