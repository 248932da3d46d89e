"""Key pairs of some rows of every batch, drawn by chance in the query's own pass and told in its progress.

A batch tells some hundred rows, five thousand at the most, whatever its size, and the driver counts them
(`correlation.sampling`). Spark's sketches, one for each task, cost 7 % of a batch of 100,000 rows however few of them
were given to it.

Each row gets a number of chance; those below the share are drawn, and of more than `MOST` those with the lowest
numbers: what comes after an outage is many times what the share was made for. A plan is made once, yet optimised anew
for each batch. So the share stands in a cell of the driver's JVM that the plan refers to, and Spark folds it into a
constant when it plans a batch: no task looks anything up.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from pyspark.sql import Column, SparkSession, functions

from penstock.correlation.sampling import MOST
from penstock.engines.spark.jvm.routing.draw_call import DrawCall
from penstock.engines.spark.jvm.routing.share_cell import ShareCell
from penstock.engines.spark.watch.drawn_pairs import BETWEEN_KEYS, BETWEEN_ROWS, NO_KEY
from penstock.engines.spark.watch.key_texts import BETWEEN_PARTS

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
            told = functions.array_join(functions.min_by(_KEYS, _DRAWN, MOST), BETWEEN_ROWS)
        else:
            told = self._call.told(functions.collect_list(_KEYS), MOST)
        yield told.alias("pairs")

    def _texts(self) -> Column:
        """The keys of a row, the missing ones too."""
        texts = (functions.coalesce(_text(key), functions.lit(NO_KEY)) for key in self._keys)
        pieces = [piece for text in texts for piece in (text, functions.lit(BETWEEN_KEYS))]
        return functions.concat(*pieces[:-1])


def _text(columns: Sequence[str]) -> Column:
    # concat gives NULL for a key with a NULL in it, and concat_ws then leaves the key out.
    parts = [
        piece for column in columns for piece in (functions.col(column).cast("string"), functions.lit(BETWEEN_PARTS))
    ]
    return functions.concat(*parts[:-1])
