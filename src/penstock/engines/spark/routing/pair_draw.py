"""Key pairs of some rows of every batch, drawn by chance in the query's own pass and told in its progress.

A batch tells some hundred rows, five thousand at the most, whatever its size, and the driver counts them
(`correlation.sampling`). Spark's sketches, one for each task, cost 7 % of a batch of 100,000 rows however few of them
were given to it.

Each row gets a number of chance; those below the share are drawn, and of more than `MOST` those with the lowest
numbers: what comes after an outage is many times what the share was made for. A plan is made once, yet optimised anew
for each batch. So the share stands in a cell of the driver's JVM that the plan refers to, and Spark folds it into a
constant when it plans a batch: no task looks anything up.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from pyspark.sql import Column, SparkSession, functions

from penstock.core.seen.pairs import Key, PairCounts
from penstock.correlation.sampling import MOST
from penstock.engines.spark.jvm.routing.draw_call import DrawCall
from penstock.engines.spark.jvm.routing.share_cell import ShareCell
from penstock.engines.spark.routing.shape import BETWEEN_PARTS

SIGMAS = 5.0  # one count in a million may be farther off
_NO_KEY, _BETWEEN_ROWS, _BETWEEN_KEYS = "\x1c", "\x1d", "\x1e"
_CHANCE = "__penstock_chance"
_DRAWN = "__penstock_drawn"
_KEYS = "__penstock_keys"
_CELLS: dict[str, ShareCell] = {}
_NAMES = count()


def draw_one_in(cell: str, one_in: int) -> None:
    """The query whose batches tell of this cell draws so many rows; one of another application is left alone."""
    if cell in _CELLS:
        _CELLS[cell].draw_one_in(one_in)


class PairDraw:
    """What a query's measurement needs for pairs: columns beside each row's, and aggregates to observe of them.

    Where there is no `call`, the same is made of Spark's own terms.
    """

    def __init__(
        self, spark: SparkSession, keys: Sequence[Sequence[str]], one_in: int | None, call: DrawCall | None
    ) -> None:
        self._keys, self._call = keys, call
        self._cell = ShareCell(spark, one_in or 1, MOST)
        self._name = "" if one_in is not None else f"draw {next(_NAMES)}"
        if self._name:
            _CELLS[self._name] = self._cell

    def chance(self) -> Column:
        """Drawn anew for each row. The other columns need it to be there."""
        drawn = functions.rand() if self._call is None else self._call.number(self._cell.both)
        return drawn.alias(_CHANCE)

    def columns(self) -> Iterator[Column]:
        """Worked out in one generated loop: Spark interprets whatever stands inside an observation."""
        chance = functions.col(_CHANCE)
        if self._call is None:
            yield functions.when(chance < self._cell.share, chance).alias(_DRAWN)
            yield functions.when(chance < self._cell.share, self._texts()).alias(_KEYS)
        else:
            yield functions.when(chance.isNotNull(), functions.concat(chance, self._texts())).alias(_KEYS)

    def metrics(self) -> Iterator[Column]:
        """Rows with a NULL key are drawn like others, and count for no pair. What is no aggregate costs no row."""
        yield functions.lit(self._name).alias("draw")
        yield functions.lit(len(self._keys)).alias("keys")
        if self._call is None:
            told = functions.array_join(functions.min_by(_KEYS, _DRAWN, MOST), _BETWEEN_ROWS)
        else:
            told = self._call.told(functions.collect_list(_KEYS), MOST)
        yield told.alias("pairs")

    def _texts(self) -> Column:
        """The keys of a row, the missing ones too."""
        texts = (functions.coalesce(_text(key), functions.lit(_NO_KEY)) for key in self._keys)
        pieces = [piece for text in texts for piece in (text, functions.lit(_BETWEEN_KEYS))]
        return functions.concat(*pieces[:-1])


class DrawnPairs(NamedTuple):
    """What a batch tells: its pairs hop by hop, and the cell that says how many rows the query draws."""

    pairs: tuple[PairCounts, ...] = ()
    cell: str = ""


def drawn_pairs(observed: Mapping[str, Any]) -> DrawnPairs:
    """The pairs of one batch, from what `measured` observed; none where it counted none. Keys are texts."""
    if "keys" not in observed or not observed["rows"]:
        return DrawnPairs()
    told = Counter(str(observed["pairs"] or "").split(_BETWEEN_ROWS))
    drawn = sum(rows for text, rows in told.items() if text)
    met = [(text.split(_BETWEEN_KEYS), rows) for text, rows in told.items()]
    pairs = tuple(_counts(_hop(met, hop), float(observed["rows"]), drawn) for hop in range(int(observed["keys"]) - 1))
    return DrawnPairs(pairs, str(observed["draw"]))


def _hop(met: Sequence[tuple[Sequence[str], int]], hop: int) -> Counter[tuple[Key, Key]]:
    """How often both keys of that number and the next were drawn together."""
    found: Counter[tuple[Key, Key]] = Counter()
    for keys, rows in met:
        pair = keys[hop : hop + 2]
        if len(pair) == 2 and _NO_KEY not in pair:
            found[_key(pair[0]), _key(pair[1])] += rows
    return found


def _counts(met: Counter[tuple[Key, Key]], rows: float, drawn: int) -> PairCounts:
    """A row that was drawn stands for so many. The error is `SIGMAS` standard deviations of the heaviest count."""
    stands_for = rows / max(1, drawn)
    error = SIGMAS * math.sqrt(max(met.values(), default=1)) if stands_for > 1 else 0.0
    return PairCounts({pair: stands_for * n for pair, n in met.items()}, rows, stands_for * error)


def _text(columns: Sequence[str]) -> Column:
    # concat gives NULL for a key with a NULL in it, and concat_ws then leaves the key out.
    parts = [
        piece for column in columns for piece in (functions.col(column).cast("string"), functions.lit(BETWEEN_PARTS))
    ]
    return functions.concat(*parts[:-1])


def _key(text: str) -> Key:
    parts = tuple(text.split(BETWEEN_PARTS))
    return parts if len(parts) > 1 else text
