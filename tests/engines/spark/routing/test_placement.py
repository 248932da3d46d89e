"""Where state partitions live: evenly, and where they lived before."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.engines.spark.routing.placement import assign, operator_rows, partition_rows

EVEN = [1.0] * 8
FOUR = ["1", "2", "3", "4"]


def moved(before: dict[int, str], after: dict[int, str]) -> set[int]:
    return {partition for partition, home in after.items() if before[partition] != home}


def test_equal_partitions_are_dealt_out_evenly() -> None:
    homes = list(assign(EVEN, FOUR, {}).values())
    assert sorted(homes) == sorted(FOUR * 2)


def test_the_heaviest_partitions_are_on_different_executors() -> None:
    placed = assign([50.0, 40.0, 30.0, 20.0, 1.0, 1.0, 1.0, 1.0], FOUR, {})
    assert len({placed[partition] for partition in range(4)}) == 4


def test_a_lost_executor_moves_its_own_partitions_only() -> None:
    before = assign(EVEN, FOUR, {})
    after = assign(EVEN, ["1", "2", "4"], before)
    assert moved(before, after) == {partition for partition, home in before.items() if home == "3"}


def test_an_executor_that_joins_gets_its_share_and_no_others_trade() -> None:
    before = assign(EVEN, ["1", "2"], {})
    after = assign(EVEN, ["1", "2", "3"], before)
    assert {after[partition] for partition in moved(before, after)} == {"3"}
    assert sorted(map(list(after.values()).count, ("1", "2", "3"))) == [2, 3, 3]


def test_nothing_to_run_on_places_nothing() -> None:
    assert assign(EVEN, [], {0: "1"}) == {}


def test_a_partitions_rows_are_those_of_the_keys_it_holds_and_an_even_part_of_the_unlisted() -> None:
    table = RoutingTable(2, {"region": {"7": 0}, "tag": {"x": 0, "y": 1}})  # a kept table's keys are texts
    pairs = PairCounts.exact({(7, "x"): 10, (7, "y"): 4, (8, "z"): 6})
    # Of 20 rows by region 6 are not listed, of 20 by tag 6: 12, so 6 each; listed are 14 + 10 and 4.
    assert partition_rows(table, {("region", "tag"): pairs}) == (30.0, 10.0)


def test_a_key_that_no_table_lists_counts_where_the_engine_has_it() -> None:
    table, pairs = RoutingTable(2, {"tag": {"x": 0}}), PairCounts({("a", "x"): 6, ("b", "y"): 3}, rows=10)
    assert operator_rows(table, "tag", {("region", "tag"): pairs}, {"x": 1, "y": 1}) == [6.5, 3.5]


@given(
    st.lists(st.floats(0, 100), min_size=1, max_size=40),
    st.sets(st.sampled_from("abcdefgh"), min_size=1),
    st.dictionaries(st.integers(0, 39), st.sampled_from("abcdefgh")),
)
def test_every_partition_has_a_living_executor_and_asking_again_soon_moves_nothing(
    loads: list[float], executors: set[str], before: dict[int, str]
) -> None:
    rounds = [before]
    for _ in range(10):
        rounds.append(assign(loads, sorted(executors), rounds[-1]))
    assert set(rounds[-1]) == set(range(len(loads)))
    assert set(rounds[-1].values()) <= executors
    assert rounds[-1] == rounds[-2]
