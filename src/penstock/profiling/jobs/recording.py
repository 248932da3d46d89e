"""A recording: a finite stretch of a job's live input, in a file, so that every copy and every round gets the same."""

import gzip
import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from penstock.engines.kafka.offsets import end_offsets
from penstock.engines.kafka.stretch import last_rows
from penstock.engines.spark.jvm.diverted import Source
from penstock.errors import ConfigError

MOST_ROWS = 2_000_000  # held in memory while they are replayed; of a longer stretch the newest
FEWEST_ROWS = 100
LINES = ("text", "json", "csv")
_HEAD = struct.Struct("<iii")  # partition, length of the key (-1: none), length of the value


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """One row: of a topic with its key and partition, of a file a line (partition -1)."""

    value: bytes
    key: bytes | None = None
    partition: int = -1


@dataclass(frozen=True, slots=True)
class Recording:
    """Rows in the order in which they came, and how long they took to come."""

    rows: Sequence[RecordedRow]
    seconds: float
    partitions: int = 0  # of the topic

    @property
    def rate_rps(self) -> float:
        """The mean over the stretch."""
        return len(self.rows) / self.seconds

    def save(self, path: Path) -> None:
        """Whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        with gzip.open(half, "wb", compresslevel=1) as file:
            head = {"seconds": self.seconds, "partitions": self.partitions, "rows": len(self.rows)}
            file.write(json.dumps(head).encode() + b"\n")
            for row in self.rows:
                key = row.key or b""
                file.write(_HEAD.pack(row.partition, -1 if row.key is None else len(key), len(row.value)))
                file.write(key + row.value)
        half.replace(path)

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """As it was saved."""
        try:
            with gzip.open(path, "rb") as file:
                head = json.loads(file.readline())
                data = file.read()
            rows = tuple(_unpacked(data))
            if len(rows) != head["rows"]:
                raise ValueError(f"{len(rows)} of {head['rows']} rows")
            return cls(rows, head["seconds"], head["partitions"])
        except (OSError, EOFError, ValueError, KeyError, struct.error) as error:
            raise ConfigError(
                "recording", str(path), f"it cannot be read ({error}); start afresh with --fresh"
            ) from None


def record(source: Source, seconds: float) -> Recording:
    """The last so many seconds of what the job reads."""
    if source.format == "kafka":
        found = _of_topic(source, seconds)
    elif source.format in LINES and source.path is not None:
        found = _of_files(source, Path(source.path), seconds)
    else:
        remedy = f"only a Kafka topic, or files of lines ({', '.join(LINES)}), can be recorded and replayed"
        raise ConfigError("JOB", source.format, remedy)
    if len(found.rows) < FEWEST_ROWS:
        remedy = f"only {len(found.rows)} rows came in that time; record for longer, or wait until the job has input"
        raise ConfigError("--record", seconds, remedy)
    return found


def _of_topic(source: Source, seconds: float) -> Recording:
    bootstrap, topic = source.option("kafka.bootstrap.servers"), source.option("subscribe")
    if bootstrap is None or topic is None or "," in topic:
        raise ConfigError("JOB", topic, "a job is recorded that subscribes to one topic by its name")
    rows = last_rows(bootstrap, topic, seconds)[-MOST_ROWS:]
    lasts_s = max(1.0, (rows[-1].at_ms - rows[0].at_ms) / 1000.0) if rows else seconds
    return Recording(
        tuple(RecordedRow(row.value, row.key, row.partition) for row in rows),
        lasts_s,
        len(end_offsets(bootstrap, topic)),
    )


def _of_files(source: Source, place: Path, seconds: float) -> Recording:
    """All lines of the newest files; how fast they came is told by when the files were written."""
    if source.option("header") == "true":
        raise ConfigError("JOB", "header", "files with a header line cannot be replayed line by line")
    wanted = source.option("pathGlobFilter") or "*"
    files = [path for path in place.rglob("*") if path.is_file() and fnmatch(path.name, wanted)]
    files = sorted((path for path in files if not path.name.startswith((".", "_"))), key=lambda p: p.stat().st_mtime)
    if not files:
        raise ConfigError("JOB", str(place), "there are no files to record there")
    last_s = files[-1].stat().st_mtime
    kept = [path for path in files if path.stat().st_mtime > last_s - seconds]
    lines = tuple(RecordedRow(line) for path in kept for line in _lines(path))[-MOST_ROWS:]
    before = [path.stat().st_mtime for path in files if path not in kept]
    # A file holds what came since the one before it.
    lasts_s = last_s - (before[-1] if before else kept[0].stat().st_mtime)
    return Recording(lines, lasts_s if lasts_s > 0 else seconds)


def _lines(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()


def _unpacked(data: bytes) -> Iterator[RecordedRow]:
    at = 0
    while at < len(data):
        partition, key, value = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        middle = at + max(0, key)
        yield RecordedRow(data[middle : middle + value], None if key < 0 else data[at:middle], partition)
        at = middle + value
