"""Spark's progress document becomes a batch."""

import json
from typing import Any

import pytest

from penstock.engines.spark.watch.progress import Batch, SourceRows, parse_batch


def parsed(**source: Any) -> Batch:
    document = {
        "name": "orders",
        "runId": "r",
        "batchId": 3,
        "timestamp": "1970-01-01T00:01:40.000Z",
        "numInputRows": source["numInputRows"],
        "durationMs": {"addBatch": 300, "triggerExecution": 500},
        "stateOperators": [{"memoryUsedBytes": 10}, {"memoryUsedBytes": 5}],
        "sources": [source],
    }
    name, batch = parse_batch(json.dumps(document))
    assert name == "orders"
    return batch


def test_a_batch_has_its_times_phases_and_state() -> None:
    batch = parsed(numInputRows=100, startOffset=1, endOffset=2, latestOffset=2)
    assert (batch.started_s, batch.committed_s, batch.state_bytes) == (100.0, 100.5, 15)
    assert batch.phases_s == {"addBatch": 0.3, "triggerExecution": 0.5}


def test_rows_held_back_by_a_broker_are_the_distance_to_its_end() -> None:
    offsets = {
        "startOffset": {"orders": {"0": 0, "1": 0}},
        "endOffset": {"orders": {"0": 50, "1": 50}},
        "latestOffset": {"orders": {"0": 250, "1": 90}},
    }
    assert parsed(numInputRows=100, **offsets).held_back_rows == 200 + 40


def test_offsets_that_are_not_rows_are_turned_into_rows_by_what_a_step_held() -> None:
    # Two steps of the source's offset held 100 rows; it is four steps ahead.
    assert parsed(numInputRows=100, startOffset=0, endOffset=2, latestOffset=6).held_back_rows == 200


def test_a_broker_of_which_a_batch_took_nothing_still_tells_what_it_holds_back() -> None:
    offsets = {"startOffset": {"orders": {"0": 50}}, "endOffset": {"orders": {"0": 50}}}
    found = parsed(
        numInputRows=0, description="KafkaV2[Subscribe[orders]]", latestOffset={"orders": {"0": 80}}, **offsets
    )
    assert found.sources == (SourceRows(0.0, 30.0),)


@pytest.mark.parametrize("latest", [float("inf"), float("nan"), 1e308, -float("inf")])
def test_a_source_whose_offsets_come_to_no_number_has_no_figure(latest: float) -> None:
    offsets = {"startOffset": {"at": 0}, "endOffset": {"at": 50}, "latestOffset": {"at": latest}}
    assert parsed(numInputRows=100, **offsets).held_back_rows in (None, 0.0)
    assert parsed(numInputRows=100, description="KafkaV2[x]", endOffset={"at": latest}).offset_end in (None, 0.0)


def test_a_source_that_does_not_say_has_no_figure_rather_than_zero() -> None:
    assert parsed(numInputRows=100, startOffset=None, endOffset={"logOffset": 1}).held_back_rows is None


def test_rows_dated_before_now_are_held_back_by_the_micro_batch_rate_source() -> None:
    # 50 rows for each second of its clock, which stands at 98 s when the trigger comes at 100 s.
    offsets = {"startOffset": {"offset": 50, "timestamp": 97_000}, "endOffset": {"offset": 100, "timestamp": 98_000}}
    assert parsed(numInputRows=50, **offsets).held_back_rows == pytest.approx(100.0)
