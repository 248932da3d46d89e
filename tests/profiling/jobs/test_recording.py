"""Recordings: kept as they were, and replayed at any rate."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.spark.jvm.diverted import Source
from penstock.errors import ConfigError
from penstock.profiling.jobs.recording import RecordedRow, Recording, record
from penstock.profiling.jobs.replay import FileSink, Sampler

ROWS = tuple(RecordedRow(str(number).encode()) for number in range(1000))


def written(place: Path, name: str, lines: int, at_s: float) -> None:
    path = place / name
    path.write_text("".join(f"{name} {number}\n" for number in range(lines)))
    os.utime(path, (at_s, at_s))


def test_a_recording_that_was_saved_is_loaded_as_it_was(tmp_path: Path) -> None:
    rows = (RecordedRow(b"a", b"key", 3), RecordedRow(b"", None, 0), RecordedRow("naïve".encode(), b"", 1))
    Recording(rows, 12.5, 4).save(tmp_path / "kept")
    assert Recording.load(tmp_path / "kept") == Recording(rows, 12.5, 4)


def test_one_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    Recording(ROWS, 10.0).save(tmp_path / "kept")
    (tmp_path / "kept").write_bytes((tmp_path / "kept").read_bytes()[:-20])
    with pytest.raises(ConfigError, match="start afresh"):
        Recording.load(tmp_path / "kept")


@given(st.floats(10.0, 1000.0), st.integers(0, 99))
def test_whatever_the_rate_the_recording_passes_at_its_own_pace_and_in_its_order(rate: float, seed: int) -> None:
    sampler = Sampler(Recording(ROWS, 10.0), seed)  # 100 rows a second
    seconds = 5.0
    taken = [int(row.value) for row in sampler.take(int(rate * seconds), rate)]
    assert taken == sorted(taken)
    # 500 of the 1000 recorded rows pass in five seconds; the steps are random, with a spread below that of coins.
    assert taken[-1] == pytest.approx(500, abs=5 * np.sqrt(500) + 100 / rate + 1)


def test_after_its_end_the_recording_begins_again() -> None:
    taken = [int(row.value) for row in Sampler(Recording(ROWS, 10.0), 0).take(1500, 100.0)]
    assert taken == [number % 1000 for number in range(1, 1501)]


def test_the_newest_files_are_recorded_with_how_long_they_took_to_come(tmp_path: Path) -> None:
    for number in range(6):
        written(tmp_path, f"f{number}.txt", 100, at_s=1000.0 + 10 * number)
    written(tmp_path, ".hidden", 100, at_s=2000.0)
    found = record(Source("text", {"pathGlobFilter": "*.txt"}, str(tmp_path)), seconds=25.0)
    assert (len(found.rows), found.seconds, found.rate_rps) == (300, 30.0, 10.0)
    assert found.rows[0].value == b"f3.txt 0"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (Source("rate", {}), "only a Kafka topic, or files of lines"),
        (Source("parquet", {}, "/data"), "only a Kafka topic, or files of lines"),
        (Source("csv", {"header": "true"}, "/data"), "files with a header line"),
        (Source("kafka", {"kafka.bootstrap.servers": "x", "subscribePattern": "a.*"}), "one topic by its name"),
    ],
)
def test_what_cannot_be_recorded_is_refused(source: Source, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        record(source, 10.0)


def test_replayed_lines_become_files_that_are_whole(tmp_path: Path) -> None:
    sink = FileSink(tmp_path, every_s=1000.0)
    sink.write(iter(ROWS[:3]))
    assert list(tmp_path.iterdir()) == []
    sink.close()
    (found,) = tmp_path.iterdir()
    assert found.read_text() == "0\n1\n2\n"
