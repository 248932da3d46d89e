"""`measured`: sketches of arrival times, and the key pairs of some rows, observed in the query's own pass."""

import logging
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import TimestampNTZType, TimestampType

from penstock.engines.spark.jvm.features import has_pairs
from penstock.engines.spark.jvm.quantiles import spread_of
from penstock.engines.spark.jvm.routing.draw_call import draw_call
from penstock.engines.spark.routing.pair_draw import PairDraw
from penstock.engines.spark.watch.progress import OBSERVED
from penstock.errors import ConfigError

_ARRIVAL = "__penstock_arrival_ms"

_log = logging.getLogger("penstock.spark")


def measured(
    df: DataFrame, event_time: str, pairs: Sequence[str | Sequence[str]] | None = None, one_in: int | None = None
) -> DataFrame:
    """The same rows, with a sketch of `event_time` in every batch's progress: latency row by row, tails included.

    `event_time` names a timestamp column that says when a row arrived, or came to be. Call it once in a query,
    as near to the source as the column is there. It costs 0.15 to 0.2 microseconds a row. `pairs` names the keys of
    consecutive stateful operators, two or more, whose pairs are counted too, for routing: of some hundred rows of each
    batch, drawn by chance, or of one row in `one_in` where that is given; of 5,000 at the most.
    """
    types = {field.name: field.dataType for field in df.schema.fields}
    if not isinstance(types.get(event_time), (TimestampType, TimestampNTZType)):
        named = [name for name, found in types.items() if isinstance(found, (TimestampType, TimestampNTZType))]
        raise ConfigError("event_time", event_time, f"name a timestamp column: {', '.join(named) or 'there is none'}")
    keys = _counted(df, _keys(df, pairs or ()))
    if one_in is not None and (type(one_in) is not int or one_in < 1):
        raise ConfigError("one_in", one_in, "write of how many rows one is counted, 1 or more")
    # The sketch fails on NULL; a row without a time counts as one that came with the batch.
    arrival_ms = functions.coalesce(_millis(functions.col(event_time)), _millis(functions.current_timestamp()))
    # Worked out before the observation, whose arguments Spark interprets row by row.
    draw = PairDraw(df.sparkSession, keys, one_in, draw_call(df.sparkSession)) if keys else None
    rows = df if draw is None else df.select("*", draw.chance())
    held = rows.select("*", arrival_ms.alias(_ARRIVAL), *(() if draw is None else draw.columns()))
    seen = held.observe(
        OBSERVED,
        spread_of(_ARRIVAL).alias("arrivals"),
        functions.avg(_ARRIVAL).alias("mean_ms"),
        functions.count(functions.lit(1)).alias("rows"),
        *(() if draw is None else draw.metrics()),
    )
    return seen.drop(*held.columns[len(df.columns) :])


def _keys(df: DataFrame, pairs: Sequence[str | Sequence[str]]) -> list[tuple[str, ...]]:
    keys = [(key,) if isinstance(key, str) else tuple(key) for key in pairs]
    for column in (column for key in keys for column in key):
        if column not in df.columns:
            raise ConfigError("pairs", column, f"name columns of the stream: {', '.join(df.columns)}")
    if len(keys) == 1:
        raise ConfigError("pairs", pairs, "name the keys of two or more operators")
    return keys


def _counted(df: DataFrame, keys: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those whose pairs are counted: none where this Spark has nothing to count them by."""
    if keys and not has_pairs():
        version = df.sparkSession.version
        _log.warning("pairs of keys are not counted: Spark %s draws no rows of a batch (min_by of several)", version)
        return []
    return keys


def _millis(column: Column) -> Column:
    return functions.unix_micros(column.cast("timestamp")).cast("double") / 1000.0
