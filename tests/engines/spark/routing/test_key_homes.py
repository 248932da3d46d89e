"""Where keys live, as people are told: the table, the newest pairs and the executors put together."""

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.key_placement import MOST_PARTITIONS, KeyPlacement, KeysInPartition, KeysOnMachine
from penstock.core.seen.pairs import PairCounts
from penstock.engines.spark.routing.key_homes import key_placements
from penstock.engines.spark.watch.machines import Executor

OPERATORS = ("left", "right")
TABLE = RoutingTable(2, {"left": {"Asia": 0, "Oceania": 1}, "right": {"#java": 0, "#ruby": 1}}, version=3)
ONE, TWO = Executor("1", "m1", 1, None), Executor("2", "m2", 1, None)


def told(pairs: PairCounts, homes: dict[int, Executor]) -> tuple[KeyPlacement, ...]:
    return key_placements(TABLE, OPERATORS, {OPERATORS: pairs}, homes)


def test_each_partition_has_its_executor_its_listed_keys_and_its_share_of_the_rows() -> None:
    left, right = told(PairCounts.exact({("Asia", "#java"): 6, ("Oceania", "#java"): 2}), {0: ONE, 1: TWO})
    assert left.partitions == (KeysInPartition(0, "1", "m1", 1, 0.75), KeysInPartition(1, "2", "m2", 1, 0.25))
    assert [found.share for found in right.partitions] == [1.0, 0.0]
    assert (left.operator, left.locality, left.table) == ("left", None, 3)
    assert right.locality == 0.75  # 6 of 8 rows


def test_a_key_that_no_table_lists_stays_by_luck() -> None:
    _, right = told(PairCounts.exact({("Asia", "#java"): 4, ("Asia", "#new"): 4}), {0: ONE, 1: TWO})
    assert right.locality == 0.75  # four rows, and half of four


def test_partitions_that_share_a_machine_are_local_to_one_another() -> None:
    left, right = told(PairCounts.exact({("Asia", "#ruby"): 4}), {0: ONE, 1: Executor("3", "m1", 1, None)})
    assert (right.locality, left.machines) == (1.0, (KeysOnMachine("m1", 2, 2, 1.0),))


def test_what_is_not_known_is_absent() -> None:
    left, right = key_placements(TABLE, OPERATORS, {}, {0: ONE})
    assert left.partitions == (KeysInPartition(0, "1", "m1", 1, None), KeysInPartition(1, None, None, 1, None))
    assert right.locality is None


def test_of_many_partitions_the_heaviest_are_told_one_by_one_and_all_by_machine() -> None:
    many = [KeysInPartition(number, "1", "m1", 1, float(number)) for number in range(MOST_PARTITIONS + 9)]
    found = KeyPlacement.of("count", many)
    assert [one.partition for one in found.partitions] == list(range(9, MOST_PARTITIONS + 9))
    assert found.machines[0].partitions == MOST_PARTITIONS + 9
