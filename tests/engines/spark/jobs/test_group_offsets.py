"""What groups have read: told to a broker once it can be, and never more than the slowest query has read."""

import logging
from collections.abc import Hashable
from dataclasses import dataclass, field

import pytest

from penstock.engines.spark.jobs.group_offsets import GroupOffsets, Offsets, Reached
from penstock.errors import EngineError


@dataclass
class Place:
    """A broker that keeps what it is told, while it is there."""

    is_there: bool = True
    asked: int = 0
    groups: dict[str, Offsets] = field(default_factory=dict)

    def at(self, address: Hashable) -> "Place":
        return self

    def commit(self, group: str, offsets: Offsets) -> None:
        self.asked += 1
        if not self.is_there:
            raise EngineError("the broker at broker:9092 does not say: it did not answer in time")
        self.groups[group] = offsets


def reached(offset: int, group: str = "shop", partition: int = 0) -> Reached:
    return Reached(group, {"broker:9092": {"rows": {partition: offset}}})


def test_a_broker_is_told_once_of_each_batch() -> None:
    known, broker = GroupOffsets(), Place()
    for run, offset in (("a", 5), ("a", 7)):
        known.take(run, reached(offset))
        known.commit(broker, 0.0)
    known.commit(broker, 1.0)
    assert (broker.groups, broker.asked) == ({"shop": {"rows": {0: 7}}}, 2)


def test_a_group_of_several_queries_has_read_what_the_slowest_has() -> None:
    known, broker = GroupOffsets(), Place()
    known.take("fast", reached(9))
    known.take("slow", reached(4))
    known.take("other partition", reached(2, partition=1))
    known.commit(broker, 0.0)
    assert broker.groups == {"shop": {"rows": {0: 4, 1: 2}}}
    known.end("slow")
    known.take("fast", reached(10))
    known.commit(broker, 1.0)
    assert broker.groups["shop"]["rows"][0] == 10


def test_a_broker_that_is_away_rests_and_is_told_the_newest_then(caplog: pytest.LogCaptureFixture) -> None:
    known, broker = GroupOffsets(), Place(is_there=False)
    known.take("a", reached(5))
    with caplog.at_level(logging.WARNING):
        known.commit(broker, 0.0)
        known.take("a", reached(6))
        known.commit(broker, 9.9)
        known.commit(broker, 10.0)
    assert (broker.asked, known.again_at) == (2, 20.0)
    told = "offsets of group shop are not committed, and will be once that is mended: the broker at broker:9092 does"
    assert [record.getMessage().startswith(told) for record in caplog.records] == [True]
    broker.is_there = True
    known.commit(broker, 20.0)
    assert (broker.groups, known.again_at) == ({"shop": {"rows": {0: 6}}}, float("inf"))


def test_what_a_query_read_before_it_ended_is_still_committed() -> None:
    known, broker = GroupOffsets(), Place(is_there=False)
    known.take("a", reached(5))
    known.commit(broker, 0.0)
    known.end("a")
    assert known.addresses == {"broker:9092"}
    broker.is_there = True
    known.commit(broker, 10.0)
    assert (broker.groups, known.addresses) == ({"shop": {"rows": {0: 5}}}, frozenset())


def test_queries_of_other_groups_are_apart() -> None:
    known, broker = GroupOffsets(), Place()
    known.take("a", reached(5, "shop-a"))
    known.take("b", reached(3, "shop-b"))
    known.commit(broker, 0.0)
    assert broker.groups == {"shop-a": {"rows": {0: 5}}, "shop-b": {"rows": {0: 3}}}
