"""Work for each row: waiting, as a call to another system does, or burning CPU. Rows pass unchanged."""

from pyspark.sql import DataFrame, functions

_BURN_STEPS_PER_MS = 1200  # sums of square roots on one core of 2020s make


def waiting(df: DataFrame, seconds_per_row: float) -> DataFrame:
    """Hold a slot for so long for each row, and hardly use a core.

    The JVM sleeps: a Python worker for each of the slots would cost a small machine more than the work itself.
    """
    millis = max(1, round(seconds_per_row * 1000))
    return df.where(functions.expr(f"reflect('java.lang.Thread', 'sleep', {millis}L) IS NOT NULL"))


def burning(df: DataFrame, seconds_per_row: float) -> DataFrame:
    """Burn about so much time of a core for each row."""
    steps = max(1, round(seconds_per_row * 1000 * _BURN_STEPS_PER_MS))
    first = df.columns[0]
    # Of the row's own value, so that nothing can be worked out once for all rows.
    spent = f"aggregate(sequence(1, {steps}), 0D, (sum, x) -> sum + sqrt(x + hash(`{first}`) % 2))"
    return df.where(functions.expr(f"{spent} >= 0"))
