"""A coordinator that begins again with another file: applications taken out of it, renamed in it, or allowed less."""

from dataclasses import replace

from fleet_world import SimulatedApplication, SimulatedCluster, held, of_one

from penstock.core.asked.coming import ListedApplication
from penstock.engines.applications.book import Bounds
from penstock.engines.applications.engine import FleetEngine
from penstock.engines.applications.settings import FleetSettings
from penstock.engines.applications.wire import SaidState
from tests.engines.applications.fleet import Fleet

FIRST = FleetSettings(
    bounds={"fraud": Bounds(most=8, utility=40.0), "clicks": Bounds(least=1, most=4)}, others=Bounds(most=2)
)


class Blind(SimulatedApplication):
    """Never tells what executors are worth to it, as under a policy that predicts nothing."""

    def state(self) -> SaidState:
        return super().state().model_copy(update={"worth": []})


def begins_again(fleet: Fleet, settings: FleetSettings) -> None:
    """Another coordinator over the same store, in the next epoch, with what the one before had recorded."""
    wanted = {dial.job: int(dial.now or 0) for dial in fleet.engine.observe(fleet.now).levers}
    fleet.engine = FleetEngine(fleet.cluster, settings, 2, lambda: True, lambda: fleet.now)
    fleet.engine.remember(wanted)
    fleet.loop = replace(fleet.loop, engine=fleet.engine, intents=fleet.engine.intents)
    fleet.carried = fleet.loop.start(fleet.now)


def goes_on(fleet: Fleet, *applications: SimulatedApplication, rounds: int = 6) -> None:
    for _ in range(rounds):
        fleet.round(*applications)
        assert fleet.carried.error is None


def begun() -> tuple[Fleet, list[SimulatedApplication]]:
    fleet = Fleet(SimulatedCluster(8), FIRST)
    applications = [of_one("fraud", fleet.cluster, 580.0), of_one("clicks", fleet.cluster, 150.0)]
    goes_on(fleet, *applications)
    assert held(fleet.cluster) == {"fraud": 6, "clicks": 2}
    return fleet, applications


def test_whoever_was_taken_out_may_have_what_others_may_and_loses_nothing_else() -> None:
    fleet, applications = begun()
    begins_again(fleet, replace(FIRST, bounds={"clicks": Bounds(least=1, most=4)}))
    goes_on(fleet, *applications)
    assert held(fleet.cluster) == {"fraud": 2, "clicks": 2}
    assert fleet.cluster.most_wanted <= 8


def test_whoever_was_renamed_counts_among_the_others_and_its_new_name_is_awaited_for_a_while() -> None:
    fleet, applications = begun()
    renamed = {"payments": Bounds(most=8, utility=40.0), "clicks": Bounds(least=1, most=4)}
    begins_again(fleet, replace(FIRST, bounds=renamed))
    goes_on(fleet, *applications)
    assert held(fleet.cluster) == {"fraud": 2, "clicks": 2}
    awaited = fleet.engine.observe(fleet.now).to_come.applications
    assert awaited == (ListedApplication("payments", 0, 8, 40.0),)
    payments = of_one("payments", fleet.cluster, 380.0)
    goes_on(fleet, *applications, payments)
    assert held(fleet.cluster) == {"fraud": 2, "clicks": 2, "payments": 4}


def test_a_limit_below_what_is_held_holds_also_for_one_of_whom_nobody_knows_what_executors_are_worth_to_it() -> None:
    fleet = Fleet(SimulatedCluster(8), FIRST)
    blind = Blind("fraud", fleet.cluster, {"fraud": 580.0}, wanted=6)
    goes_on(fleet, blind)
    assert blind.held == 6
    begins_again(fleet, replace(FIRST, bounds={"fraud": Bounds(most=3)}))
    goes_on(fleet, blind)
    assert (blind.held, blind.wanted) == (3, 3)


def test_a_limit_below_what_its_agent_accepts_is_refused_by_that_and_told_and_others_are_governed_on() -> None:
    fleet = Fleet(SimulatedCluster(8), FIRST)
    fraud, clicks = of_one("fraud", fleet.cluster, 580.0, least=4), of_one("clicks", fleet.cluster, 150.0)
    goes_on(fleet, fraud, clicks)
    begins_again(fleet, replace(FIRST, bounds={"fraud": Bounds(most=3), "clicks": Bounds(most=4)}))
    goes_on(fleet, fraud, clicks)
    refused = [deed for deed in fleet.engine.observe(fleet.now).deeds if deed.job == "fraud" and deed.error]
    assert refused[-1].error == "3 executors are not within 4 to 64"
    clicks.rates["clicks"] = 380.0
    goes_on(fleet, fraud, clicks)
    assert clicks.held >= 2
    assert fleet.cluster.most_wanted <= 8
