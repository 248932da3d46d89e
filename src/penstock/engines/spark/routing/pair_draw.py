"""Key pairs of some rows of every batch, drawn by chance in the query's own pass and told in its progress.

A batch tells some thousand rows at the most, whatever its size, and the driver counts them (`correlation.sampling`).
Spark's sketches, one for each task, cost 7 % of a batch of 100,000 rows however few of them were given to it.

Each row gets a number of chance; those below the share are drawn, and of more than `MOST` those with the lowest
numbers: what comes after an outage is many times what the share was made for. A plan is made once, yet optimised anew
for each batch. So the share stands in a cell of the driver's JVM that the plan refers to, and Spark folds it into a
constant when it plans a batch: no task looks anything up.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import Any, NamedTuple

from pyspark.sql import Column, SparkSession, functions

from penstock.core.pairs import Key, PairCounts
from penstock.correlation.sampling import MOST
from penstock.engines.spark.jvm.routing.share_cell import ShareCell
from penstock.engines.spark.routing.shape import BETWEEN_PARTS

SIGMAS = 5.0  # one count in a million may be farther off
_BETWEEN_KEYS = "\x1e"
_PAIR = "__penstock_pair_"  # and the hop's number
_CHANCE = "__penstock_chance"
_DRAWN = "__penstock_drawn"
_CELLS: dict[str, ShareCell] = {}
_NAMES = count()


def draw_one_in(cell: str, one_in: int) -> None:
    """The query whose batches tell of this cell draws so many rows; one of another application is left alone."""
    if cell in _CELLS:
        _CELLS[cell].draw_one_in(one_in)


class PairDraw:
    """What a query's measurement needs for pairs: columns beside each row's, and aggregates to observe of them."""

    def __init__(self, spark: SparkSession, keys: Sequence[Sequence[str]], one_in: int | None) -> None:
        self._keys = keys
        self._cell = ShareCell(spark, one_in or 1)
        self._name = "" if one_in is not None else f"draw {next(_NAMES)}"
        if self._name:
            _CELLS[self._name] = self._cell

    def chance(self) -> Column:
        """Drawn anew for each row. The other columns need it to be there."""
        return functions.rand().alias(_CHANCE)

    def columns(self) -> Iterator[Column]:
        """Worked out in one generated loop: Spark interprets whatever stands inside an observation."""
        drawn = functions.col(_CHANCE) < self._cell.share
        yield functions.when(drawn, functions.col(_CHANCE)).alias(_DRAWN)
        for hop, (left, right) in enumerate(pairwise(self._keys)):
            pair = functions.concat_ws(_BETWEEN_KEYS, _text(left), _text(right))
            yield functions.when(drawn, pair).alias(f"{_PAIR}{hop}")

    def metrics(self) -> Iterator[Column]:
        """Rows with a NULL key are drawn like others, and count for no pair. What is no aggregate costs no row."""
        yield functions.lit(self._name).alias("draw")
        yield self._cell.share.alias("share")
        yield functions.count(_DRAWN).alias("drawn")
        for hop in range(len(self._keys) - 1):
            yield functions.min_by(f"{_PAIR}{hop}", _DRAWN, MOST).alias(f"pairs_{hop}")


class DrawnPairs(NamedTuple):
    """What a batch tells: its pairs hop by hop, of how many rows they are, and the cell that says how many."""

    pairs: tuple[PairCounts, ...] = ()
    rows: int = 0
    cell: str = ""


def drawn_pairs(observed: Mapping[str, Any]) -> DrawnPairs:
    """The pairs of one batch, from what `measured` observed; none where it counted none. Keys are texts."""
    if "share" not in observed or not observed["rows"]:
        return DrawnPairs()
    told = [observed[name] or () for name in sorted(observed) if name.startswith("pairs_")]
    drawn = int(observed["drawn"])
    stands_for = drawn / (float(observed["share"]) * max(1, min(drawn, MOST)))
    pairs = tuple(_counts(found, float(observed["rows"]), stands_for) for found in told)
    return DrawnPairs(pairs, min(drawn, MOST), str(observed["draw"]))


def _counts(told: Sequence[str], rows: float, stands_for: float) -> PairCounts:
    """A row that was drawn stands for so many. The error is `SIGMAS` standard deviations of the heaviest count."""
    met = Counter(tuple(text.split(_BETWEEN_KEYS)) for text in told)
    drawn = {(_key(keys[0]), _key(keys[1])): rows for keys, rows in met.items() if len(keys) == 2}
    error = SIGMAS * math.sqrt(max(drawn.values(), default=1)) if stands_for > 1 else 0.0
    return PairCounts({pair: stands_for * n for pair, n in drawn.items()}, rows, stands_for * error)


def _text(columns: Sequence[str]) -> Column:
    # concat gives NULL for a key with a NULL in it, and concat_ws then leaves the key out.
    parts = [
        piece for column in columns for piece in (functions.col(column).cast("string"), functions.lit(BETWEEN_PARTS))
    ]
    return functions.concat(*parts[:-1])


def _key(text: str) -> Key:
    parts = tuple(text.split(BETWEEN_PARTS))
    return parts if len(parts) > 1 else text
