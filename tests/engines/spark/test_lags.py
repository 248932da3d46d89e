"""Latency in real-time mode: how old rows were when a task took them up."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import Producer
from datasketches import kll_doubles_sketch

from penstock.core.asked.real_time import RealTime
from penstock.core.seen.figures import LatencyFigures
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.watch.latency import real_time_latency
from penstock.engines.spark.watch.progress import Batch
from tests.engines.spark.helpers import of
from tests.engines.spark.kafka_jobs import counting
from tests.patience import eventually, patience_s
from tests.real_spark import OpenEngine

LATE_S = 100.0


def batch(batch_id: int, committed_s: float, *lags_ms: float) -> Batch:
    """A real-time batch of 10 s, and how old its rows were."""
    sketch = kll_doubles_sketch()
    for lag_ms in lags_ms:
        sketch.update(lag_ms)
    told = (sketch.serialize(),) if lags_ms else ()
    return Batch("run", batch_id, committed_s - 10.0, committed_s, rows=len(lags_ms), lags=told)


def test_rows_of_all_batches_in_the_window_count() -> None:
    found = real_time_latency([batch(0, 10.0, 9e6), batch(1, 20.0, 20.0), batch(2, 30.0, 40.0, 60.0)], 15.0, 35.0)
    assert found is not None
    assert found.mean_s == pytest.approx(0.040)  # (20 + 40 + 60) / 3 ms
    assert found.estimated


def test_a_long_batch_is_told_of_until_two_more_would_have_ended() -> None:
    batches = [batch(0, 10.0, 20.0), batch(1, 20.0)]
    assert real_time_latency(batches, 25.0, 30.0) is not None
    assert real_time_latency(batches, 25.0, 30.1) is None


def test_a_runs_first_batch_has_what_waited_for_its_start_and_counts_only_until_there_is_another() -> None:
    before = [batch(0, 10.0, 20.0), batch(1, 20.0, 30.0)]
    started = [replace(batch(2, 40.0, 9000.0), run_id="second"), replace(batch(3, 50.0, 40.0), run_id="second")]
    assert [mean_s(real_time_latency(found, 35.0, 55.0)) for found in (started[:1], started, [*before, *started])] == [
        pytest.approx(9.0),
        pytest.approx(0.040),
        pytest.approx(0.040),
    ]


def mean_s(latency: LatencyFigures | None) -> float | None:
    return None if latency is None else latency.mean_s


def test_rows_dated_after_the_clock_waited_no_time() -> None:
    found = real_time_latency([batch(0, 10.0, -5.0)], 0.0, 10.0)
    assert found is not None
    assert found.mean_s == 0.0


@pytest.mark.usefixtures("short_batches")
def test_a_real_time_jobs_latency_is_that_since_its_rows_were_produced(
    engine: OpenEngine, kafka: str, topic: str, name: str, tmp_path: Path
) -> None:
    producer = Producer({"bootstrap.servers": kafka, "log_level": 0})
    job = counting(kafka, topic, f"{topic}_out", str(tmp_path / "checkpoint"))
    running = engine(Job(name, job, real_time=RealTime(1.0, tasks=1)))

    def latency() -> LatencyFigures | None:
        """Of late rows, more at each look: whatever batch is told of has some."""
        producer.produce(topic, b"row", b"key", timestamp=round((time.time() - LATE_S) * 1000))
        assert producer.flush(patience_s()) == 0
        return latency_of(running, name)

    assert eventually(latency).mean_s >= LATE_S


def latency_of(engine: SparkEngine, job: str) -> LatencyFigures | None:
    engine.tend()
    return of(engine.observe(time.monotonic()), job).latency
