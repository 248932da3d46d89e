"""Key pairs counted in a query's own pass: of rows drawn by a call of penstock's class, and by Spark's own terms."""

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery

import penstock as ps
from penstock.core.seen.pairs import Pair, PairCounts
from penstock.correlation.sampling import MOST
from penstock.engines.spark import measured
from penstock.engines.spark.jvm.routing.draw_call import draw_call
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.routing.pair_draw import draw_one_in
from penstock.engines.spark.watch.drawn_pairs import DrawnPairs, drawn_pairs
from penstock.engines.spark.watch.progress import parse_batch
from penstock.errors import ConfigError
from tests.engines.spark.routing.town import REGIONS, Town, by_region
from tests.patience import eventually

KEYS = ("region", "hashtag")


@pytest.fixture(params=["by_call", "by_terms"])
def each_way(request: pytest.FixtureRequest, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where Spark takes the class, and as where it was found not to."""
    assert draw_call(spark) is not None
    if request.param == "by_terms":
        monkeypatch.setattr(measured, "draw_call", lambda spark: None)


def told(query: StreamingQuery) -> list[DrawnPairs]:
    return [parse_batch(progress.json)[1].drawn for progress in query.recentProgress]


def rows_drawn(pairs: PairCounts) -> int:
    """Each stands for as many as any other, and the rarest pair here was drawn once."""
    return round(sum(pairs.pairs.values()) / min(pairs.pairs.values()))


@pytest.mark.usefixtures("each_way")
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


@pytest.mark.usefixtures("each_way")
def test_of_many_rows_some_are_drawn_and_no_count_is_further_off_than_is_said(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed(40_000)
    query = town.run(town.job(lambda town: ps.measured(town.stream(), "at", KEYS).groupBy("region").count()))
    (counted,) = next(batch.pairs for batch in told(query) if batch.pairs)
    truth = Counter((region, str(tag)) for region, tag, _ in town.rows)
    assert counted.rows == pytest.approx(sum(counted.pairs.values())) == 40_000
    assert 0 < counted.error < 0.1 * counted.rows
    assert max(abs(counted.pairs.get(pair, 0.0) - rows) for pair, rows in truth.items()) <= counted.error


@pytest.mark.usefixtures("each_way")
def test_of_however_many_rows_no_more_are_told_and_none_is_drawn_sooner_than_another(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed(60_000)
    pairs = ("region", "at")  # of which no two rows have the same
    query = town.run(town.job(lambda town: ps.measured(town.stream(), "at", pairs).groupBy("region").count()))
    (counted,) = next(batch.pairs for batch in told(query) if batch.pairs)
    times = sorted(str(at) for _, at in counted.pairs)
    assert len(times) == MOST  # nobody had seen how many there would be
    later = sum(time >= "1970-01-01 08:20:00" for time in times)  # the second half, of 30,000 seconds
    assert later / MOST == pytest.approx(0.5, abs=6 * (0.25 / MOST) ** 0.5)


@pytest.mark.usefixtures("each_way")
def test_a_running_query_draws_another_share_from_its_next_batch_on(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    town = Town(spark, tmp_path, name)
    town.feed(8_000)
    job = town.job(
        lambda town: ps.measured(town.stream(), "at", ("region", "at")).groupBy("region").count(),
        processingTime="100 milliseconds",
    )
    query = start_query(spark, job)
    first = eventually(lambda: next((batch for batch in told(query) if batch.pairs), None))
    draw_one_in(first.cell, 8)
    town.feed(8_000)
    second = eventually(
        lambda: next((batch for batch in told(query)[::-1] if batch.pairs and batch.pairs != first.pairs), None)
    )
    query.stop()
    assert rows_drawn(first.pairs[0]) == MOST
    assert rows_drawn(second.pairs[0]) == pytest.approx(1_000, abs=200)  # seven standard deviations


@pytest.mark.usefixtures("each_way")
def test_more_than_two_operators_are_counted_hop_by_hop(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    chain = ("hashtag", "region", ["region", "hashtag"])
    query = town.run(town.job(lambda town: ps.measured(town.stream(), "at", chain, one_in=1).groupBy("region").count()))
    first, second = next(batch.pairs for batch in told(query) if batch.pairs)
    assert first.right() == second.left() == {f"r{number}": 12 for number in range(REGIONS)}
    assert set(second.right()) == {(region, str(tag)) for region, tag, _ in town.rows}


@pytest.mark.usefixtures("each_way")
def test_a_row_without_a_key_makes_no_pair_and_counts_as_a_row(spark: SparkSession, tmp_path: Path, name: str) -> None:
    town = Town(spark, tmp_path, name)
    town.feed()
    some = functions.when(functions.col("hashtag") != 0, functions.col("hashtag")).alias("hashtag")
    query = town.run(
        town.job(
            lambda town: (
                ps.measured(town.stream().select("region", some, "at"), "at", ("hashtag", "region"))
                .groupBy("region")
                .count()
            )
        )
    )
    (counted,) = next(batch.pairs for batch in told(query) if batch.pairs)
    assert counted.pairs == Counter((str(tag), region) for region, tag, _ in town.rows if tag != 0)
    assert counted.rows == 60


def test_a_row_stands_for_as_many_as_were_not_drawn_or_not_told() -> None:
    rows = "\x1d".join(["a\x1ex"] * 9 + ["b\x1e\x1c"])  # one of them has a NULL key
    told = {"rows": 160.0, "draw": "draw 1", "keys": 2, "pairs": rows}
    assert drawn_pairs(told) == DrawnPairs((PairCounts({("a", "x"): 9 * 16}, 160.0, 16 * 5 * 3),), "draw 1")
    assert drawn_pairs({**told, "rows": 10}).pairs[0].error == 0
    assert drawn_pairs({**told, "pairs": ""}) == DrawnPairs((PairCounts({}, 160.0, 160.0 * 5),), "draw 1")


def test_a_share_of_rows_that_is_none_is_refused(spark: SparkSession, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="one_in: 0 cannot be used"):
        ps.measured(Town(spark, tmp_path, name).stream(), event_time="at", pairs=KEYS, one_in=0)
