"""A driver that was away for so long that others have its executors by now."""

from fleet_world import SimulatedApplication, held, of_one

from penstock.engines.applications.conversation import Conversation
from penstock.engines.applications.wire import SaidState
from tests.engines.applications.fleet import Fleet


class OfNoKnownWorth(SimulatedApplication):
    """One whose first batch has not ended."""

    def state(self) -> SaidState:
        return super().state().model_copy(update={"worth": []})


def test_who_comes_back_after_others_took_its_executors_gets_them_back_though_nobody_knows_their_worth() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0), of_one("fraud", fleet.cluster, 380.0)
    for _ in range(3):
        fleet.round(clicks, fraud)
    fraud.end()
    clicks.rates["clicks"] = 600.0
    for _ in range(7):
        fleet.round(clicks)
    assert held(fleet.cluster) == {"clicks": 6}
    back = OfNoKnownWorth("fraud", fleet.cluster, {"fraud": 380.0}, wanted=1)
    fleet.talks["fraud"] = Conversation("fraud", "fraud-2")
    for _ in range(3):
        fleet.round(clicks, back)
    assert held(fleet.cluster) == {"clicks": 2, "fraud": 4}
