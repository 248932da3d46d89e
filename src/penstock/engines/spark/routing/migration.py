"""Moving state to where a new table wants it: the checkpoint is rewritten between two batches, the query stopped.

Step by step, each safe to do again: a batch n+1 with the offsets of batch n, hence without rows, is entered; every key
in the state gets its new salt and goes to its new partition; batch n+1 is committed. Until that commit the change is
pending, and whoever finds it pending does it all again. docs/routing.md lists what a crash leaves at each step.
"""

from collections.abc import Callable
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import Column, DataFrame, SparkSession, functions

from penstock.engines.spark.checkpoints import read_checkpoint
from penstock.engines.spark.routing.book import Change, RouteBook
from penstock.engines.spark.routing.checkpoint import committed_batch, query_id
from penstock.engines.spark.routing.grouping import Salting, is_window, operator_of_salt, with_salt
from penstock.engines.spark.routing.lookup import table_cell
from penstock.errors import EngineError

_WORD = 8  # bytes of an UnsafeRow's field; its null bits take one more for up to 64 fields

Step = Callable[[str], None]


def version_in_force(spark: SparkSession, book: RouteBook) -> int:
    """The table that operators without windows follow when the query starts now; a pending change is done first."""
    moves = [change for change in book.changes() if change.batch is not None]
    if not moves:
        return book.changes()[0].version
    if is_pending(moves[-1]):
        migrate(spark, book, moves[-1])
    return moves[-1].version


def is_pending(change: Change) -> bool:
    """Whether the change was begun and its batch not committed. A checkpoint made anew knows of no change."""
    if change.batch is None or change.checkpoint is None or query_id(change.checkpoint) != change.query_id:
        return False
    committed = committed_batch(change.checkpoint)
    return committed is None or committed < change.batch


def migrate(spark: SparkSession, book: RouteBook, change: Change, done: Step = lambda step: None) -> None:
    """Do what the change wants of its checkpoint; `done` is told after each step."""
    if change.checkpoint is None or change.batch is None:
        raise EngineError(f"change {change.number} of the route in {book.home} has no checkpoint to rewrite")
    jvm: Any = spark.sparkContext._jvm
    streaming, java = jvm.org.apache.spark.sql.execution.streaming, spark._jsparkSession
    logs = streaming.runtime.StreamingQueryCheckpointMetadata(java, change.checkpoint, False)
    before = change.batch - 1
    found = read_checkpoint(spark, change.checkpoint)
    if found.committed != before:
        raise EngineError(
            f"{change.checkpoint}: batch {found.committed} was committed last, not {before}; it is not moved"
        )
    try:
        logs.offsetLog().add(change.batch, logs.offsetLog().get(before).get())
        done("offsets entered")
        _rewriter(spark, book, change, logs).run()
        done("state rewritten")
        logs.commitLog().add(change.batch, logs.commitLog().get(before).get())
    except (Py4JError, PySparkException) as error:
        raise EngineError(f"{change.checkpoint}: its state was not moved; {_first_line(error)}") from error
    done("committed")


def _rewriter(spark: SparkSession, book: RouteBook, change: Change, logs: Any) -> Any:
    context = spark.sparkContext
    ensure_callback_server_started(context._gateway)  # type: ignore[no-untyped-call]
    jvm: Any = context._jvm
    some = jvm.scala.Option.apply
    patch = _Function(spark, lambda state: resalted(spark, book, change.version, state))
    return jvm.org.apache.spark.sql.execution.streaming.state.StateRewriter(
        spark._jsparkSession,
        change.batch - 1 if change.batch is not None else None,
        change.batch,
        change.checkpoint,
        spark._jsparkSession.sessionState().newHadoopConf(),
        some(None),
        some(patch),
        some(logs),
    )


def resalted(spark: SparkSession, book: RouteBook, version: int, state: DataFrame) -> DataFrame:
    """The state with the salts of that table, each row in the partition that it belongs to then.

    State without a salt is left as it is, and so is that of windows, which keep the table they began with.
    """
    fields = state.schema["partition_key"].dataType.fields  # type: ignore[attr-defined]
    operator = operator_of_salt(fields[-1].name)
    if operator is None or any(is_window(field.dataType) for field in fields):
        return state
    names = [field.name for field in fields]
    columns = [functions.col("partition_key")[name] for name in names]
    keys = [columns[names.index(name)] for name in list(book.operators().values())[operator]]
    cell = table_cell(spark, book.version_file(version))
    old, new = columns[-1], functions.col("new_salt")
    at = _WORD * len(names) + 1  # of the salt, the last field, counted from 1: the null bits take the first word
    key = functions.struct(
        *(column.alias(name) for column, name in zip(columns[:-1], names, strict=False)), new.alias(names[-1])
    )
    moved = with_salt(state, Salting("new_salt", tuple(columns[:-1]), tuple(keys), operator, cell, None)).select(
        # The rewriter insists on the schema that it read, in which the key may be NULL.
        functions.when(functions.col("key_bytes").isNotNull(), key).alias("partition_key"),
        _checked(functions.overlay("key_bytes", _bytes(new), at, _WORD), old, at).alias("key_bytes"),
        "value_bytes",
        "column_family_name",
    )
    return moved.repartition(state.rdd.getNumPartitions(), "partition_key")


def _checked(patched: Column, old: Column, at: int) -> Column:
    """The patched key, or an error: what is overwritten must be the old salt."""
    found = functions.substring("key_bytes", at, _WORD)
    refusal = functions.raise_error(
        functions.lit("a state key does not hold its salt where it should; nothing was moved")
    )
    return functions.when(found == _bytes(old), patched).otherwise(refusal.cast("binary"))


def _bytes(salt: Column) -> Column:
    """The eight bytes of an int in an UnsafeRow: little-endian, padded with zeros."""
    digits = functions.lpad(functions.hex(salt.cast("bigint").bitwiseAND(functions.lit(0xFFFFFFFF))), 8, "0")
    turned = [functions.substring(digits, at, 2) for at in (7, 5, 3, 1)]
    return functions.unhex(functions.concat(*turned, functions.lit("0" * 8)))


class _Function:
    """A scala.Function1 over frames."""

    def __init__(self, spark: SparkSession, function: Callable[[DataFrame], DataFrame]) -> None:
        self._spark = spark
        self._function = function

    def apply(self, frame: Any) -> Any:
        """Called by Spark with a Java frame."""
        return self._function(DataFrame(frame, self._spark))._jdf

    def toString(self) -> str:  # noqa: N802
        """Called by Spark when it logs."""
        return "new salts"

    class Java:
        implements = ("scala.Function1",)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
