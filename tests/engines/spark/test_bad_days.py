"""Bad days: what goes wrong is said in a sentence, and the other tenants go on."""

from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.core.figures import ALL_OPERATORS
from penstock.core.levers import Dial
from penstock.engines.spark.claims import FILE
from penstock.engines.spark.elastic import Elastic
from penstock.engines.spark.elastic import Lever as ElasticLever
from penstock.engines.spark.engine import SparkEngine, SparkSettings
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.jvm.features import check_session
from penstock.engines.spark.jvm.lock import KEY
from penstock.engines.spark.jvm.pools import FairPools
from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.restarts import RestartPolicy
from penstock.engines.spark.shares import SlotLimits
from penstock.engines.spark.watch.stages import StageReading
from penstock.engines.spark.watch.track import Track
from penstock.errors import EngineError, LeaseLostError, OutageError
from penstock.governing.application import check_master
from tests.engines.spark.helpers import counting, give, observed, of, quick, rates
from tests.engines.spark.other_driver import another_driver
from tests.patience import eventually, patience_s
from tests.real_spark import OpenEngine

AT_ONCE = RestartPolicy(max_restarts=2, backoff_s=0.1)


def raises(spark: SparkSession) -> DataStreamWriter:
    raise ValueError("no such topic: payments")


def dies(spark: SparkSession) -> DataStreamWriter:
    rows = rates(spark, 50).select(functions.raise_error(functions.lit("bad row 7")))
    return rows.writeStream.format("noop").trigger(processingTime="100 milliseconds")


def test_a_job_that_raises_at_start_is_tried_again_then_given_up_and_the_other_runs(
    engine: OpenEngine, name: str
) -> None:
    other = f"{name}_other"
    running = engine(Job(name, raises, restart=AT_ONCE), Job(other, quick))
    figures = observed(running, name, lambda job: "given up" in (job.trouble or ""))
    assert figures.trouble == "given up after 3 failures; the last: no such topic: payments"
    assert figures.latency is None
    assert figures.juice is None
    assert observed(running, other, lambda job: job.processed_rps).trouble is None


def test_a_query_that_dies_repeatedly_is_given_up_with_its_own_error(engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, dies, restart=AT_ONCE))
    figures = observed(running, name, lambda job: "given up" in (job.trouble or ""))
    assert "bad row 7" in (figures.trouble or "")


