"""How a column is spread over a batch, observed in the query's own pass: by Spark's sketch, or by points of the curve.

Spark has the sketch since 4.1. Earlier ones tell so many points of the curve, which makes tails coarser: between two
points lie 0.5 % of the rows, and nothing is known beyond the last.
"""

from pyspark.sql import Column, functions

from penstock.engines.spark.watch.sketches import POINTS

_EXACT = 1000  # as exact as the 1/1000 of the rows; Spark's own 1/10,000 costs ten times the memory


def has_sketches() -> bool:
    """Whether this Spark has the sketch."""
    return hasattr(functions, "kll_sketch_agg_double")


def spread_of(column: str) -> Column:
    """An aggregate to observe; `watch.sketches.sketch_of` reads what it tells."""
    if has_sketches():
        return functions.kll_sketch_agg_double(column)
    middles = [(point + 0.5) / POINTS for point in range(POINTS)]
    return functions.percentile_approx(column, middles, _EXACT)
