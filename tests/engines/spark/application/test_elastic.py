"""Executors follow slots, decided without a clock of their own."""

from dataclasses import dataclass, field

import pytest

from penstock.engines.spark.application.elastic import Elastic
from penstock.errors import EngineError


@dataclass
class Cluster:
    """A cluster that gives at most so many executors, at once."""

    gives: int
    there: int = 0
    aimed: list[int] = field(default_factory=list)
    leaving: int = 0

    def count(self) -> int:
        return self.there

    def aim(self, wanted: int) -> None:
        self.aimed.append(wanted)
        self.there = max(self.there, min(self.gives, wanted))

    def let_go(self, stay: int) -> None:
        assert self.aimed[-1] <= stay  # or the master would replace those that end
        self.there = min(self.there, stay)


def test_as_many_executors_as_the_slots_need_and_no_more_than_allowed() -> None:
    cluster = Cluster(gives=10)
    elastic = Elastic(cluster, most=4, slots_each=2)
    for slots, executors in ((3, 2), (8, 4), (20, 4), (1, 1)):
        elastic.follow(slots, 0.0)
        assert cluster.there == executors


def test_those_that_came_late_over_the_target_are_let_go() -> None:
    cluster = Cluster(gives=4, there=1)
    elastic = Elastic(cluster, most=4)
    elastic.follow(2, 0.0)
    cluster.there = 4
    elastic.keep(1.0)
    assert cluster.there == 2


def test_what_the_cluster_does_not_give_within_a_minute_becomes_the_limit_for_a_while() -> None:
    cluster = Cluster(gives=2)
    elastic = Elastic(cluster, most=4)
    elastic.follow(4, 0.0)
    for now in (1.0, 30.0, 62.0):
        elastic.keep(now)
    assert (elastic.slots(63.0), elastic.target) == (2, 2)
    assert elastic.slots(63.0 + 300.0) == 4


def test_an_executor_that_is_lost_and_comes_back_changes_nothing() -> None:
    cluster = Cluster(gives=4)
    elastic = Elastic(cluster, most=4)
    elastic.follow(4, 0.0)
    cluster.there = 3
    elastic.keep(10.0)
    cluster.there = 4
    elastic.keep(20.0)
    cluster.there = 3
    elastic.keep(75.0)
    assert (elastic.slots(76.0), elastic.target) == (4, 4)


def test_figures_count_again_once_the_wanted_number_was_there_for_a_window() -> None:
    cluster = Cluster(gives=4)
    elastic = Elastic(cluster, most=4)
    elastic.follow(2, 0.0)
    assert elastic.settles(0.0, 20.0)
    elastic.keep(1.0)
    assert (elastic.settles(20.0, 20.0), elastic.settles(21.0, 20.0)) == (True, False)
    cluster.there = 1  # one is lost
    elastic.keep(30.0)
    assert elastic.settles(100.0, 20.0)


def test_every_turn_is_told_with_its_why() -> None:
    cluster, told = Cluster(gives=3), list[tuple[str, str]]()
    elastic = Elastic(cluster, most=4, note=lambda text, why: told.append((text, why)))
    for _ in range(2):
        elastic.follow(2, 0.0)
    cluster.there = 3
    elastic.keep(1.0)
    elastic.follow(4, 2.0)
    elastic.keep(3.0)
    elastic.keep(64.0)
    assert told == [
        ("executors 4 -> 2", "the jobs have 2 slots in all"),
        ("executors 3 -> 2", "more came than are wanted"),
        ("executors 2 -> 4", "the jobs have 4 slots in all"),
        ("executors 4 -> 3", "the cluster gives no more; 4 are asked for again after 300 s"),
    ]


def test_those_that_take_their_time_to_leave_are_told_once_and_make_nobody_short_of_what_is_wanted() -> None:
    cluster, told = Slow(gives=4, there=3), list[str]()
    elastic = Elastic(cluster, most=4, note=lambda text, why: told.append(text))
    elastic.follow(2, 0.0)
    for now in (1.0, 2.0, 3.0):
        elastic.keep(now)
    assert (cluster.there, cluster.asked, told) == (3, [2, 2, 2, 2], ["executors 4 -> 2"])
    assert not elastic.settles(21.0, 20.0)  # figures count: nothing new runs on the one that leaves


def test_one_that_leaves_while_more_are_wanted_again_is_not_counted_on() -> None:
    cluster = Slow(gives=3, there=3)
    elastic = Elastic(cluster, most=3)
    elastic.follow(2, 0.0)
    elastic.follow(3, 1.0)
    elastic.keep(2.0)
    elastic.keep(63.0)
    assert elastic.target == 2  # the cluster gave no other in its place for a minute


@dataclass
class Slow(Cluster):
    """A cluster whose executors take their time to leave."""

    asked: list[int] = field(default_factory=list)

    def let_go(self, stay: int) -> None:
        self.asked.append(stay)
        self.leaving = max(self.leaving, self.there - stay)


def test_what_could_not_be_asked_of_a_master_that_was_away_is_asked_when_it_is_back() -> None:
    cluster = Away(gives=4, there=1)
    elastic = Elastic(cluster, most=4)
    with pytest.raises(EngineError, match="no master"):
        elastic.follow(3, 0.0)
    with pytest.raises(EngineError, match="no master"):
        elastic.keep(1.0)
    cluster.away = False
    elastic.keep(2.0)
    assert (cluster.aimed, cluster.there) == ([3], 3)


