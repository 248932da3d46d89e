"""A declarative pipeline, started by spark-pipelines with the plugin's listener: each flow is a tenant."""

from pathlib import Path

import pytest

from tests.engines.spark.beside import drivers
from tests.patience import eventually

pytestmark = [pytest.mark.jvm, pytest.mark.long]
FLOWS = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession, functions as F

def rows():
    files = SparkSession.active().readStream.format("text").option("maxFilesPerTrigger", 1).load({place!r})
    return files.withColumn("slept", F.expr("reflect('java.lang.Thread', 'sleep', 200L)"))

@dp.table
def orders():
    return rows()

dp.create_streaming_table("europe")

@dp.append_flow(target="europe", name="from_europe")
def from_europe():
    return rows()

dp.create_streaming_table("asia")

@dp.append_flow(target="asia", name="from_asia")
def from_asia():
    return rows()
"""
SPEC = "name: shop\nstorage: file://{place}/storage\nlibraries:\n  - glob: {{include: 'transformations/**'}}\n"
TENANTS = """
interval: 1s
window: 5s
jobs:
  - {name: orders, intent: {latency: 1s, utility: 35}}
  - {name: from_europe, intent: {juice: 0.1, utility: 5}}
  - {name: default.from_asia, intent: {juice: 0.1, utility: 5}}
"""
LISTENER = "spark.sql.streaming.streamingQueryListeners=penstock.QueryEvents"
START = ("--remote", "local[4]", "--conf", "spark.scheduler.mode=FAIR", "--conf", LISTENER)


def test_each_flow_of_a_pipeline_is_governed_by_its_name(tmp_path: Path) -> None:
    tenants = _written(tmp_path)
    with drivers.driver(tmp_path, "spark-pipelines", *START, "run") as process:
        door = drivers.door(tmp_path, process)
        with drivers.attached(tmp_path, tenants, str(door.file)) as governing:
            eventually(lambda: _seen(tmp_path) == {"orders", "from_europe", "default.from_asia"})
            eventually(lambda: drivers.asked(tmp_path, "slots", "orders", "3").returncode == 0)
            eventually(lambda: _slots(tmp_path, "orders") == 3)
            assert governing.poll() is None


def _written(place: Path) -> Path:
    """A pipeline of three flows, with files for some minutes."""
    (place / "in").mkdir()
    for number in range(400):
        (place / "in" / f"{number}.txt").write_text("a row")
    (place / "transformations").mkdir()
    (place / "transformations" / "flows.py").write_text(FLOWS.format(place=str(place / "in")))
    (place / "spark-pipeline.yml").write_text(SPEC.format(place=place))
    tenants = place / "tenants.yaml"
    tenants.write_text(TENANTS)
    return tenants


def _seen(place: Path) -> set[str]:
    """The tenants whose rows come through."""
    view = drivers.newest(place)
    jobs = () if view is None else view.jobs
    return {job.name for job in jobs if job.figures.juice is not None and job.figures.trouble is None}


def _slots(place: Path, name: str) -> int:
    view = drivers.newest(place)
    return 0 if view is None else view.job(name).figures.threads
