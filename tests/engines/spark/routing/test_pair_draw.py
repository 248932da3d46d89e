"""Key pairs counted in a query's own pass."""

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import penstock as ps
from penstock.core.pairs import Pair, PairCounts
from penstock.correlation.sampling import MOST
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.routing.pair_draw import DrawnPairs, draw_one_in, drawn_pairs
from penstock.engines.spark.watch.progress import parse_batch
from penstock.errors import ConfigError
from tests.engines.spark.routing.town import REGIONS, Town, by_region
from tests.patience import eventually

KEYS = ("region", "hashtag")


def told(query: StreamingQuery) -> list[DrawnPairs]:
    return [parse_batch(progress.json)[1].drawn for progress in query.recentProgress]


def test_the_pairs_of_a_batch_of_few_rows_are_counted_exactly(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    query = town.run(
        town.job(lambda town: ps.measured(town.stream(), event_time="at", pairs=KEYS).groupBy("region").count())
    )
    expected: dict[Pair, float] = {}
    for region, tag, _ in town.rows:
        expected[region, str(tag)] = expected.get((region, str(tag)), 0) + 1
    assert [batch.pairs for batch in told(query) if batch.pairs] == [(PairCounts(expected, 60.0, 0.0),)]


def test_a_query_that_observes_nothing_tells_of_no_pairs(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    assert {batch.pairs for batch in told(town.run(town.job(by_region)))} == {()}


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
    batch = next(batch for batch in told(query) if batch.pairs)
    (counted,) = batch.pairs
    truth = Counter((region, str(tag)) for region, tag, _ in town.rows)
    assert (batch.rows, counted.rows) == (MOST, 40_000)  # nobody had seen how many there would be
    assert 0 < counted.error < 0.1 * counted.rows
    assert max(abs(counted.pairs.get(pair, 0.0) - rows) for pair, rows in truth.items()) <= counted.error


def test_a_running_query_draws_another_share_from_its_next_batch_on(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed(8_000)
    job = town.job(
        lambda town: ps.measured(town.stream(), "at", KEYS).groupBy("region").count(),
        processingTime="100 milliseconds",
    )
    query = start_query(spark, job)
    first = eventually(lambda: next((batch for batch in told(query) if batch.pairs), None))
    draw_one_in(first.cell, 8)
    town.feed(8_000)
    second = eventually(
        lambda: next((batch for batch in told(query) if batch.rows != first.rows and batch.pairs), None)
    )
    query.stop()
    assert first.rows == MOST
    assert second.rows == pytest.approx(1_000, abs=200)  # seven standard deviations
    assert {rows % 8 for rows in second.pairs[0].pairs.values()} == {0}


def test_more_than_two_operators_are_counted_hop_by_hop(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    chain = ("hashtag", "region", ["region", "hashtag"])
    query = town.run(town.job(lambda town: ps.measured(town.stream(), "at", chain, one_in=1).groupBy("region").count()))
    first, second = next(batch.pairs for batch in told(query) if batch.pairs)
    assert first.right() == second.left() == {f"r{number}": 12 for number in range(REGIONS)}
    assert set(second.right()) == {(region, str(tag)) for region, tag, _ in town.rows}


def test_a_row_stands_for_as_many_as_were_not_drawn_or_not_told() -> None:
    told = {"rows": 80_000.0, "draw": "draw 1", "share": 1 / 16, "pairs_0": ["a\x1ex"] * 9 + ["b"]}
    few = drawn_pairs({**told, "drawn": 10})  # of 16 rows one was drawn; one of those had a NULL key
    assert few == DrawnPairs((PairCounts({("a", "x"): 9 * 16}, 80_000.0, 16 * 5 * 3),), 10, "draw 1")
    many = drawn_pairs({**told, "drawn": 2 * MOST})  # and half of those drawn were told
    assert (many.pairs[0].pairs["a", "x"], many.rows) == (9 * 32, MOST)
    assert drawn_pairs({**told, "share": 1.0, "drawn": 10}).pairs[0].error == 0


def test_a_share_of_rows_that_is_none_is_refused(spark: SparkSession, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="one_in: 0 cannot be used"):
        ps.measured(Town(spark, tmp_path, name).stream(), event_time="at", pairs=KEYS, one_in=0)
