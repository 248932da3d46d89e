"""Bad days: what goes wrong is said in a sentence, and the other tenants go on."""

from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.asked.restart_policy import RestartPolicy
from penstock.engines.spark.fake import FakeSpark, FakeWriter, fake_job
from penstock.engines.spark.jobs.checkpoint_lock import LOCK_FILE
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import BatchInterval, Query
from penstock.engines.spark.jvm.features import check_session
from penstock.engines.spark.launch.application import check_master
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.watch.files import WaitingFiles
from penstock.errors import EngineError, OutageError
from tests.engines.spark.helpers import counting, observed, of, quick
from tests.engines.spark.other_driver import another_driver
from tests.engines.spark.rigs import FakeRig, Opened, fake_rig
from tests.patience import eventually, patience_s
from tests.real_spark import OpenEngine


def test_a_query_without_a_single_row_has_no_latency_rather_than_zero(
    engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    def nothing(spark: SparkSession) -> DataStreamWriter:
        rows = spark.readStream.schema("key long").parquet(str(tmp_path))
        return rows.writeStream.format("noop").trigger(processingTime="100 milliseconds")

    running = engine(Job(name, nothing))
    figures = observed(running, name, lambda job: job.arrival_rps is not None)  # Spark says that it is idle
    assert (figures.latency, figures.juice, figures.arrival_rps) == (None, None, 0.0)


def test_a_checkpoint_that_cannot_be_written_is_that_tenants_trouble(
    engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")

    def blocked(spark: SparkSession) -> DataStreamWriter:
        return quick(spark).option("checkpointLocation", str(tmp_path / "file" / "checkpoint"))

    running = engine(Job(name, blocked, restart=RestartPolicy(max_restarts=0)))
    figures = observed(running, name, lambda job: job.trouble)
    assert str(tmp_path / "file") in (figures.trouble or "")


def test_a_second_drivers_checkpoint_is_refused_before_it_is_written(
    engine: OpenEngine, name: str, checkpoint: str
) -> None:
    with another_driver(Path(checkpoint)):
        running = engine(Job(name, counting(checkpoint), restart=RestartPolicy(max_restarts=0)))
        assert "another driver runs on its checkpoint" in (of(running.observe(1.0), name).trouble or "")
        assert [file.name for file in Path(checkpoint).iterdir()] == [LOCK_FILE]


def test_a_function_that_hangs_holds_up_neither_rounds_nor_the_other_job(fake: Opened) -> None:
    over = Event()

    def hangs(session: FakeSpark) -> FakeWriter:
        assert over.wait(patience_s())
        return session.writer()

    # The last in line takes the turn of nobody.
    running = fake.begun(Job("ads", fake.rig.quick), fake_job("fraud", hangs))
    try:
        assert fake.observed(running, "ads", lambda job: job.processed_rps).trouble is None
        said = fake.observed(running, "fraud", lambda job: job.trouble).trouble or ""
        assert said.startswith("its start has taken 1")  # more than ten seconds
        assert said.endswith(" s so far: its function has not returned")
        assert isinstance(fake.rig, FakeRig)
        fake.rig.fake.awaited["fraud"] = "its checkpoint is that of another driver"
        said = fake.observed(running, "fraud", lambda job: job.trouble).trouble or ""
        assert said.endswith(" s so far: its checkpoint is that of another driver")
    finally:
        over.set()
    assert fake.observed(running, "fraud", lambda job: job.processed_rps).trouble is None


class Away(FakeSpark):
    """An application of which some things cannot be asked now."""

    def waiting_files(self, query: Query) -> WaitingFiles | None:
        raise Py4JError("o32")

    def arrivals(self, queries: Mapping[str, Query]) -> Mapping[str, float]:
        raise Py4JError("o33")

    def interval(self, query: Query) -> BatchInterval | None:
        if query.name == "ads":
            raise Py4JError("o34")
        return super().interval(query)


def test_what_cannot_be_read_is_left_out_and_a_job_of_which_nothing_can_be_told_is_the_only_one() -> None:
    with fake_rig(Away()) as fake:
        running = fake.engine(Job("ads", fake.rig.quick), Job("fraud", fake.rig.quick))
        assert fake.observed(running, "fraud", lambda job: job.processed_rps).trouble is None
        seen = running.observe(1.0)
    assert of(seen, "ads").trouble == "it cannot be read in this round: Py4JError: o34"
    assert {deed.text for deed in seen.deeds} == {"waiting files could not be read", "arrivals could not be read"}


def test_executors_that_cannot_be_looked_after_keep_no_job_from_its_next_start() -> None:
    spark = FakeSpark(executors=4)
    with fake_rig(spark) as fake:
        running = fake.engine(Job("ads", fake.rig.quick), settings=SparkSettings(20.0, executors=4))
        spark.executors.there_is_no_master = True
        spark.fail("ads", "bad row 7")
        with pytest.raises(EngineError, match=r"^executors: no master answers$"):
            running.tend()
        spark.pass_time(2.0)

        def started() -> bool:
            with pytest.raises(EngineError, match=r"^executors: no master answers$"):
                running.tend()
            return [query.name for query in spark.queries()] == ["ads"]

        eventually(started)


def test_a_master_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(OutageError, match="nobody listens at"):
        check_master("spark://127.0.0.1:9")


def test_a_session_that_is_none_is_refused() -> None:
    with pytest.raises(EngineError, match="governing needs a SparkSession"):
        check_session("spark")
