"""Heavy key pairs, observed in the query's own pass with bounded memory: DataSketches' frequent items inside Spark.

Spark's sketch tracks some thousands of texts and tells the heaviest. It lists no pair wrongly by more than
3.5 / map size of all rows, the bound of its algorithm, where the map has room for a third more than it tracks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, functions

from penstock.core.pairs import Key, Pair, PairCounts
from penstock.engines.spark.routing.shape import BETWEEN_PARTS

LISTED, TRACKED = 500, 8192  # the pairs told of each batch; the pairs that the sketch keeps an eye on
_BETWEEN_KEYS = "\x1e"
_BOUND = 3.5 * 0.75 / TRACKED


def pairs_column(left: Sequence[str], right: Sequence[str]) -> Column:
    """The aggregate to observe. Rows with a NULL key count for no pair."""
    pair = functions.concat_ws(_BETWEEN_KEYS, _text(left), _text(right))
    return functions.call_function("approx_top_k", pair, functions.lit(LISTED), functions.lit(TRACKED))


def observed_pairs(observed: Mapping[str, Any]) -> PairCounts | None:
    """The pairs of one batch, from what `measured` observed; None where it did not count pairs. Keys are texts."""
    if not observed.get("pairs"):
        return None
    listed: dict[Pair, float] = {}
    for entry in observed["pairs"]:
        keys = str(entry["item"]).split(_BETWEEN_KEYS)
        if len(keys) == 2:  # a NULL key leaves one
            listed[_key(keys[0]), _key(keys[1])] = float(entry["count"])
    rows = float(observed["rows"])
    # Of a full list, a pair just below its end may have been left out.
    left_out = min(listed.values()) if len(observed["pairs"]) >= LISTED and listed else 0.0
    exact = len(observed["pairs"]) < LISTED
    return PairCounts(listed, rows, 0.0 if exact else max(left_out, _BOUND * rows))


def _text(columns: Sequence[str]) -> Column:
    # concat gives NULL for a key with a NULL in it, and concat_ws then leaves the key out.
    parts = [
        piece for column in columns for piece in (functions.col(column).cast("string"), functions.lit(BETWEEN_PARTS))
    ]
    return functions.concat(*parts[:-1])


def _key(text: str) -> Key:
    parts = tuple(text.split(BETWEEN_PARTS))
    return parts if len(parts) > 1 else text