def test_a_query_without_a_single_row_has_no_latency_rather_than_zero(
    engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    def nothing(spark: SparkSession) -> DataStreamWriter:
        rows = spark.readStream.schema("key long").parquet(str(tmp_path))
        return rows.writeStream.format("noop").trigger(processingTime="100 milliseconds")

    running = engine(Job(name, nothing))
    figures = observed(running, name, lambda job: (job.up_s or 0.0) > 3.0)
    assert (figures.latency, figures.juice, figures.arrival_rps) == (None, None, None)


def test_a_checkpoint_that_cannot_be_written_is_that_tenants_trouble(
    engine: OpenEngine, name: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")

    def blocked(spark: SparkSession) -> DataStreamWriter:
        return quick(spark).option("checkpointLocation", str(tmp_path / "file" / "checkpoint"))

    running = engine(Job(name, blocked, restart=RestartPolicy(max_restarts=0)))
    figures = observed(running, name, lambda job: job.trouble)
    assert str(tmp_path / "file") in (figures.trouble or "")


def test_a_function_that_hangs_holds_up_neither_rounds_nor_the_other_job(spark: SparkSession, name: str) -> None:
    over, now_s = Event(), [100.0]
    hanging = f"{name}_z"  # the last in line

    def hangs(session: SparkSession) -> DataStreamWriter:
        assert over.wait(patience_s())
        return quick(session)

    jobs = [Job(name, quick), Job(hanging, hangs)]
    engine = SparkEngine(spark, jobs, SparkSettings(window_s=20.0), even=lambda: now_s[0])
    engine.open()
    try:
        engine.begin_jobs()
        assert observed(engine, name, lambda job: job.processed_rps).trouble is None
        now_s[0] += 60.0
        said = observed(engine, hanging, lambda job: job.trouble).trouble
        assert said == "its start has taken 60 s so far: its function has not returned"
        over.set()
        assert observed(engine, hanging, lambda job: job.processed_rps).trouble is None
    finally:
        over.set()
        engine.close(stop_queries=True)


def leaves(spark: SparkSession) -> DataStreamWriter:
    raise SystemExit(0)


def test_a_function_that_calls_exit_is_that_tenants_trouble(engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, leaves, restart=RestartPolicy(max_restarts=0)))
    assert "its function ended the interpreter: SystemExit(0)" in (of(running.observe(1.0), name).trouble or "")


def test_a_second_drivers_checkpoint_is_refused_before_it_is_written(
    engine: OpenEngine, name: str, checkpoint: str
) -> None:
    with another_driver(Path(checkpoint)):
        running = engine(Job(name, counting(checkpoint), restart=RestartPolicy(max_restarts=0)))
        assert "another driver runs on its checkpoint" in (of(running.observe(1.0), name).trouble or "")
        assert [file.name for file in Path(checkpoint).iterdir()] == [FILE]


class Away:
    """What cannot be asked now; of a lever, for one job only."""

    kind = name = "away"

    def __init__(self, job: str = "") -> None:
        self._job = job

    def read(self) -> list[StageReading]:
        raise Py4JError("o32")

    def of_all(self, wall_s: float) -> Dial | None:
        raise Py4JError("o32")

    def of_job(self, track: Track, wall_s: float) -> Dial | None:
        if track.job.name == self._job:
            raise Py4JError("o32")
        return None


def test_what_cannot_be_read_is_left_out_and_a_job_of_which_nothing_can_be_told_is_the_only_one(
    engine: OpenEngine, name: str
) -> None:
    other = f"{name}_other"
    running = engine(Job(name, quick), Job(other, quick))
    running._stages = cast(StageReader, Away())
    running._levers["away"] = cast(Lever[Any], Away(name))  # type: ignore[index]
    assert observed(running, other, lambda job: job.processed_rps).trouble is None
    seen = running.observe(1.0)
    assert of(seen, name).trouble == "nothing can be told of it this round: Py4JError: o32"
    assert {deed.text for deed in seen.deeds} == {"stages could not be read", "lever away could not be read"}


def test_executors_that_cannot_be_looked_after_keep_no_job_from_its_next_start(engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, raises, restart=AT_ONCE))
    running._elastic = Elastic(cast(ElasticLever, Away()), most=4)
    said = set[str]()

    def given_up() -> bool:
        try:
            running.tend()
        except EngineError as error:
            said.add(str(error))
        return "given up" in (of(running.observe(1.0), name).trouble or "")

    eventually(given_up)
    assert said == {"executors: AttributeError: 'Away' object has no attribute 'count'"}


def test_a_query_is_not_started_once_another_controller_has_the_application(spark: SparkSession, name: str) -> None:
    properties = spark.sparkContext._jvm.java.lang.System.getProperties()  # type: ignore[union-attr]
    key = f"{KEY}.{spark.sparkContext.applicationId}"

    def late(session: SparkSession) -> DataStreamWriter:
        properties.put(key, "another@9999999999.0")
        return quick(session)

    engine = SparkEngine(spark, [Job(name, late)])
    engine.open()
    try:
        engine.start_jobs()
        assert [query.name for query in spark.streams.active if query.name == name] == []
        with pytest.raises(LeaseLostError):
            engine.tend()
    finally:
        properties.remove(key)
        engine.close()


def test_limits_are_kept_whatever_a_policy_asks(spark: SparkSession, engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, quick, SlotLimits(2, 3), slots=2))
    before = FairPools(spark.sparkContext).share(name)
    assert give(running, name, 4).failed[0].error == f"{name}: 4 slots are more than its max_slots, 3"
    assert give(running, name, 1).failed[0].error == f"{name}: 1 slots are fewer than its min_slots, 2"
    assert FairPools(spark.sparkContext).share(name) == before
    assert of(running.observe(1.0), name).operator(ALL_OPERATORS).threads == 2


def test_a_second_controller_refuses(spark: SparkSession, engine: OpenEngine, name: str) -> None:
    engine(Job(name, quick))
    with pytest.raises(EngineError, match="another controller governs this application"):
        SparkEngine(spark, [Job(name)]).open()


def test_a_query_that_ran_before_is_seen_and_its_share_is_said_to_move_later(
    spark: SparkSession, engine: OpenEngine, name: str
) -> None:
    quick(spark).queryName(name).start()
    running = engine(Job(name))
    figures = observed(running, name, lambda job: job.stages and job.juice is not None)
    assert "after its next start" in (figures.trouble or "")
    assert "after its next start" in (give(running, name, 3).failed[0].error or "")


def test_a_master_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(OutageError, match="nobody listens at"):
        check_master("spark://127.0.0.1:9")


def test_a_session_that_is_none_is_refused() -> None:
    with pytest.raises(EngineError, match="a SparkSession is needed"):
        check_session("spark")
