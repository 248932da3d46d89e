"""Key pairs counted in a query's own pass."""

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import penstock as ps
from penstock.core.pairs import Pair, PairCounts
from penstock.engines.spark.routing.pair_sketch import LISTED, ONE_IN, observed_pairs
from penstock.engines.spark.watch.progress import parse_batch
from penstock.errors import ConfigError
from tests.engines.spark.routing.town import REGIONS, Town, by_region

KEYS = ("region", "hashtag")


def told(query: StreamingQuery) -> list[tuple[PairCounts, ...]]:
    return [parse_batch(progress.json)[1].pairs for progress in query.recentProgress]


def test_the_pairs_of_a_batch_are_counted_exactly_while_they_are_few(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    query = town.run(
        town.job(
            lambda town: ps.measured(town.stream(), event_time="at", pairs=KEYS, one_in=1).groupBy("region").count()
        )
    )
    expected: dict[Pair, float] = {}
    for region, tag, _ in town.rows:
        expected[region, str(tag)] = expected.get((region, str(tag)), 0) + 1
    assert [counts for counts in told(query) if counts] == [(PairCounts(expected, 60.0, 0.0),)]


def test_a_query_that_observes_nothing_tells_of_no_pairs(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    assert set(told(town.run(town.job(by_region)))) == {()}


def test_a_pair_of_unknown_columns_is_refused(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    with pytest.raises(ConfigError, match="region, hashtag, at"):
        ps.measured(town.stream(), event_time="at", pairs=("region", "tag"))


def test_of_many_rows_some_are_drawn_and_no_count_is_further_off_than_is_said(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed(40_000)
    query = town.run(town.job(lambda town: ps.measured(town.stream(), "at", KEYS).groupBy("region").count()))
    (counted,) = next(counts for counts in told(query) if counts)
    truth = Counter((region, str(tag)) for region, tag, _ in town.rows)
    assert counted.rows == 40_000
    assert 0 < counted.error < 0.05 * counted.rows
    assert max(abs(counted.pairs.get(pair, 0.0) - rows) for pair, rows in truth.items()) <= counted.error
    assert all(rows % ONE_IN == 0 for rows in counted.pairs.values())


def test_more_than_two_operators_are_counted_hop_by_hop(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    chain = ("hashtag", "region", ["region", "hashtag"])
    query = town.run(town.job(lambda town: ps.measured(town.stream(), "at", chain, one_in=1).groupBy("region").count()))
    first, second = next(counts for counts in told(query) if counts)
    assert first.right() == second.left() == {f"r{number}": 12 for number in range(REGIONS)}
    assert set(second.right()) == {(region, str(tag)) for region, tag, _ in town.rows}


def test_the_error_told_holds_for_lists_that_are_full_and_for_rows_that_were_drawn() -> None:
    full = [{"item": f"a{number}\x1ex", "count": 9} for number in range(LISTED)]
    (counted,) = observed_pairs({"rows": 80_000.0, "one_in": 16, "pairs_0": full})
    # A pair with 9 rows drawn may be missing, and 5 deviations of the heaviest, 9 rows, are 5 * 3.
    assert (counted.pairs["a0", "x"], counted.error) == (16 * 9, 16 * (9 + 15))
    (counted,) = observed_pairs({"rows": 80_000.0, "one_in": 1, "pairs_0": full[1:]})
    assert (counted.pairs["a1", "x"], counted.error) == (9, 0)


def test_a_share_of_rows_that_is_none_is_refused(spark: SparkSession, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="one_in: 0 will not do"):
        ps.measured(Town(spark, tmp_path, name).stream(), event_time="at", pairs=KEYS, one_in=0)
