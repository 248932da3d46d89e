"""Executors that were promised and never come are others' to have after a while, and are asked for again later."""

from dataclasses import replace

import pytest
from fleet_world import SimulatedApplication, SimulatedCluster, held, of_one

from penstock.engines.applications.cluster import Room
from penstock.engines.applications.lacking import AGAIN_AFTER_S, COMES_WITHIN_S, Lack
from penstock.engines.applications.settings import FleetSettings
from penstock.engines.applications.wire import Order, SaidState
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from penstock.errors import OutageError
from tests.engines.applications.fleet import Fleet


class Quota(SimulatedCluster):
    """Gives fraud two executors at the most, of which nobody is told."""

    most = 2
    away = False

    def settle(self) -> None:
        asked = {one.name: one.wanted for one in self.applications.values()}
        for one in self.applications.values():
            one.wanted = min(one.wanted, self.most) if one.name == "fraud" else one.wanted
        super().settle()
        for one in self.applications.values():
            one.wanted = asked[one.name]

    def room(self) -> Room:
        if self.away:
            raise OutageError("away")
        room = super().room()
        return replace(room, waits={"fraud": "exceeded quota"} if self.most == 2 else {})


def spiking(settings: FleetSettings = FleetSettings()) -> tuple[Fleet, list[SimulatedApplication]]:
    """A fleet in which fraud is to have eight of twelve executors, and gets no more than two of them."""
    fleet = Fleet(cluster=Quota(12), settings=settings)
    fraud, bots = of_one("fraud", fleet.cluster, 100.0), of_one("bots", fleet.cluster, 100.0)
    fleet.round(fraud, bots)
    fraud.rates["fraud"] = 800.0
    for _ in range(3):
        fleet.round(fraud, bots)
    return fleet, [fraud, bots]


def goes_on(fleet: Fleet, applications: list[SimulatedApplication], seconds: float) -> None:
    for _ in range(int(seconds / 10.0)):
        fleet.round(*applications)


def test_executors_that_do_not_come_for_two_minutes_go_to_whoever_needs_them() -> None:
    fleet, (fraud, bots) = spiking()
    assert (fraud.wanted, fraud.held) == (8, 2)
    bots.rates["bots"] = 700.0
    goes_on(fleet, [fraud, bots], COMES_WITHIN_S + 30.0)
    assert held(fleet.cluster)["bots"] >= 7
    assert fraud.wanted == 2  # it asks for no more, which might come when they are others' already
    told = [(deed.text, deed.error) for deed in fleet.engine.observe(fleet.now).deeds if deed.job == "fraud"]
    assert ("is to have 2 executors, not 8", "exceeded quota") in told


def test_what_was_promised_to_one_that_was_silent_ever_since_is_others_after_two_minutes() -> None:
    fleet = Fleet(cluster=SimulatedCluster(12))
    fraud, bots = of_one("fraud", fleet.cluster, 100.0), of_one("bots", fleet.cluster, 100.0)
    fleet.round(fraud, bots)
    fraud.rates["fraud"] = 800.0
    fleet.report(fraud)
    fleet.now += 1.0
    fleet.round(bots)  # decides, and nobody tells fraud
    bots.rates["bots"] = 700.0
    goes_on(fleet, [bots], COMES_WITHIN_S + 30.0)
    assert held(fleet.cluster)["bots"] >= 7


def test_they_are_asked_for_again_after_ten_minutes() -> None:
    fleet, applications = spiking()
    goes_on(fleet, applications, COMES_WITHIN_S + 30.0)
    assert isinstance(fleet.cluster, Quota)
    fleet.cluster.most = 12
    goes_on(fleet, applications, AGAIN_AFTER_S + 30.0)
    assert held(fleet.cluster)["fraud"] == 8


def test_who_only_advises_takes_nothing_back() -> None:
    fleet, (fraud, bots) = spiking(FleetSettings(advises=True))
    fraud.wanted = 8
    goes_on(fleet, [fraud, bots], COMES_WITHIN_S + 30.0)
    assert fraud.wanted == 8
    assert not [deed for deed in fleet.engine.observe(fleet.now).deeds if "is to have" in deed.text]


def test_while_the_cluster_manager_is_away_nothing_can_come_and_nothing_is_taken_back() -> None:
    fleet, (fraud, bots) = spiking()
    assert isinstance(fleet.cluster, Quota)
    fleet.cluster.away = True
    goes_on(fleet, [fraud, bots], COMES_WITHIN_S + 30.0)
    fleet.cluster.away = False
    goes_on(fleet, [fraud, bots], 20.0)
    assert fraud.wanted == 8


@pytest.mark.parametrize(("held", "at_s", "most"), [(0, 10.0, 1), (1, 10.0, None), (0, AGAIN_AFTER_S, None)])
def test_once_one_comes_that_was_given_up_more_may_be_asked_for_at_once(
    held: int, at_s: float, most: int | None
) -> None:
    given_up = Lack().given_up(held=0, most=1, now=0.0)
    assert given_up.after(held, held < 1, at_s).most == most


@pytest.mark.parametrize(("comes_s", "in_vain"), [((), True), ((100.0,), False), ((10.0,), True)])
def test_each_one_that_comes_is_a_reason_to_wait_for_the_next(comes_s: tuple[float, ...], in_vain: bool) -> None:
    lack = Lack()
    for at_s in range(0, 142, 2):
        lack = lack.after(1 + sum(come_s <= at_s for come_s in comes_s), True, float(at_s))
    assert lack.in_vain(140.0) is in_vain


class Driver(SimulatedApplication):
    """One whose executors are held, and told of, as by the engine of a real driver."""

    def __post_init__(self) -> None:
        self.even_s, self.spark = 0.0, FakeSpark(executors=64)
        settings = SparkSettings(executors=self.wanted, holds_executors=True)
        engine = SparkEngine(self.spark, [Job(self.name)], settings, Clocks(even=lambda: self.even_s))
        self.capacity = engine.capacity
        engine.open()
        super().__post_init__()

    def give(self, order: Order) -> None:
        self.capacity.hold(order.executors)

    def state(self) -> SaidState:
        self.even_s += 2.0  # it reports once in so many seconds
        self.settles()
        self.capacity.keep()
        now, wanted = self.capacity.executors()
        said = super().state()
        return said.model_copy(update={"executors": said.executors.model_copy(update={"now": now, "wanted": wanted})})

    def settles(self) -> None:
        """What the cluster is asked for by now, it gives as far as it will."""
        self.wanted = self.spark.executors.target
        self.cluster.settle()
        self.spark.executors.there = self.held


@pytest.mark.parametrize(("free_after_s", "holds"), [(60.0, 8), (90.0, 8), (COMES_WITHIN_S + 30.0, 2)])
def test_as_long_as_executors_are_waited_for_somebody_asks_for_them(free_after_s: float, holds: int) -> None:
    cluster = Quota(12)
    fleet, fraud = Fleet(cluster=cluster), Driver("fraud", cluster, {"fraud": 100.0})
    fleet.round(fraud)
    fraud.rates["fraud"] = 800.0
    goes_on(fleet, [fraud], 20.0)
    assert (fraud.wanted, fraud.held) == (8, 2)
    goes_on(fleet, [fraud], free_after_s)
    cluster.most = 12
    fraud.settles()  # whether anybody says a word or not
    assert (fraud.wanted, fraud.held) == (holds, holds)
