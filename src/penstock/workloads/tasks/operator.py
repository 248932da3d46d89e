"""A task as an operator of any Spark query, batch or streaming: one row out for each row in."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame

from penstock.core.seen.trial import Task

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "message long, result double"


def apply_task(rows: DataFrame, task: Task, message: str, threads: int) -> DataFrame:
    """`task` done for each row by so many threads; the column `message` (a whole number) tells the tuples apart.

    The shuffle before it gives the operator a stage, and so a number of threads, of its own.
    """
    numbered = rows.selectExpr(f"cast(`{message}` as long) as message").repartition(threads)
    return numbered.mapInArrow(_function(task), SCHEMA)


def _function(task: Task) -> "Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]":
    def operate(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        with task.open() as work:
            for batch in batches:
                messages = batch.column(0).to_pylist()
                results = [work(message) for message in messages]
                columns = [pa.array(messages, pa.int64()), pa.array(results, pa.float64())]
                yield pa.RecordBatch.from_arrays(columns, ["message", "result"])

    return operate
