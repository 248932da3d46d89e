"""Executors that an application's state needs: nobody takes them because one died, and what never comes is given up."""

from dataclasses import replace

import pytest
from fleet_world import SimulatedApplication, SimulatedCluster, held, of_one

from penstock.engines.applications.book import Application, Bounds
from penstock.engines.applications.lacking import COMES_WITHIN_S, Lack
from penstock.engines.applications.wire import Report, SaidState, plain_state
from tests.engines.applications.fleet import Fleet
from tests.engines.applications.saying import state

NEEDS = 4


class Stateful(SimulatedApplication):
    """Its state needs four executors, of those that it is to have."""

    def state(self) -> SaidState:
        said = super().state()
        needs = min(NEEDS, self.wanted)
        told = {"needs": needs, "least": max(self.least, min(self.held, needs))}
        return said.model_copy(update={"executors": said.executors.model_copy(update=told)})


class Failing(SimulatedCluster):
    """Some of what fraud holds may die, and none comes in its place."""

    most = NEEDS

    def settle(self) -> None:
        super().settle()
        for one in self.applications.values():
            one.held = min(one.held, self.most) if one.name == "fraud" else one.held

    def lose_one(self) -> None:
        with self.lock:
            self.most -= 1
            self.settle()

    def comes_back(self) -> None:
        with self.lock:
            self.most = NEEDS
            self.settle()


def begun() -> tuple[Fleet, Failing, list[SimulatedApplication]]:
    """Fraud has little to do and much state; clicks could use all six executors."""
    cluster = Failing(6)
    fleet = Fleet(cluster=cluster)
    fraud = Stateful("fraud", cluster, {"fraud": 50.0}, wanted=NEEDS)
    applications = [of_one("clicks", cluster, 600.0, wanted=2), fraud]
    for _ in range(6):
        fleet.round(*applications)
    return fleet, cluster, applications


def test_nobody_takes_an_executor_in_whose_place_another_is_to_come() -> None:
    fleet, cluster, (clicks, fraud) = begun()
    cluster.lose_one()
    for _ in range(int(COMES_WITHIN_S / 10.0) - 1):
        fleet.round(clicks, fraud)
    assert (fraud.wanted, held(cluster)) == (NEEDS, {"clicks": 2, "fraud": 3})
    cluster.comes_back()
    fleet.round(clicks, fraud)
    assert held(cluster) == {"clicks": 2, "fraud": NEEDS}
    assert cluster.most_wanted <= 6


def test_what_never_comes_again_is_given_up_in_words_and_goes_to_others() -> None:
    fleet, cluster, (clicks, fraud) = begun()
    cluster.lose_one()
    for _ in range(int(COMES_WITHIN_S / 10.0) + 6):
        fleet.round(clicks, fraud)
    assert (fraud.wanted, held(cluster)) == (3, {"clicks": 3, "fraud": 3})
    told = [(deed.text, deed.why) for deed in fleet.engine.observe(fleet.now).deeds if deed.job == "fraud"]
    why = "no other came in 2 minutes, though its state needs 4; more in 10 minutes"
    assert ("is to have 3 executors, not 4", why) in told
    assert cluster.most_wanted <= 6


@pytest.mark.parametrize(
    ("least", "needs", "given_up", "bounds", "found"),
    [
        (1, 0, None, Bounds(), 1),
        (2, 4, None, Bounds(), 4),  # two of four died
        (2, 4, 2, Bounds(), 2),  # and were waited for in vain
        (3, 4, 2, Bounds(), 3),  # its agent takes no order for fewer
        (1, 4, None, Bounds(most=2), 2),
        (1, 2, 1, Bounds(least=3), 3),
    ],
)
def test_what_died_counts_until_it_was_waited_for_in_vain(
    least: int, needs: int, given_up: int | None, bounds: Bounds, found: int
) -> None:
    said = plain_state(state(now=2, wanted=4, least=least, needs=needs))
    one = Application.joining(Report("fraud", "fraud-1", 1, said), bounds, 0.0)
    assert replace(one, lack=Lack(most=given_up)).least == found
