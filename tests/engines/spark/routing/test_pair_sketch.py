"""Key pairs counted in a query's own pass."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import penstock as ps
from penstock.core.pairs import Pair, PairCounts
from penstock.engines.spark.progress import parse_batch
from penstock.errors import ConfigError
from tests.engines.spark.routing.town import Town, by_region


def told(query: StreamingQuery) -> list[PairCounts | None]:
    return [parse_batch(progress.json)[1].pairs for progress in query.recentProgress]


def test_the_pairs_of_a_batch_are_counted_exactly_while_they_are_few(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    pairs = ("region", "hashtag")
    query = town.run(
        town.job(lambda town: ps.measured(town.stream(), event_time="at", pairs=pairs).groupBy("region").count())
    )
    expected: dict[Pair, float] = {}
    for region, tag, _ in town.rows:
        expected[region, str(tag)] = expected.get((region, str(tag)), 0) + 1
    assert [counts for counts in told(query) if counts is not None] == [PairCounts(expected, 60.0, 0.0)]


def test_a_query_that_observes_nothing_tells_of_no_pairs(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    assert set(told(town.run(town.job(by_region)))) == {None}


def test_a_pair_of_unknown_columns_is_refused(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    with pytest.raises(ConfigError, match="region, hashtag, at"):
        ps.measured(town.stream(), event_time="at", pairs=("region", "tag"))
