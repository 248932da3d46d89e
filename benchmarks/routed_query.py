"""Two windowed operators, one after the other, and rows with a payload between them: hashed, routed, at worst.

    python benchmarks/routed_query.py spark://127.0.0.1:7077 TASK.json

Runs the cases of the task on that cluster and prints one JSON line for each; `routing_on_spark.py` starts it.
"""

import csv
import gzip
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery
from trial_meter import told_batches

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.engines.spark.jvm.listener import QueryEvents
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.routing.pinning import StatePlaces
from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.launch.application import start_application
from penstock.engines.spark.routing.pins import Pins
from penstock.engines.spark.routing.route import Routing
from penstock.engines.spark.watch.stages import StageReading
from penstock.planning.routing.route import route

SETTLE_BATCHES = 3  # the first ones place the state
WITHIN_S = 600.0
CASES = ("hash", "routed", "worst")
CONF = {
    "spark.executor.cores": 1,
    "spark.locality.wait": "5s",
    "spark.shuffle.compress": False,
    # State in the executors' memory: what is measured is the way between two operators, not the disk behind them.
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
    ),
}
Pairs = list[tuple[str, str]]
RanOf = tuple[int, int, str, str | None]  # of a stateful task: batch, partition, executor, and where it belonged
_LOOKS_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class Task:
    """What to run on one cluster: rows of these pairs, at each payload, in so many measured batches."""

    workers: int
    payloads: tuple[int, ...] = (512,)
    rows: int = 6000  # in a batch, at most
    batch_bytes: int = 100_000_000  # of payload in a batch, at most: larger rows are fewer
    batches: int = 5
    rounds: int = 1
    pairs: str | None = None  # a CSV file with columns k1 and k2; synthetic ones otherwise
    locality: float = 0.8
    executor_memory: str = "640m"


@dataclass(frozen=True, slots=True)
class Measured:
    """One case: the local share of the second operator's shuffle, predicted and measured, and its speed."""

    case: str
    payload: int
    predicted: float
    local: float
    rows_rps: float
    batch_s: float
    astray: float  # of the tasks of measured batches
    tasks: tuple[RanOf, ...] = ()


def synthetic(rows: int, keys: int, locality: float, seed: int = 7) -> Pairs:
    """Pairs of which a share has equal numbers, the others any."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, keys, rows)
    right = np.where(rng.random(rows) < locality, left, rng.integers(0, keys, rows))
    return [(f"left {a}", f"right {b}") for a, b in zip(left, right, strict=True)]


def read_pairs(path: Path, rows: int) -> Pairs:
    """The last rows of a file of real pairs."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = [(row["k1"], row["k2"]) for row in csv.DictReader(file)]
    return found[-rows:]


