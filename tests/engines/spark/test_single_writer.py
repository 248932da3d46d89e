"""Two drivers of different runs on one checkpoint that is kept where no file system keeps locks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.engines.spark.jobs.checkpoint_owner import OWNER_FILE, Owner
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jvm.checkpoint_files import CheckpointFiles
from penstock.engines.spark.jvm.owners import Owners, WatchedError
from penstock.engines.spark.jvm.single_writer import OWNERS
from penstock.engines.spark.jvm.starts import start_query
from penstock.errors import EngineError
from tests.engines.spark.helpers import counting, observed
from tests.engines.spark.routing.mounts import mounted
from tests.engines.spark.routing.town import Town, by_region
from tests.patience import eventually
from tests.real_spark import OpenEngine

pytestmark = pytest.mark.jvm


@pytest.fixture
def files(spark: SparkSession, tmp_path: Path) -> Iterator[CheckpointFiles]:
    """Of a checkpoint with a scheme of its own, for which Hadoop has a client."""
    yield CheckpointFiles(spark, mounted(spark, tmp_path, "stub"))
    OWNERS.let_go()


def in_it(files: CheckpointFiles) -> list[str]:
    """Without what Hadoop's client keeps to check files."""
    return [name for name in files.names(".") if not name.startswith(".")]


def test_the_query_of_a_second_run_is_refused_before_it_writes_and_starts_once_the_first_run_ended(
    spark: SparkSession, files: CheckpointFiles, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, job = Owners(), Job(name, counting(files.location))
    other.take(name, files, "r1")
    monkeypatch.setattr(OWNERS, "_pause", lambda for_s: other.beat())
    with pytest.raises(EngineError, match=r"run r1 on .* is alive; end that driver"):
        start_query(spark, job, within_s=None)
    assert in_it(files) == [OWNER_FILE]
    other.let_go()
    query = start_query(spark, job, within_s=None)
    eventually(lambda: files.names("commits"))
    query.stop()


def test_the_book_of_a_second_runs_route_is_not_begun(
    spark: SparkSession, files: CheckpointFiles, name: str, tmp_path: Path
) -> None:
    town = Town(spark, tmp_path, name, checkpoint=files.location)
    Owners().take(name, files, "r1")
    with pytest.raises(WatchedError, match=r"is that of the driver of run r1 on .* watched for a minute"):
        start_query(spark, town.job(by_region))
    assert in_it(files) == [OWNER_FILE]


def test_the_book_of_a_route_that_another_run_took_over_is_left_to_that_one(
    spark: SparkSession, files: CheckpointFiles, name: str, tmp_path: Path
) -> None:
    town = Town(spark, tmp_path, name, checkpoint=files.location)
    town.feed()
    town.run(town.job(by_region))
    files.write(OWNER_FILE, Owner("r2", "d2", "there").text())
    with pytest.raises(WatchedError, match="is that of the driver of run r2 on there"):
        town.route.book(spark)


def test_a_query_whose_checkpoint_another_run_took_over_is_stopped_and_its_tenant_is_told_why(
    engine: OpenEngine, files: CheckpointFiles, name: str
) -> None:
    running = engine(Job(name, counting(files.location), restart=RestartPolicy(max_restarts=0)))
    observed(running, name, lambda job: job.processed_rps)
    taken = Owner("r2", "d2", "there").text()
    files.write(OWNER_FILE, taken)
    OWNERS.beat()
    figures = observed(running, name, lambda job: job.trouble)
    assert "the driver of run r2 on there took over its checkpoint" in (figures.trouble or "")
    OWNERS.beat()
    assert files.read(OWNER_FILE) == taken
