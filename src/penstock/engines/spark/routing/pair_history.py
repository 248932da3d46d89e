"""Offline pair statistics: a batch job over history that counts every pair, of the same type as the online ones."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, IntegralType, StringType

from penstock.core.seen.pairs import Key, PairCounts
from penstock.engines.spark.routing.columns import KeyColumns, columns_of
from penstock.errors import ConfigError


def count_pairs(history: DataFrame, left: KeyColumns, right: KeyColumns, most_pairs: int | None = None) -> PairCounts:
    """How often the keys in `left` and `right` met on one row of `history`, a batch DataFrame (Parquet, a Kafka range).

    Give several columns for an operator that is grouped by several, in their order. Exact; with `most_pairs` only the
    heaviest come to the driver and the error says what the others may have had. A row without a key, NULL, counts
    among the rows but makes no pair: nothing can be said of where it goes but what hashing says.

        pairs = count_pairs(spark.read.parquet("history"), left="region", right="hashtag")
        table = ps.route(pairs, servers=6)
    """
    if history.isStreaming:
        raise ConfigError("history", "a streaming DataFrame", "give a batch one, made with spark.read")
    sides = columns_of(left), columns_of(right)
    for name in (*sides[0], *sides[1]):
        _check(history, name)
    rows = history.count()
    keys = [F.col(name).alias(f"k{place}") for place, name in enumerate((*sides[0], *sides[1]))]
    named = [f"k{place}" for place in range(len(keys))]
    counted = history.select(*keys).dropna().groupBy(*named).agg(F.count(F.lit(1)).alias("rows"))
    if most_pairs is None:
        return PairCounts(_pairs(counted, len(sides[0])), rows)
    # One more than asked for: its count is the most that any pair left out can have.
    heaviest = counted.orderBy(F.desc("rows"), *named).limit(most_pairs + 1)
    return PairCounts(_pairs(heaviest, len(sides[0])), rows).heaviest(most_pairs)


def _check(history: DataFrame, name: str) -> None:
    if name not in history.columns:
        raise ConfigError("column", name, f"choose among {', '.join(history.columns)}")
    kind: DataType = history.schema[name].dataType
    if not isinstance(kind, StringType | IntegralType):
        raise ConfigError(f"column {name}", kind.simpleString(), "route by text or whole numbers; cast it to one")


def _pairs(counted: DataFrame, left: int) -> dict[tuple[Key, Key], float]:
    columns: list[list[Any]] = [column.to_pylist() for column in counted.toArrow().columns]
    rows = columns.pop()
    lefts, rights = _keys(columns[:left]), _keys(columns[left:])
    return dict(zip(zip(lefts, rights, strict=True), rows, strict=True))


def _keys(columns: list[list[Any]]) -> list[Key]:
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
