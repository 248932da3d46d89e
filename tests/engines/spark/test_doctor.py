"""What `penstock doctor` says of a session's configuration, and what each Spark is found to lack."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from datasketches import kll_doubles_sketch
from pyspark.sql import SparkSession, functions

from penstock.engines.spark.jvm import features as of_spark
from penstock.engines.spark.jvm import quantiles
from penstock.engines.spark.jvm.batch_bound import BatchBounds
from penstock.engines.spark.jvm.checkpoint_writer import CHANGELOG, PLAIN_WRITER, WRITER_CONF
from penstock.engines.spark.jvm.class_homes import home_of, homes_of, there
from penstock.engines.spark.jvm.doctor import Diagnosis, doctor, library, settings_of
from penstock.engines.spark.jvm.features import Feature
from penstock.engines.spark.watch.sketches import POINTS, sketch_of

ROCKS = {"spark.sql.streaming.stateStore.providerClass": "org.apache.x.RocksDBStateStoreProvider"}
GOOD = {
    **ROCKS,
    CHANGELOG: "true",
    WRITER_CONF: f"org.apache.x.{PLAIN_WRITER}",
    "spark.locality.wait": "0s",
    "spark.decommission.enabled": "true",
}
FEATURE = Feature("shares", "slots", here=True, since="3.5", needed=True)


def diagnosis(mode: str = "FAIR", conf: dict[str, str | None] | None = None, master: str = "local[4]") -> Diagnosis:
    settings = settings_of(master, mode, dict(GOOD) if conf is None else conf)
    return Diagnosis("4.3.0", "2.13.18", "17", master, (FEATURE,), settings)


def test_nothing_is_to_be_changed_in_a_session_as_penstock_makes_it() -> None:
    assert diagnosis().governable
    assert diagnosis().to_change == ()


def test_fifo_stops_governing_and_is_told_first() -> None:
    found = diagnosis(mode="FIFO", conf={})
    assert not found.governable
    assert found.to_change[0].startswith("shares have no effect under FIFO: add .config(")
    assert len(found.to_change) == 4


def test_what_only_helps_does_not_stop_governing() -> None:
    for found in (diagnosis(conf={}), diagnosis(master="local[1]"), diagnosis(master="yarn", conf={
        **GOOD, "spark.dynamicAllocation.enabled": "true",
    })):  # fmt: skip
        assert found.governable
        assert found.to_change


@pytest.mark.parametrize(("name", "said"), [(CHANGELOG, "writes a snapshot"), (WRITER_CONF, "tens of processes")])
def test_what_makes_batches_dear_is_told(name: str, said: str) -> None:
    (change,) = diagnosis(conf={**GOOD, name: None}).to_change
    assert said in change
    assert name in change


def test_checkpoints_of_a_cluster_are_taken_to_be_elsewhere() -> None:
    assert diagnosis(conf={**GOOD, WRITER_CONF: None}, master="yarn").to_change == ()


@pytest.mark.parametrize(("given", "changes"), [(None, 1), ("20", 1), ("1000", 0)])
def test_on_kubernetes_executors_may_fail_often_for_a_quota_may_refuse_their_pods(
    given: str | None, changes: int
) -> None:
    found = diagnosis(conf={**GOOD, "spark.executor.maxNumFailures": given}, master="k8s://https://api:6443")
    assert len(found.to_change) == changes
    assert all(change.endswith("spark.executor.maxNumFailures=1000") for change in found.to_change)


@pytest.mark.parametrize(("master", "changes"), [("local[4]", 0), ("yarn", 1), ("spark://one:7077", 1)])
def test_on_a_cluster_executors_are_to_send_away_what_they_hold_before_they_leave(master: str, changes: int) -> None:
    found = diagnosis(conf={**GOOD, "spark.decommission.enabled": None}, master=master)
    assert len(found.to_change) == changes
    assert all("spark.decommission.enabled=true spark.storage.decommission.enabled=true" in c for c in found.to_change)


def test_a_needed_feature_that_is_missing_stops_it_and_another_does_not() -> None:
    assert not replace(diagnosis(), features=(replace(FEATURE, here=False),)).governable
    assert replace(diagnosis(), features=(replace(FEATURE, here=False, needed=False),)).governable


def test_points_of_the_curve_stand_in_for_a_sketch() -> None:
    values = np.random.default_rng(5).lognormal(size=20_000)
    points = np.quantile(values, (np.arange(POINTS) + 0.5) / POINTS)
    sketch = kll_doubles_sketch.deserialize(sketch_of(points.tolist()))
    assert sketch.n == POINTS
    for share in (0.5, 0.95, 0.99):
        lower, upper = np.quantile(values, [share - 0.005, share + 0.005])
        assert lower <= sketch.get_quantile(share) <= upper


def test_a_library_that_wants_another_numpy_is_told_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "arrow_of_numpy_2.py").write_text("raise ImportError('it requires NumPy 2.0 or newer, found 1.26.4')")
    monkeypatch.syspath_prepend(tmp_path)
    found = library("arrow_of_numpy_2")
    assert found.value == "broken"
    assert found.change is not None
    assert "found 1.26.4); Spark 3.5 needs NumPy 1; for that: pip install 'pyarrow<26'" in found.change


@pytest.mark.jvm
@pytest.mark.contract
def test_this_spark_lacks_what_came_after_it_and_nothing_else(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    found = doctor(spark).features
    lacking = {feature.name for feature in found if not feature.here}
    assert lacking == {feature.name for feature in found if _release(feature.since) > _release(spark.version)}
    of_spark.tell_missing(spark)
    assert len(caplog.messages) == bool(lacking)


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


@pytest.mark.jvm
def test_what_is_missing_is_said_once_in_a_line(
    spark: SparkSession, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_spark, "has_sketches", lambda: False)
    of_spark.tell_missing(spark)
    assert len(caplog.messages) == 1
    assert "lacks quantile sketches (Spark 4.1): percentiles come from 200 points" in caplog.messages[0]


@pytest.mark.jvm
def test_a_class_is_found_under_the_name_that_this_spark_has(spark: SparkSession) -> None:
    jvm = spark.sparkContext._jvm
    assert home_of(jvm, "MicroBatchExecution") in homes_of("MicroBatchExecution")
    assert there(jvm, home_of(jvm, "CheckpointFileManager"))
    assert home_of(jvm, "NoSuchClass") == homes_of("NoSuchClass")[0]


@pytest.mark.jvm
# PySpark before 4.2 leaves the socket of collect() to whoever sweeps up.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_points_are_what_spark_observes_where_it_has_no_sketch(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quantiles, "has_sketches", lambda: False)
    column = spark.range(10_001).select(functions.col("id").cast("double").alias("value"))
    (told,) = column.select(quantiles.spread_of("value")).collect()[0]
    sketch = kll_doubles_sketch.deserialize(sketch_of(told))
    assert sketch.get_quantile(0.95) == pytest.approx(9_500, abs=60)


@pytest.mark.jvm
def test_batches_can_be_bounded_while_a_query_runs(spark: SparkSession) -> None:
    assert BatchBounds(spark).unsupported is None
