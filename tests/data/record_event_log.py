"""How the event logs beside it were made: three queries of one plain application, and what of its log is kept.

    python tests/data/record_event_log.py OUT      # on real Spark, two minutes

Nothing of penstock is in that application: Spark's own defaults, so one queue (FIFO), a rolled log, packed by zstd.
Rows cost waiting and no CPU. It ran on two cores that others kept busy: first batches took 17 s. Events that nobody
reads and that make a log large are left out (tasks, plans, block managers), and of the environment all but Spark's own
settings. What is kept is packed again by Spark's lz4, too: its own codec writes it.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

LEFT_OUT = ("TaskStart", "TaskEnd", "SQL", "BlockManager", "Accumul", "StageExecutorMetrics", "TaskGettingResult")


SECONDS = 120


def main(out: Path) -> None:
    """Run the queries, then keep what is read of their log."""
    place = tempfile.mkdtemp()
    print(f"the whole log is in {place}", file=sys.stderr)
    _run(place)
    (log,) = Path(place).glob("eventlog_v2_*")
    _keep(log, out / log.name)
    _pack_by_spark(out / log.name, out)


def _run(place: str) -> None:
    spark = (
        SparkSession.builder.master("local[4]")
        .appName("shop")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.dir", f"file:{place}")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    wanted = (("clicks", 200, 8, "0 seconds"), ("fraud", 50, 4, "0 seconds"), ("audit", 100, 10, "10 seconds"))
    for name, rows, row_ms, every in wanted:
        waits = F.expr(f"java_method('java.lang.Thread', 'sleep', {row_ms}L)")
        rate = spark.readStream.format("rate").option("rowsPerSecond", rows).load()
        counted = rate.filter(waits.isNull()).groupBy((F.col("value") % 10).alias("key")).count()
        counted.writeStream.queryName(name).format("noop").outputMode("update").trigger(processingTime=every).start()
    time.sleep(SECONDS)
    for query in spark.streams.active:
        query.stop()
    spark.stop()


def _keep(log: Path, out: Path) -> None:
    out.mkdir(parents=True)
    for file in sorted(one for one in log.iterdir() if not one.name.startswith(".")):  # checksums beside them
        data = file.read_bytes()
        whole = (
            zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read() if _packed(file) else data
        )
        lines = whole.splitlines(keepends=True)
        kept = [_less(json.loads(line)) for line in lines]
        kept = [line for line in kept if line]
        print(f"{file.name}: {len(lines)} events, {len(kept)} kept", file=sys.stderr)
        less = b"".join(kept)
        (out / file.name).write_bytes(zstandard.ZstdCompressor(19).compress(less) if _packed(file) else less)


def _pack_by_spark(log: Path, out: Path) -> None:
    """The same in one file, packed by lz4 as Spark does it."""
    start: Callable[[], Any] = launch_gateway  # pyspark has no types for it
    jvm = start().jvm
    (part,) = log.glob("events_1_*.zstd")
    codec = jvm.org.apache.spark.io.LZ4CompressionCodec(jvm.org.apache.spark.SparkConf())
    file = jvm.java.io.FileOutputStream(str(out / f"{part.stem.removeprefix('events_1_')}.lz4"))
    stream = codec.compressedContinuousOutputStream(file)
    stream.write(zstandard.ZstdDecompressor().stream_reader(part.read_bytes(), read_across_frames=True).read())
    stream.close()


def _less(event: dict[str, Any]) -> bytes:
    """Nothing of what nobody reads; no paths of the machine. In the form of Spark, which its history server goes by."""
    if any(word in event["Event"] for word in LEFT_OUT):
        return b""
    if event["Event"] == "SparkListenerEnvironmentUpdate":
        told = {name: value for name, value in event["Spark Properties"].items() if "/" not in value}
        event = {**{name: {} for name in event}, "Event": event["Event"], "Spark Properties": told}
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


def _packed(file: Path) -> bool:
    return file.suffix == ".zstd"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
