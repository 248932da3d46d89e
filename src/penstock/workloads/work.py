"""Work for each row: waiting, as a call to another system does, or burning CPU. Rows pass unchanged."""

import time
from collections.abc import Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame, functions

_BURN_STEPS_PER_MS = 1200  # sums of square roots on one core of 2020s make


def waiting(df: DataFrame, seconds_per_row: float) -> DataFrame:
    """Hold a slot for so long for each row, and hardly use a core."""
    return df.mapInArrow(partial(_wait, seconds_per_row), df.schema)


def burning(df: DataFrame, seconds_per_row: float) -> DataFrame:
    """Burn about so much time of a core for each row."""
    steps = max(1, round(seconds_per_row * 1000 * _BURN_STEPS_PER_MS))
    first = df.columns[0]
    # Of the row's own value, so that nothing can be worked out once for all rows.
    spent = f"aggregate(sequence(1, {steps}), 0D, (sum, x) -> sum + sqrt(x + hash(`{first}`) % 2))"
    return df.where(functions.expr(f"{spent} >= 0"))


def _wait(seconds_per_row: float, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        time.sleep(seconds_per_row * batch.num_rows)
        yield batch