@dataclass
class Away(Cluster):
    """A cluster whose master is away."""

    away: bool = True

    def aim(self, wanted: int) -> None:
        if self.away:
            raise EngineError("no master answers")
        super().aim(wanted)


@pytest.mark.parametrize("seen", [True, False], ids=["seen without executors", "not seen meanwhile"])
def test_of_a_master_that_begins_anew_with_more_no_more_are_taken(seen: bool) -> None:
    cluster = Forgets(gives=4, there=3)
    elastic = Elastic(cluster, most=3, holds=True)
    elastic.keep(0.0)
    elastic.allow(1, 1.0)
    cluster.begin_anew(3)
    if seen:
        elastic.keep(2.0)
    cluster.give()
    elastic.keep(3.0)
    cluster.give()
    assert (cluster.there, cluster.target) == (1, 1)


def test_a_master_that_begins_anew_with_fewer_is_asked_once_for_what_is_wanted() -> None:
    cluster = Forgets(gives=4, there=1)
    elastic = Elastic(cluster, most=1, holds=True)
    elastic.keep(0.0)
    elastic.allow(3, 1.0)
    cluster.give()
    elastic.keep(2.0)
    cluster.begin_anew(1)
    for now in (3.0, 4.0):
        elastic.keep(now)
    cluster.give()
    assert (cluster.there, cluster.aimed) == (3, [3, 3])


@dataclass
class Forgets(Cluster):
    """A cluster whose master replaces what ends over what it was asked for last; executors come with `give`."""

    target: int = 0

    def aim(self, wanted: int) -> None:
        self.aimed.append(wanted)
        self.target = wanted

    def begin_anew(self, executors: int) -> None:
        """It died, and all executors with it."""
        self.there, self.target = 0, executors

    def give(self) -> None:
        self.there = max(self.there, min(self.gives, self.target))


def test_who_is_told_how_many_to_hold_holds_them_whatever_slots_the_jobs_have() -> None:
    cluster = Cluster(gives=10, there=2)
    elastic = Elastic(cluster, most=2, slots_each=2, holds=True)
    elastic.follow(1, 0.0)
    assert cluster.there == 2
    for told in (5, 1, 3):
        elastic.allow(told, 10.0)
        assert (cluster.there, elastic.slots(10.0)) == (told, 2 * told)


def test_a_holder_tells_of_each_executor_that_came_or_went_though_its_wish_stood_open_all_along() -> None:
    cluster, told = Cluster(gives=1), list[str]()
    elastic = Elastic(cluster, most=3, note=lambda text, why: told.append(f"{text}: {why}"), holds=True)
    elastic.follow(1, 0.0)
    for there in (1, 1, 3):  # somebody else lets go of two before a word comes from the coordinator
        cluster.there = there
        elastic.keep(5.0)
    elastic.allow(3, 10.0)
    elastic.allow(2, 20.0)
    elastic.keep(20.0)
    assert told == ["executors 1 -> 3: it is to hold 3", "executors 3 -> 2: it is to hold 2"]


def test_a_holder_asks_for_all_that_it_is_to_hold_however_long_they_do_not_come() -> None:
    cluster, told = Cluster(gives=2), list[tuple[str, str]]()
    elastic = Elastic(cluster, most=4, note=lambda text, why: told.append((text, why)), holds=True)
    elastic.follow(1, 0.0)
    for now in (1.0, 62.0, 400.0):
        elastic.keep(now)
    assert (elastic.target, cluster.aimed) == (4, [4])
    why = "the cluster gives no more; all are asked for until a coordinator orders otherwise"
    assert told == [("lacks 2 of 4 executors", why)]


@pytest.mark.parametrize(("there", "slots"), [(2, 2), (3, 3), (1, 1), (4, 4)])
def test_jobs_of_a_holder_that_lacks_executors_divide_those_that_are_there(there: int, slots: int) -> None:
    cluster = Cluster(gives=2)
    elastic = Elastic(cluster, most=4, holds=True)
    elastic.follow(1, 0.0)
    for now in (1.0, 62.0):
        assert elastic.slots(now) == 4  # they may be about to come
        elastic.keep(now)
    assert elastic.slots(62.0) == 2
    cluster.there = there
    elastic.keep(63.0)
    elastic.follow(1, 64.0)
    elastic.allow(4, 64.0)  # the same order once more
    assert (elastic.slots(64.0), elastic.target) == (slots, 4)


def test_figures_of_a_holder_count_while_it_lacks_executors_and_anew_with_each_that_comes() -> None:
    cluster = Cluster(gives=2)
    elastic = Elastic(cluster, most=4, holds=True)
    elastic.follow(1, 0.0)
    settled = []
    for now, there in ((1.0, 2), (62.0, 2), (80.0, 2), (83.0, 2), (84.0, 3), (105.0, 3), (106.0, 4), (127.0, 4)):
        cluster.there = there
        elastic.keep(now)
        settled.append(not elastic.settles(now, 20.0))
    assert settled == [False, False, False, True, False, True, False, True]


@pytest.mark.parametrize(("order", "slots"), [(3, 3), (2, 2), (6, 6)])
def test_another_order_is_waited_for_anew(order: int, slots: int) -> None:
    cluster = Cluster(gives=2)
    elastic = Elastic(cluster, most=4, holds=True)
    elastic.follow(1, 0.0)
    for now in (1.0, 62.0):
        elastic.keep(now)
    elastic.allow(order, 63.0)
    elastic.keep(64.0)
    assert (elastic.slots(64.0), elastic.target) == (slots, order)
