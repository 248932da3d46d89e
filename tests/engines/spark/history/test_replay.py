"""A log is read into the figures that a live engine would have had."""

import os
import re
from collections import deque
from itertools import count
from pathlib import Path

import pytest
import zstandard

from penstock.engines.spark.history.events import logged
from penstock.engines.spark.history.files import lines_of, log_at
from penstock.engines.spark.history.replay import queries_in, replayed
from penstock.engines.spark.jobs.job import Job
from penstock.errors import ConfigError
from tests.event_log import Query, log_of

FRAUD = Query("fraud", rows_per_s=100.0, every_s=1.0, took_s=0.5, busy_s=0.8)
AUDIT = Query("audit", rows_per_s=10.0, every_s=10.0, took_s=4.0, busy_s=12.0)


def test_figures_of_a_log_are_those_of_its_batches_and_stages() -> None:
    history = replayed(list(logged(log_of([FRAUD, AUDIT], 60.0))), [Job("fraud"), Job("audit")])
    fraud, audit = (next(job for job in history.snapshots[-1].jobs if job.name == name) for name in ("fraud", "audit"))
    assert (history.application.name, history.application.spark, history.slots) == ("shop", "4.0.1", 4)
    assert fraud.arrival_rps == pytest.approx(100.0, rel=0.05)
    assert audit.arrival_rps == pytest.approx(10.0, rel=0.05)
    assert fraud.latency is not None
    assert fraud.latency.mean_s == pytest.approx(1.0, abs=0.1)  # half a second until its batch begins, and that
    assert fraud.batches[-1].busy_s == pytest.approx(0.8)
    assert [stage.name for stage in fraud.stages] == ["HashAggregate"]
    assert fraud.trouble is None


def test_without_pools_of_their_own_queries_share_one_queue_whatever_the_mode() -> None:
    fair = {"spark.scheduler.mode": "FAIR"}
    jobs = [Job("fraud"), Job("audit")]
    assert replayed(list(logged(log_of([FRAUD, AUDIT], 20.0, fair))), jobs).scheduling == "fifo"
    own = [Query("fraud", 1, 1, 0.5, 0.1, pool="fraud"), Query("audit", 1, 1, 0.5, 0.1, pool="audit")]
    assert replayed(list(logged(log_of(own, 20.0, fair))), jobs).scheduling == "fair"


def test_a_batch_that_is_told_of_again_counts_once() -> None:
    lines = log_of([FRAUD], 60.0)
    twice = [line for line in lines for _ in range(2 if b"QueryProgressEvent" in line else 1)]
    once, again = (replayed(list(logged(given)), [Job("fraud")]).snapshots[-1].jobs for given in (lines, twice))
    assert once == again


def test_slots_go_by_the_cores_of_a_task() -> None:
    history = replayed(list(logged(log_of([FRAUD], 20.0, {"spark.task.cpus": "2"}, cores=8))), [Job("fraud")])
    assert history.slots == 4


