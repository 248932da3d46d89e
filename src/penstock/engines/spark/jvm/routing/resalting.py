"""Spark's part in moving state (see `migration`): keys get the salts of a new table, in the checkpoint itself."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import Column, DataFrame, SparkSession, functions

from penstock.engines.spark.jvm.local_files import readable_state
from penstock.engines.spark.jvm.rewriting import Logs, logs_of
from penstock.engines.spark.jvm.routing.grouping import is_window, operator_of_salt
from penstock.engines.spark.jvm.routing.lookup import table_cell
from penstock.engines.spark.jvm.routing.salting import Salting, with_salt
from penstock.engines.spark.routing.book import RouteBook
from penstock.engines.spark.routing.migration import Moved, checkpoint_of_book
from penstock.errors import EngineError, first_line

_NEW, _MOVED = "new_salt", "moved"
_WORD = 8  # bytes of an UnsafeRow's field; its null bits take one more for up to 64 fields


@dataclass(frozen=True, slots=True)
class SparkMover:
    """Moves the state of a book's checkpoint by Spark's own means."""

    spark: SparkSession
    book: RouteBook

    def enter(self, batch: int) -> None:
        """In the log of offsets."""
        logs = self._logs()
        with self._told():
            logs.offsetLog().add(batch, logs.offsetLog().get(batch - 1).get())

    def rewrite(self, batch: int, version: int) -> Moved:
        """Each key gets the salt by which the table sends it where it wants it."""
        patch = _Resalting(self.spark, self.book, version)
        with self._told(), readable_state(self.spark, self._location):
            _rewriter(self.spark, self._location, batch, patch).run()
            return patch.moved()

    def commit(self, batch: int) -> None:
        """In the log of commits."""
        logs = self._logs()
        with self._told():
            logs.commitLog().add(batch, logs.commitLog().get(batch - 1).get())

    @property
    def _location(self) -> str:
        return checkpoint_of_book(self.book).location

    def _logs(self) -> Logs:
        return logs_of(self.spark, self._location)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (Py4JError, PySparkException) as error:
            raise EngineError(f"{self._location}: its state was not moved; {first_line(error)}") from error


def _rewriter(spark: SparkSession, checkpoint: str, batch: int, patch: "_Resalting") -> Any:
    context = spark.sparkContext
    ensure_callback_server_started(context._gateway)  # type: ignore[no-untyped-call]
    jvm: Any = context._jvm
    some = jvm.scala.Option.apply
    logs = jvm.org.apache.spark.sql.execution.streaming.runtime.StreamingQueryCheckpointMetadata
    return jvm.org.apache.spark.sql.execution.streaming.state.StateRewriter(
        spark._jsparkSession,
        batch - 1,
        batch,
        checkpoint,
        spark._jsparkSession.sessionState().newHadoopConf(),
        some(None),
        some(patch),
        some(logs(spark._jsparkSession, checkpoint, False)),
    )


@dataclass(frozen=True, slots=True)
class SaltedState:
    """The state of one operator without windows: its key's columns, of which the last is the salt, and the new salt."""

    rows: DataFrame
    names: tuple[str, ...]
    partitions: int

    @classmethod
    def of(cls, spark: SparkSession, book: RouteBook, version: int, state: DataFrame) -> "SaltedState | None":
        """With the salts of that table; None for state that stays as it is: of no routed operator, or of windows."""
        fields = state.schema["partition_key"].dataType.fields  # type: ignore[attr-defined]
        operator = operator_of_salt(fields[-1].name)
        if operator is None or any(is_window(field.dataType) for field in fields):
            return None
        names = tuple(field.name for field in fields)
        columns = _columns(names)
        keys = tuple(columns[names.index(name)] for name in list(book.operators().values())[operator])
        cell = table_cell(spark, book, book.version_file(version), operator)
        rows = with_salt(state, Salting(_NEW, columns[:-1], keys, cell, None))
        return cls(rows, names, state.rdd.getNumPartitions())

    def patched(self) -> DataFrame:
        """The state with its new salts, each row in the partition that it belongs to then; what moves is observed."""
        columns, new = _columns(self.names), functions.col(_NEW)
        at = _WORD * len(self.names) + 1  # of the salt, the last field, counted from 1: null bits take the first word
        key = functions.struct(
            *(column.alias(name) for column, name in zip(columns[:-1], self.names, strict=False)),
            new.alias(self.names[-1]),
        )
        moved = self.rows.observe(_MOVED, *self._counts()).select(
            # The rewriter insists on the schema that it read, in which the key may be NULL.
            functions.when(functions.col("key_bytes").isNotNull(), key).alias("partition_key"),
            _checked(functions.overlay("key_bytes", _bytes(new), at, _WORD), columns[-1], at).alias("key_bytes"),
            "value_bytes",
            "column_family_name",
        )
        return moved.repartition(self.partitions, "partition_key")

    def _counts(self) -> tuple[Column, ...]:
        """As `Moved` has them: keys that go to another partition and their bytes, and of how many that are held."""
        columns, new = _columns(self.names), functions.col(_NEW)
        before, after = (
            functions.pmod(functions.hash(*columns[:-1], salt), functions.lit(self.partitions))
            for salt in (columns[-1], new)
        )
        size = functions.length("key_bytes") + functions.coalesce(functions.length("value_bytes"), functions.lit(0))
        moves = before != after
        return (
            functions.count_if(moves).alias("keys"),
            functions.sum(functions.when(moves, size)).alias("state_bytes"),
            functions.count("key_bytes").alias("held_keys"),
            functions.sum(size).alias("held_bytes"),
        )


def moved_by(patched: DataFrame) -> Moved:
    """What moved, once the patched state was written.

    It is counted as the state passes, for nobody has results meanwhile: to read 100,000 keys once more took 0.4 to
    1.9 s beside other work. What a lost executor has to do again is counted again.
    """
    java: Any = patched._jdf
    observed = java.queryExecution().observedMetrics().get(_MOVED)
    if not observed.isDefined():  # a figure is no reason to let the query have its old table
        return Moved()
    row = observed.get()
    keys, state_bytes, held, held_bytes = (row.get(number) or 0 for number in range(4))  # a sum of nothing is NULL
    return Moved(keys, float(state_bytes), held, float(held_bytes))


def _columns(names: Sequence[str]) -> tuple[Column, ...]:
    return tuple(functions.col("partition_key")[name] for name in names)


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


class _Resalting:
    """A scala.Function1 over frames: it gives the state of every operator its new salts."""

    def __init__(self, spark: SparkSession, book: RouteBook, version: int) -> None:
        self._spark = spark
        self._book = book
        self._version = version
        self._patched: list[DataFrame] = []

    def apply(self, frame: Any) -> Any:
        """Called by Spark with a Java frame."""
        salted = SaltedState.of(self._spark, self._book, self._version, DataFrame(frame, self._spark))
        if salted is None:
            return frame
        self._patched.append(salted.patched())
        return self._patched[-1]._jdf

    def moved(self) -> Moved:
        """What moved of all operators, once all was written."""
        return sum(map(moved_by, self._patched), Moved())

    def toString(self) -> str:  # noqa: N802
        """Called by Spark when it logs."""
        return "new salts"

    class Java:
        implements = ("scala.Function1",)
