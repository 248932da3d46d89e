"""Re-routing a running query: a new table comes into force, and every row is counted once all the same.

Operators with windows follow it from a window start that lies in the future, with no restart. The state of the others
is moved: the query stops, between two batches where it can be; a batch that is open all the same is finished with the
old table, the change is written down, the checkpoint is rewritten, the query starts. docs/routing.md says what a crash
leaves after each of these steps. Where one of them fails, the query starts with the table that it had.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.known.routing_table import RoutingTable
from penstock.core.units import positive_seconds
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import RestartError
from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.jvm.checkpoints import checkpoint_of, read_checkpoint
from penstock.engines.spark.jvm.features import can_rewrite_state
from penstock.engines.spark.jvm.local_files import files_at, local_path, special_names
from penstock.engines.spark.jvm.replan import between_batches, last_batch
from penstock.engines.spark.jvm.routing.lookup import make_ready, prepare, reread
from penstock.engines.spark.jvm.routing.resalting import SparkMover
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.jvm.stops import stop
from penstock.engines.spark.routing.book import LIVE, Change, RouteBook
from penstock.engines.spark.routing.checkpoint import committed_batch
from penstock.engines.spark.routing.checkpoint_stamp import stamp
from penstock.engines.spark.routing.event_time import newest_event_us, reach_us, time_us
from penstock.engines.spark.routing.migration import Moved, StepDone, is_in_force, move_state, take_back
from penstock.engines.spark.routing.route import Routing
from penstock.engines.spark.routing.shape import SLOTS
from penstock.engines.spark.watch.instructions import COMMITS_WITHIN_S
from penstock.errors import ConfigError, EngineError, first_line, told

_BATCH_WITHIN_S = 120.0
_LOOK_EVERY_S = 0.05
# Of batches as far-reaching as the farthest seen: one runs, and one may be planned before the new file is there.
_BATCHES_UNSEEN = 2
_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"

_log = logging.getLogger("penstock.spark")


@dataclass(frozen=True, slots=True)
class Routed:
    """A query whose operators are routed, and the job that starts it again."""

    spark: SparkSession
    job: Job
    route: Routing


@dataclass(frozen=True, slots=True)
class TableChange:
    """The query under its new table, and the state that moved for it."""

    query: StreamingQuery
    moved: Moved = Moved()


def reroute(
    routed: Routed,
    query: StreamingQuery,
    table: RoutingTable,
    lead: object = 60.0,
    done: StepDone = lambda step: None,
) -> TableChange:
    """The query under the new table: the same one where all operators have windows, else one started again.

    Windows follow the table that begin `lead` or more after the newest event seen, in event time; while the query
    runs, also beyond what the batches not yet seen may take in. `done` is told the name of each step once it is done.
    """
    lead_s = positive_seconds(lead, "lead")
    book = routed.route.book(routed.spark)
    windowed = routed.route.windowed.values()
    if not windowed:
        raise EngineError(
            f"{routed.job.name}: none of its operators is grouped by a key of route {routed.route.name!r}"
        )
    if not all(windowed):
        if not can_rewrite_state(routed.spark):
            raise EngineError(
                f"{routed.job.name}: this Spark cannot move the state of its keys; that came with Spark 4.2"
            )
        _check_rewritable(routed, book)
    _check_partitions(routed, checkpoint_of(query), table)
    if all(windowed):
        _from_a_window_on(routed, query, book, Change(_next(book), book.add(table)), lead_s, done)
        return TableChange(query)
    version = book.add(table)
    make_ready(routed.spark, book, version)
    # What is stopped in the midst of a batch begins it anew, while nobody has results.
    between_batches(query, last_batch(query), COMMITS_WITHIN_S)
    done("table kept")
    stop(query)
    try:
        done("query stopped")
        moved = _move(routed, query, book, version, lead_s, done)
    except Exception as error:  # a disk that is full, a tenant's own code: the tenant is to run all the same
        if not is_in_force(book, version):
            raise _as_it_was(routed, book, error) from error
        moved = Moved()  # the commit was told as failed, and is there
    started = start_query(routed.spark, routed.job)
    done("query started")
    return TableChange(started, moved)


def _move(routed: Routed, query: StreamingQuery, book: RouteBook, version: int, lead_s: float, done: StepDone) -> Moved:
    seen = [*query.recentProgress, *_finish_open_batch(routed, _kept(routed, book).location)]
    done("open batch finished")
    cut_over_us = _cut_over_us(routed, book, seen, lead_s) if any(routed.route.windowed.values()) else None
    return move_state(book, version, SparkMover(routed.spark, book), done, cut_over_us)


def _as_it_was(routed: Routed, book: RouteBook, error: Exception) -> RestartError:
    """Start the query again, with the change withdrawn: to carry it out has failed already."""
    try:
        take_back(book)
    except Exception as again:  # the start looks after what is pending once more
        _log.warning("%s: its change of tables was not withdrawn; %s", routed.job.name, told(again))
    started = start_query(routed.spark, routed.job)
    return RestartError(f"{routed.job.name}: it continues with its old table; {told(error)}", started)


def _kept(routed: Routed, book: RouteBook) -> Files:
    if book.checkpoint is None:
        raise EngineError(
            f"{routed.job.name} keeps no checkpoint that outlives a stop, so its state cannot be moved; give its "
            "writer a checkpointLocation"
        )
    return book.checkpoint


def _from_a_window_on(
    routed: Routed, query: StreamingQuery, book: RouteBook, change: Change, lead_s: float, done: StepDone
) -> None:
    done("table kept")
    checkpoint = files_at(routed.spark, checkpoint_of(query))
    prepare(routed.spark, book, LIVE, change.version)  # so that few batches begin between this look and the publishing
    seen = query.recentProgress
    # A query that does not run has no batch whose events are unknown.
    unseen_s = _BATCHES_UNSEEN * reach_us(seen) / 1e6 if query.isActive else 0.0
    cut_over_us = _cut_over_us(routed, book, seen, max(lead_s, unseen_s))
    change = Change(change.number, change.version, cut_over_us)
    book.record(change)
    try:
        _publish(routed, book)
    except BaseException as error:
        _withdraw(routed, query, book, change)
        if not isinstance(error, Exception):
            raise
        raise EngineError(f"{routed.job.name}: the table could not be published; {first_line(error)}") from error
    done("change written down")
    # The batch that runs now may have been planned with the tables of before.
    begun = read_checkpoint(routed.spark, checkpoint.location).begun
    _wait_for(query, checkpoint, begun)
    newest_us = newest_event_us([progress for progress in query.recentProgress if progress["batchId"] <= begun])
    if newest_us is not None and newest_us >= cut_over_us:
        raise EngineError(
            f"{routed.job.name}: batch {begun} ran with the table of before and held events up to "
            f"{_text(newest_us)}, later than the cut-over at {_text(cut_over_us)}; windows between them may be in two "
            "parts. Restart from before that batch, and re-route with a longer lead"
        )
    done("in force")


def _publish(routed: Routed, book: RouteBook) -> None:
    stamp(book)
    book.write_live()
    reread(routed.spark, book, LIVE)


def _withdraw(routed: Routed, query: StreamingQuery, book: RouteBook, change: Change) -> None:
    """A change that nobody reads must not be found by a later start: windows begun meanwhile would be in two parts.

    If the book cannot be written the query ends here, before its events come to the cut-over.
    """
    try:
        book.withdraw(change)
        _publish(routed, book)
    except BaseException:
        stop(query)
        raise


def _check_partitions(routed: Routed, checkpoint: str, table: RoutingTable) -> None:
    partitions = read_checkpoint(routed.spark, checkpoint).partitions
    if table.servers != partitions:
        raise ConfigError(
            "table.servers", table.servers, f"{routed.job.name} keeps its state in {partitions} partitions"
        )


def _check_rewritable(routed: Routed, book: RouteBook) -> None:
    """Only such state as the rewriter was proven on: state that it cannot write back must not be begun with."""
    if local_path(_kept(routed, book).location) is None and special_names(routed.spark, book.home):
        raise EngineError(
            f"{book.home}: Spark cannot read state below a name with a space or the like there; use another checkpoint"
        )
    provider = routed.spark.conf.get(_PROVIDER, "")
    if not str(provider).endswith("RocksDBStateStoreProvider"):
        raise ConfigError(_PROVIDER, provider, "operators without windows are re-routed with RocksDBStateStoreProvider")
    version = routed.spark.conf.get(_FORMAT, "1")
    if version != "1":
        raise ConfigError(_FORMAT, version, "operators without windows are re-routed with format 1")


def _next(book: RouteBook) -> int:
    return book.changes()[-1].number + 1


def _finish_open_batch(routed: Routed, checkpoint: str) -> Sequence[Any]:
    """Run what was begun and not committed, with the table that is in force; its progress is returned."""
    found = read_checkpoint(routed.spark, checkpoint)
    if found.begun == found.committed:
        return ()
    query = start_query(routed.spark, routed.job, once=True)
    if not query.awaitTermination(int(_BATCH_WITHIN_S)):
        stop(query)
        raise EngineError(f"{routed.job.name}: batch {found.begun} did not end within {_BATCH_WITHIN_S:.0f} s")
    return query.recentProgress


def _cut_over_us(routed: Routed, book: RouteBook, seen: Sequence[Any], lead_s: float) -> int:
    newest_us = newest_event_us(seen)
    if newest_us is None:
        raise EngineError(
            f"{routed.job.name}: Spark tells no event time of its batches yet; give the stream a watermark "
            "(withWatermark), and re-route when rows have come"
        )
    epochs = book.epochs()
    after_us = max(newest_us, epochs[-1].cut_over_us or 0) + int(lead_s * 1e6)
    if len(epochs) >= SLOTS:
        _check_closed(routed, epochs[len(epochs) + 1 - SLOTS], seen)
    return after_us


def _check_closed(routed: Routed, oldest: Change, seen: Sequence[Any]) -> None:
    """Tables give way to new ones only when no window needs them any more."""
    watermark_us = max((time_us(progress["eventTime"].get("watermark")) or 0 for progress in seen), default=0)
    closed_us = (oldest.cut_over_us or 0) + int(routed.route.longest_window_s * 1e6)
    if watermark_us < closed_us:
        raise EngineError(
            f"{routed.job.name}: windows that may be open still need the last {SLOTS} tables; re-route when the "
            f"watermark has passed {_text(closed_us)}, or tell the route its longest_window"
        )


def _wait_for(query: StreamingQuery, checkpoint: Files, batch: int) -> None:
    deadline = time.monotonic() + _BATCH_WITHIN_S
    while (committed_batch(checkpoint) or 0) < batch or not _told(query, batch):
        if not query.isActive or time.monotonic() > deadline:
            raise EngineError(f"{query.name}: batch {batch}, begun before the cut-over was written, did not end")
        time.sleep(_LOOK_EVERY_S)


def _told(query: StreamingQuery, batch: int) -> bool:
    progress: Any = query.lastProgress
    return progress is not None and progress["batchId"] >= batch


def _text(time_us: int) -> str:
    return datetime.fromtimestamp(time_us / 1e6).isoformat(timespec="seconds")