@pytest.mark.parametrize("form", ["one file", "rolled", "packed", "packed and unfinished", "compacted"])
def test_a_log_is_read_in_whatever_form_spark_writes_it(tmp_path: Path, form: str) -> None:
    lines = log_of([FRAUD], 30.0)
    packed = zstandard.ZstdCompressor().compress(b"".join(lines))
    rolled = tmp_path / "eventlog_v2_app-1"
    rolled.mkdir()
    if form == "one file":
        rolled.rmdir()
        (tmp_path / "app-1").write_bytes(b"".join(lines))
    elif form == "rolled":  # the tenth comes after the second, and checksums are nobody's log
        for number, part in ((1, lines[:20]), (2, lines[20:40]), (10, lines[40:])):
            (rolled / f"events_{number}_app-1").write_bytes(b"".join(part))
        (rolled / ".events_1_app-1.crc").write_bytes(b"crc\0")
        (rolled / "appstatus_app-1.inprogress").touch()
    elif form == "packed":
        (rolled / "events_1_app-1.zstd").write_bytes(packed)
    elif form == "compacted":  # by the history server: it stands for all parts up to its own
        (rolled / "events_2_app-1.zstd.compact").write_bytes(packed)
    else:
        (rolled / "events_1_app-1.zstd").write_bytes(packed[: len(packed) // 2])
    found = list(lines_of(log_at(tmp_path)))
    assert found == lines[: len(found)]
    assert (found == lines) == (form != "packed and unfinished")
    assert queries_in(logged(lines)) == ("fraud",)


def test_of_a_folder_the_newest_log_is_taken(tmp_path: Path) -> None:
    for name, at_s in (("app-1", 2_000.0), ("app-2", 1_000.0)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (at_s, at_s))
    assert log_at(tmp_path).name == "app-1"


def test_what_is_no_file_in_a_folder_of_logs_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "app-1").touch()
    assert log_at(tmp_path).name == "app-1"


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_lines_are_whole_however_small_the_blocks_are(size: int, tmp_path: Path) -> None:
    text = b"first\n\nthird is longer than a block\nhas no end yet"
    with (tmp_path / "app-1.lz4").open("wb") as packed:
        for at in range(0, len(text), size):
            block = text[at : at + size]
            lengths = len(block).to_bytes(4, "little") * 2
            packed.write(b"LZ4Block\x10" + lengths + b"\0" * 4 + block)
    assert list(lines_of(tmp_path / "app-1.lz4")) == [b"first\n", b"\n", b"third is longer than a block\n"]


def zstd_of_nothing(mebibytes: int) -> bytes:
    """A valid frame of so many lines of a mebibyte."""
    packer = zstandard.ZstdCompressor().compressobj()
    line = b" " * ((1 << 20) - 1) + b"\n"
    return b"".join([*(packer.compress(line) for _ in range(mebibytes)), packer.flush()])


@pytest.mark.parametrize("frames", [1, 40])
def test_a_packed_log_that_holds_far_more_than_spark_packs_is_left_before_it_is_unpacked(
    frames: int, tmp_path: Path
) -> None:
    (tmp_path / "app-1.zstd").write_bytes(zstd_of_nothing(400 // frames) * frames)
    read = count()
    with pytest.raises(ConfigError, match="Spark packs no log by 250 times"):
        deque(zip(lines_of(tmp_path / "app-1.zstd"), read, strict=False), maxlen=0)
    assert 64 <= next(read) < 100  # MiB, of 400


def test_what_packs_well_because_it_repeats_itself_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "app-1.zstd").write_bytes(zstd_of_nothing(60))
    assert sum(1 for _ in lines_of(tmp_path / "app-1.zstd")) == 60


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("none", "give an event log"),
        ("app.lzf", "spark.eventLog.compression.codec=zstd"),
        ("empty", "no event log in it"),
        ("/dev/null", "(Not a directory)"),
        ("n" * 5000, "(File name too long)"),
        ("one.lz4", "a block of 4,294,967,295 bytes"),
        ("packed.lz4", "a block of 4,294,967,295 bytes"),
    ],
)
def test_what_cannot_be_read_is_said_with_the_remedy(tmp_path: Path, name: str, remedy: str) -> None:
    (tmp_path / "app.lzf").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "one.lz4").write_bytes(b"LZ4Block\x20" + b"\0" * 4 + b"\xff" * 4 + b"\0" * 4)
    (tmp_path / "packed.lz4").write_bytes(b"LZ4Block\x20" + b"\xff" * 4 + b"\0" * 8)
    with pytest.raises(ConfigError, match="--history") as error:
        list(lines_of(log_at(tmp_path / name)))
    assert remedy in str(error.value)


@pytest.mark.parametrize(
    "spoilt",
    [b'{"Event":"SparkListenerJobStart","Job ID"', b'{"Event":"SparkListenerExecutorAdded","Timestamp":1}'],
    ids=["cut", "lacking"],
)
def test_a_line_that_is_no_event_is_said_with_its_number(spoilt: bytes) -> None:
    lines = list(log_of([FRAUD], 20.0))
    with pytest.raises(ConfigError, match="--history") as error:
        list(logged([*lines[:3], spoilt, *lines[3:]]))
    assert "line 4 is no event as Spark writes it" in str(error.value)


def test_a_damaged_time_asks_for_no_snapshots_without_end() -> None:
    *lines, last = log_of([FRAUD], 20.0)
    spoilt = last.replace(b'"timestamp": "2', b'"timestamp": "9')
    assert spoilt != last
    with pytest.raises(ConfigError, match="31 days or less"):
        replayed(list(logged([*lines, spoilt])), [Job("fraud")])


def spoilt(event: str, field: str, value: float) -> list[bytes]:
    """A log in which one field of these events has another value."""
    lines = log_of([FRAUD], 20.0)
    return [
        re.sub(rf'("{field}": )[0-9.]+', rf"\g<1>{value}", line.decode()).encode() if event in line.decode() else line
        for line in lines
    ]


@pytest.mark.parametrize(
    ("event", "field", "value"),
    [
        ("ExecutorAdded", "Timestamp", 1e308),  # after it there is no time any more: snapshots without end
        ("ApplicationStart", "Timestamp", 1e19),
        ("ExecutorAdded", "Total Cores", 1_000_000_000),
        ("QueryProgress", "numInputRows", 1e308),
    ],
)
def test_numbers_that_there_cannot_be_are_refused_by_their_line(event: str, field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=r"line [0-9]+ is no event as Spark writes it"):
        list(logged(spoilt(event, field, value)))
