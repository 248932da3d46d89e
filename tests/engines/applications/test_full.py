"""A queue that others fill: who begins in it waits, is promised nothing that is not there, and begins once there is."""

from dataclasses import replace

from fleet_world import SimulatedCluster, held, of_one

from penstock.engines.applications.cluster import Allowance, Room, Worker
from tests.engines.applications.fleet import Fleet

ALLOWED = 6


class Queue(SimulatedCluster):
    """May use six cores of a cluster of twenty."""

    def __init__(self) -> None:
        super().__init__(ALLOWED)

    def room(self) -> Room:
        found = super().room()
        names = frozenset(found.held)
        waits = {name: "its queue is full" for name, one in self.applications.items() if one.wanted > one.held}
        free = 20 - sum(found.held.values())
        return replace(found, workers=(Worker("all", 20, free),), allowance=Allowance(ALLOWED, names), waits=waits)


def test_who_begins_in_a_full_queue_waits_takes_nothing_from_who_needs_it_and_begins_once_there_is_room() -> None:
    queue = Queue()
    fleet = Fleet(cluster=queue)
    etl = of_one("etl", queue, 0.0, wanted=5)  # which no coordinator governs
    clicks = of_one("clicks", queue, 90.0)
    fraud = of_one("fraud", queue, 380.0, utility=40.0)
    for _ in range(20):  # longer than executors are waited for
        fleet.round(clicks, fraud)
        assert fleet.carried.error is None
    assert held(queue) == {"etl": 5, "clicks": 1, "fraud": 0}
    assert max((order.executors for one in (clicks, fraud) for order in one.given), default=1) == 1
    told = [(deed.text, deed.why) for deed in fleet.engine.observe(fleet.now).deeds if deed.job == "fraud"]
    assert ("executors that were asked for wait", "its queue is full") in told
    etl.end()
    for _ in range(6):
        fleet.round(clicks, fraud)
    assert held(queue) == {"clicks": 1, "fraud": 4}
    assert fraud.wanted + clicks.wanted <= ALLOWED
