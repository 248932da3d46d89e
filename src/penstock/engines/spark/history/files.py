"""The files of an event log, as lines: one file or a rolled folder of them, plain or compressed as Spark does it.

app-20261122                    one file
app-20261122.zstd               compressed; .lz4 too
eventlog_v2_app-20261122/       rolled, as Spark 4 does it: appstatus_..., events_1_..., events_2_...
spark-events/                   a folder of any of these: the newest that is named nothing else
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from penstock.engines.spark.history import lz4
from penstock.engines.spark.history.unpacking import bounded
from penstock.errors import ConfigError
from penstock.extras import check_extra

_ROLLED = re.compile(r"^events_(\d+)_")
_PACKED = (".zstd", ".lz4")
_OTHERS = (".lzf", ".snappy")
_UNFINISHED = ".inprogress"
_LONGEST = 1 << 26  # bytes of an event; one with the plan of a large query has a few million
_COMPACTED = ".compact"  # the history server has put several parts together, in the place of the last of them


def log_at(place: Path) -> Path:
    """The one log at a place: itself, or the newest in a folder of them."""
    with _readable(place):
        return _log_at(place)


def _log_at(place: Path) -> Path:
    if not place.exists():
        raise ConfigError(
            "--history", str(place), "give an event log, or a folder of them: spark.eventLog.dir says where"
        )
    if place.is_file() or _parts(place):
        return place
    logs = [one for one in place.iterdir() if not one.name.startswith(".") and (one.is_file() or _parts(one))]
    if not logs:
        raise ConfigError(
            "--history", str(place), "there is no event log in it; Spark writes one with spark.eventLog.enabled=true"
        )
    return max(logs, key=lambda one: (one.stat().st_mtime, one.name))


def lines_of(log: Path) -> Iterator[bytes]:
    """Each event, in the order in which Spark wrote them; of a log that is still written, as far as it goes."""
    for file in [log] if log.is_file() else _parts(log):
        with _readable(file):
            yield from _whole_lines(_opened(file))


@contextmanager
def _readable(place: Path) -> Iterator[None]:
    """What cannot be read, or is not packed as it says, is the user's to mend."""
    try:
        yield
    except (OSError, ValueError) as error:  # of a device, a path or a packing that is none
        why = error.strerror if isinstance(error, OSError) else error
        remedy = f"give an event log that can be read, or copy it again ({why})"
        raise ConfigError("--history", str(place), remedy) from None


def _parts(folder: Path) -> list[Path]:
    """The files of a rolled log by their numbers, which are not padded."""
    if not folder.is_dir():
        return []
    numbered = [(found, file) for file in folder.iterdir() if (found := _ROLLED.match(file.name))]
    return [file for _, file in sorted(numbered, key=lambda one: int(one[0][1]))]


def _opened(file: Path) -> Iterator[bytes]:
    packed = Path(file.name.removesuffix(_COMPACTED).removesuffix(_UNFINISHED)).suffix
    if packed in _OTHERS:
        remedy = (
            "it is packed by a codec that is not read here: spark.eventLog.compression.codec=zstd, Spark's default, is"
        )
        raise ConfigError("--history", str(file), remedy)
    if packed not in _PACKED:
        return _pieces(file.open("rb"))
    if packed == ".lz4":
        return _lz4_blocks(file)
    check_extra("history")
    return _unpacked(file)


def _pieces(stream: Any) -> Iterator[bytes]:
    """What can be unpacked: a log that is still written ends in the middle of a frame."""
    with stream:
        while piece := stream.read(1 << 20):
            yield piece


def _unpacked(file: Path) -> Iterator[bytes]:
    import zstandard

    with file.open("rb") as packed:
        stream = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True, closefd=False)
        try:
            yield from bounded(_pieces(stream), packed.tell)
        except zstandard.ZstdError as error:
            raise ValueError(error) from None


def _lz4_blocks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as packed:
        yield from bounded(lz4.blocks(packed.read), packed.tell)


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Without a last one that has no end yet. Pieces may be far smaller than lines: each is looked at once."""
    begun = bytearray()
    for piece in pieces:
        first, *others = piece.split(b"\n")
        begun += first
        if others:
            *lines, last = bytes(begun), *others
            for line in lines:
                yield line + b"\n"
            begun = bytearray(last)
        if len(begun) > _LONGEST:
            raise ValueError(f"a line of {len(begun):,} bytes or more")
