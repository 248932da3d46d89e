"""Heavy key pairs, observed in the query's own pass with bounded memory: DataSketches' frequent items inside Spark.

One row in `ONE_IN`, drawn by chance, stands for all: to count every row would cost a light query a tenth of its batch
and more. Spark's sketch tracks some thousands of texts and tells the heaviest. How far a count may be from the truth:

    the sketch     3.5 / map size of the rows given to it (the bound of its algorithm, where the map has room for a
                   third more than it tracks), or the least count told where that is more; 0 while it told all
    the drawing    `SIGMAS` standard deviations of the heaviest count, each one_in * sqrt(rows drawn) at the most
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pyspark.sql import Column, functions

from penstock.core.pairs import Key, Pair, PairCounts
from penstock.engines.spark.routing.shape import BETWEEN_PARTS

LISTED, TRACKED = 500, 2048  # the pairs told of each batch; the pairs that the sketch keeps an eye on
ONE_IN = 16
SIGMAS = 5.0  # one count in a million may be farther off
_BETWEEN_KEYS = "\x1e"
_BOUND = 3.5 * 0.75 / TRACKED
_PAIR = "__penstock_pair_"  # and the hop's number


def pair_columns(keys: Sequence[Sequence[str]], one_in: int) -> Iterator[Column]:
    """Worked out for each row in one generated loop: Spark interprets whatever stands inside an observation."""
    for hop, (left, right) in enumerate(pairwise(keys)):
        pair = functions.concat_ws(_BETWEEN_KEYS, _text(left), _text(right))
        # Spark draws anew in each batch; one chance for all batches would see the same places of each again.
        drawn = pair if one_in == 1 else functions.when(functions.rand() * one_in < 1, pair)
        yield drawn.alias(f"{_PAIR}{hop}")


def pair_metrics(keys: Sequence[Sequence[str]], one_in: int) -> Iterator[Column]:
    """The aggregates to observe of those columns. Rows with a NULL key count for no pair."""
    yield functions.max(functions.lit(one_in)).alias("one_in")
    for hop in range(len(keys) - 1):
        arguments = functions.col(f"{_PAIR}{hop}"), functions.lit(LISTED), functions.lit(TRACKED)
        yield functions.call_function("approx_top_k", *arguments).alias(f"pairs_{hop}")


def observed_pairs(observed: Mapping[str, Any]) -> tuple[PairCounts, ...]:
    """The pairs of one batch, hop by hop, from what `measured` observed; none where it counted none. Keys are texts."""
    one_in = observed.get("one_in")
    if one_in is None or not observed["rows"]:
        return ()
    told = [observed[name] for name in sorted(observed) if name.startswith("pairs_")]
    return tuple(_counts(found or (), float(observed["rows"]), int(one_in)) for found in told)


def _counts(told: Sequence[Mapping[str, Any]], rows: float, one_in: int) -> PairCounts:
    drawn: dict[Pair, float] = {}
    for entry in told:
        keys = str(entry.get("item")).split(_BETWEEN_KEYS)
        if len(keys) == 2:  # a NULL key leaves one, a row that was not drawn none
            drawn[_key(keys[0]), _key(keys[1])] = float(entry["count"])
    error = 0.0
    if len(told) >= LISTED:  # a pair just below the end of a full list may have been left out
        error = max(min(drawn.values(), default=0.0), _BOUND * rows / one_in)
    if one_in > 1:
        error += SIGMAS * math.sqrt(max(drawn.values(), default=1.0))
    return PairCounts({pair: one_in * count for pair, count in drawn.items()}, rows, one_in * error)


def _text(columns: Sequence[str]) -> Column:
    # concat gives NULL for a key with a NULL in it, and concat_ws then leaves the key out.
    parts = [
        piece for column in columns for piece in (functions.col(column).cast("string"), functions.lit(BETWEEN_PARTS))
    ]
    return functions.concat(*parts[:-1])


def _key(text: str) -> Key:
    parts = tuple(text.split(BETWEEN_PARTS))
    return parts if len(parts) > 1 else text