def write_files(pairs: Pairs, files: int, place: Path, seconds: int = 1) -> None:
    """One file for each batch, whose rows are at the beginning of so many seconds of its own."""
    place.mkdir(parents=True)
    each = len(pairs) // files
    for number in range(files):
        part = pairs[number * each : (number + 1) * each]
        columns = {
            "at": pa.array([number * seconds * 1_000_000] * len(part), pa.timestamp("us", tz="UTC")),
            "left": pa.array([left for left, _ in part]),
            "right": pa.array([right for _, right in part]),
        }
        parquet.write_table(pa.table(columns), place / f"{number:06}.parquet", row_group_size=max(1, each // 8))


def tables(pairs: Pairs, servers: int) -> dict[str, RoutingTable]:
    """The three cases' tables, made from these pairs."""
    routed = route(PairCounts.exact(Counter(pairs)), servers)
    apart = {key: (server + 1) % servers for key, server in routed.right.items()}
    return {
        "hash": RoutingTable(servers),
        "routed": routed,
        "worst": RoutingTable(servers, {"left": routed.left, "right": apart}),
    }


def predicted(table: RoutingTable, pairs: Pairs) -> float:
    """The share of rows that stay, with keys that are not listed anywhere with equal chance."""
    stays = (rows * _stays(table, left, right) for (left, right), rows in Counter(pairs).items())
    return sum(stays) / len(pairs)


def _stays(table: RoutingTable, left: str, right: str) -> float:
    here, there = table.server("left", left), table.server("right", right)
    if here is None and there is None and left == right:
        return 1.0  # both operators hash the window and the key: a trip within one zone stays where it is
    return 1 / table.servers if here is None or there is None else float(here == there)


def files_of(spark: SparkSession, source: Path) -> DataFrame:
    """A file a batch."""
    files = spark.readStream.schema("at timestamp, left string, right string").option("maxFilesPerTrigger", 1)
    return files.parquet(str(source))


def query_of(stream: DataFrame, routing: Routing, payload: int, seconds: int = 1) -> DataFrame:
    """Gather the rows of a left key in its window, let them out with a payload, gather them by their right keys."""
    window = functions.window("at", f"{seconds} seconds")
    held = functions.collect_list("right").alias("held")
    rows = stream.withWatermark("at", "0 seconds")
    gathered = rows.groupBy(window, *routing.left_key()).agg(held)
    let_out = gathered.select(functions.window_time("window").alias("at"), functions.explode("held").alias("right"))
    loaded = let_out.withColumn("payload", functions.concat("right", functions.lit("x" * payload)))
    again = loaded.groupBy(window, *routing.right_key())
    return again.agg(functions.size(functions.collect_list("payload")).alias("rows"))


def run_case(spark: SparkSession, case: str, table: RoutingTable, payload: int, source: Path, seen: Pairs) -> Measured:
    """Run one case to the end of its files."""
    place = Path(tempfile.mkdtemp(prefix=f"routing-{case}-"))
    routing = Routing(f"routing_{case}", left="left", right="right", checkpoint=place / "checkpoint")
    routing.start_with(spark, table)
    reader, keeper = StageReader(spark.sparkContext), Keeper(spark)
    writer = query_of(files_of(spark, source), routing, payload).writeStream.format("noop").outputMode("append")
    writer = writer.option("checkpointLocation", str(place / "checkpoint")).queryName(routing.name)
    with keeper:
        query = writer.trigger(availableNow=True).start()
        deadline = time.monotonic() + WITHIN_S
        readings: list[StageReading] = []
        while query.isActive and time.monotonic() < deadline:
            if keeper.keep(query):
                readings += reader.read()
            time.sleep(_LOOKS_EVERY_S)
        query.stop()
        keeper.keep(query)
    readings += reader.read()
    batches = [batch for batch in query.recentProgress if batch["batchId"] >= SETTLE_BATCHES and batch["numInputRows"]]
    seconds = [batch["durationMs"]["triggerExecution"] / 1000 for batch in batches]
    return Measured(
        case=case,
        payload=payload,
        predicted=predicted(table, seen),
        local=local_share(readings),
        rows_rps=sum(batch["numInputRows"] for batch in batches) / sum(seconds),
        batch_s=statistics.median(seconds),
        astray=keeper.astray,
        tasks=tuple(keeper.tasks),
    )


class Keeper:
    """Keeps partitions in their places as the engine does: after each batch that the listener tells of.

    The engine looks every half second at what its listener was told, this one more often.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._executors = ExecutorReader(spark.sparkContext)
        self._places = StatePlaces(spark)
        self._events = QueryEvents(spark, name_pools=False)
        self._due: list[int] = []
        self._pins = Pins()
        self.tasks: list[RanOf] = []

    def __enter__(self) -> "Keeper":
        self._events.attach()
        return self

    def __exit__(self, *raised: object) -> None:
        self._events.detach()

    def keep(self, query: StreamingQuery) -> bool:
        """Whether a batch was answered."""
        self._due += [batch.batch_id for _, batch in told_batches(self._events)]
        if not self._due:
            return False
        ran = self._places.ran(query, self._due[0])
        if ran is None:
            return False
        batch, belongs = self._due.pop(0), self._pins.placement
        self._pins, sends = self._pins.after(ran, [executor.id for executor in self._executors.read()])
        if query.isActive:
            self._places.send(query, sends)
        for task in ran:
            self.tasks.append((batch, task.partition, task.executor, belongs.get(task.partition)))
        return True

    @property
    def astray(self) -> float:
        """The share of tasks of measured batches that ran elsewhere than where their partition belonged."""
        measured = [(home, belongs) for batch, _, home, belongs in self.tasks if batch >= SETTLE_BATCHES]
        return sum(home != belongs for home, belongs in measured) / max(1, len(measured))


def local_share(readings: Sequence[StageReading]) -> float:
    """Of the second operator's shuffle, in the batches after the first ones."""
    last = [shares for batch, shares in last_shuffle(readings).items() if batch >= SETTLE_BATCHES]
    return sum(local for local, _ in last) / sum(local + remote for local, remote in last)


def last_shuffle(readings: Sequence[StageReading]) -> dict[int, tuple[int, int]]:
    """Local and remote bytes of the last shuffle of each batch: that is the second operator's."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for one in readings:
        if one.shuffle_local_bytes + one.shuffle_remote_bytes > 0:
            local, remote = found.get((one.batch_id, one.stage_id), (0, 0))
            found[one.batch_id, one.stage_id] = local + one.shuffle_local_bytes, remote + one.shuffle_remote_bytes
    return {batch: shares for (batch, _), shares in sorted(found.items())}


def run(master: str, task: Task) -> Iterator[Measured]:
    """All cases of the task, each round in another order, once Java is warm."""
    spark = start_application("routing", master, {**CONF, "spark.executor.memory": task.executor_memory})
    wait_for_executors(spark, task.workers)
    spark.conf.set("spark.sql.shuffle.partitions", str(task.workers))
    files = SETTLE_BATCHES + task.batches
    for payload in task.payloads:
        rows = files * min(task.rows, task.batch_bytes // max(1, payload))
        history, seen = _pairs(task, rows)
        source = Path(tempfile.mkdtemp(prefix="routing-rows-")) / "in"
        write_files(seen, files, source)
        made = tables(history, task.workers)
        run_case(spark, CASES[0], made[CASES[0]], payload, source, seen)  # not counted: it finds Java cold
        for number in range(task.rounds):
            first = number % len(CASES)
            for case in (*CASES[first:], *CASES[:first]):
                yield run_case(spark, case, made[case], payload, source, seen)
    spark.stop()


def _pairs(task: Task, rows: int) -> tuple[Pairs, Pairs]:
    """The rows that tables are made from, and as many later ones that are run."""
    if task.pairs is None:
        found = synthetic(2 * rows, 40 * task.workers, task.locality)
    else:
        found = read_pairs(Path(task.pairs), 2 * rows)
    return found[: len(found) // 2], found[len(found) // 2 :]


def wait_for_executors(spark: SparkSession, wanted: int) -> None:
    """Until all of them are there."""
    reader, deadline = ExecutorReader(spark.sparkContext), time.monotonic() + WITHIN_S
    while len(reader.read()) < wanted:
        if time.monotonic() > deadline:
            raise SystemExit(f"{wanted} executors did not start within {WITHIN_S:.0f} s")
        time.sleep(0.2)


if __name__ == "__main__":
    document = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    for measured in run(sys.argv[1], Task(**{**document, "payloads": tuple(document["payloads"])})):
        print(json.dumps(asdict(measured)), flush=True)
