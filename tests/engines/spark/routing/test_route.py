"""Routing as a user writes it: the same results, keys where a table wants them, and clear refusals."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession, functions

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.routing.murmur import hash_keys, partitions_of
from penstock.engines.spark.routing.route import Routing
from penstock.errors import ConfigError
from tests.engines.spark.routing.town import REGIONS, Counts, Town, state_partitions


@pytest.fixture
def town(spark: SparkSession, tmp_path: Path, name: str) -> Town:
    made = Town(spark, tmp_path, name)
    made.feed()
    return made


def run(town: Town, group: Any) -> Counts:
    town.run(town.job(group))
    return town.counted


def test_results_and_columns_are_those_of_the_unrouted_query_in_sliding_windows_by_two_keys(town: Town) -> None:
    route = Routing(town.name, left=["region", "hashtag"], checkpoint=town.checkpoint)
    window = functions.window("at", "40 seconds", "20 seconds")
    routed = town.stream().groupBy(window, *route.left_key()).agg(functions.count("*").alias("rows"))
    plain = town.stream().groupBy(window, "region", "hashtag").agg(functions.count("*").alias("rows"))
    assert routed.columns == plain.columns
    assert [field.dataType for field in routed.schema] == [field.dataType for field in plain.schema]
    found = run(town, lambda town: routed.select(functions.unix_seconds("window.start"), "region", "hashtag", "rows"))
    rows = town.spark.read.parquet(str(town.source)).groupBy(window, "region", "hashtag").count().collect()
    assert found == {(int(row[0]["start"].timestamp()), row[1], row[2]): row[3] for row in rows}


def test_listed_keys_are_where_the_table_wants_them_and_others_where_spark_hashes_them(town: Town) -> None:
    town.route.start_with(town.spark, RoutingTable(2, {"left": {"r0": 1, "r1": 1, "r2": 0}}))
    run(town, lambda town: town.stream().groupBy(*town.route.left_key()).count())
    others = [f"r{number}" for number in range(3, REGIONS)]
    hashed = partitions_of(hash_keys(others, ["string"]), 2)
    wanted = {("r0",): {1}, ("r1",): {1}, ("r2",): {0}}
    assert state_partitions(town) == wanted | {(key,): {int(at)} for key, at in zip(others, hashed, strict=True)}


def test_an_integer_key_is_found_in_the_table(town: Town) -> None:
    town.route.start_with(town.spark, RoutingTable(2, {"right": dict.fromkeys(range(7), 1)}))
    run(town, lambda town: town.stream().groupBy(*town.route.right_key()).count())
    assert set().union(*state_partitions(town).values()) == {1}


def test_a_users_own_state_sees_its_key_and_no_salt(town: Town) -> None:
    def tally(key: Any, frames: Iterator[Any], state: Any) -> Iterator[Any]:
        before = state.get[0] if state.exists else 0
        state.update((before + sum(len(frame) for frame in frames),))
        yield pa.table({"key": ["|".join(key)], "rows": [state.get[0]]}).to_pandas()

    def group(town: Town) -> DataFrame:
        groups: Any = town.stream().groupBy(*town.route.left_key())
        counted: DataFrame = groups.applyInPandasWithState(
            tally, "key string, rows int", "n int", "update", "NoTimeout"
        )
        return counted

    assert run(town, group) == {(f"r{number}",): 12 for number in range(REGIONS)}


def test_session_windows_are_refused_when_the_query_is_made(town: Town) -> None:
    with pytest.raises(ConfigError, match="session_window"):
        town.stream().groupBy(functions.session_window("at", "1 minute"), *town.route.left_key())


def test_timers_and_ttl_are_refused_when_the_query_is_made(town: Town) -> None:
    groups: Any = town.stream().groupBy(*town.route.left_key())
    with pytest.raises(ConfigError, match="transformWithStateInPandas"):
        groups.transformWithStateInPandas(None, "key string", "update", "ProcessingTime")
    with pytest.raises(ConfigError, match="timeoutConf"):
        groups.applyInPandasWithState(print, "k int", "s int", "update", timeoutConf="EventTimeTimeout")


def test_half_a_key_and_another_routes_operators_are_refused(town: Town) -> None:
    route = Routing(town.name, chain=[["region", "hashtag"], "hashtag"], checkpoint=town.checkpoint)
    with pytest.raises(ConfigError, match="whole key"):
        town.stream().groupBy(route.key("region+hashtag")[0])
    town.route.book(town.spark)
    with pytest.raises(ConfigError, match="use a new name"):
        town.stream().groupBy(*route.key("hashtag"))


@pytest.mark.parametrize("kind", ["double", "string collate UTF8_LCASE"])
def test_keys_whose_equal_values_may_have_different_texts_are_refused(town: Town, kind: str) -> None:
    stream = town.stream().withColumn("region", functions.col("hashtag").cast(kind))
    with pytest.raises(ConfigError, match="text or whole numbers"):
        stream.groupBy(*town.route.left_key())


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "left"),
        ({"left": ""}, "left"),
        ({"chain": ["a"]}, "chain"),
        ({"chain": ["a", "a"]}, "chain"),
        ({"left": "a", "chain": ["a", "b"]}, "chain"),
    ],
)
def test_a_route_without_clear_keys_is_refused(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Routing("tweets", **arguments)
    assert refused.value.field == field


def test_batch_frames_and_other_keys_are_grouped_by_spark_itself(town: Town) -> None:
    frame = town.spark.read.parquet(str(town.source))
    assert frame.groupBy(*town.route.left_key()).count().columns == ["region", "count"]
    assert town.stream().groupBy("region").count().columns == ["region", "count"]
