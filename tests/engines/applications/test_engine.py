"""The fleet as an engine: agents and the loop around it, over a simulated cluster, with a clock of the test's own."""

import threading
from dataclasses import replace

import pytest
from fleet_world import SimulatedApplication, SimulatedCluster, held, of_one

from penstock.core.levers import Executors
from penstock.core.plan import Step
from penstock.core.seen.contacts import Contacts
from penstock.core.seen.leader import LATEST_HEEDED
from penstock.engines.applications.book import Bounds
from penstock.engines.applications.cluster import Allowance, Room
from penstock.engines.applications.conversation import Conversation
from penstock.engines.applications.engine import FleetEngine, NotLeadingError
from penstock.engines.applications.joining import AnotherDriverError, TakenNameError
from penstock.engines.applications.settings import FleetSettings
from penstock.engines.applications.wire import Report, Serials, plain_state
from penstock.engines.hand import Hand, Within
from penstock.errors import OutageError
from tests.engines.applications.fleet import Fleet
from tests.engines.applications.saying import state, tenant


def test_executors_move_to_whoever_needs_them_within_three_rounds() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=5), of_one("fraud", fleet.cluster, 100.0)
    fleet.round(clicks, fraud)
    fraud.rates["fraud"] = 380.0
    for _ in range(3):
        fleet.round(clicks, fraud)
    assert held(fleet.cluster) == {"clicks": 2, "fraud": 4}
    assert fleet.carried.view is not None
    assert [(job.name, job.met) for job in fleet.carried.view.jobs] == [("clicks", True), ("fraud", True)]


def test_who_takes_is_promised_nothing_before_who_gives_has_let_go() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 100.0, wanted=5), of_one("fraud", fleet.cluster, 500.0)
    fleet.report(clicks, fraud)
    fleet.engine.tend()
    fleet.engine.apply([Step("clicks", (Executors(5, 1, "clicks"),)), Step("fraud", (Executors(1, 5, "fraud"),))])
    fleet.report(fraud)
    assert not fraud.given
    fleet.report(clicks)
    fleet.now += 3.0
    fleet.engine.tend()
    fleet.report(clicks, fraud)
    assert not fraud.given  # that clicks was told is known with its next report only
    fleet.engine.tend()
    fleet.report(fraud)
    assert not fraud.given  # and what came of all that it had asked for before with the cluster manager's next word
    fleet.now += 3.0
    fleet.engine.tend()
    fleet.report(fraud)
    assert [order.executors for order in (*clicks.given, *fraud.given)] == [1, 5]
    assert fleet.cluster.most_held == 6


def test_what_is_heard_of_an_application_is_its_tenants_and_one_lever() -> None:
    fleet = Fleet()
    shop = SimulatedApplication("shop", fleet.cluster, {"ads": 100.0, "carts": 100.0}, wanted=2)
    fleet.report(shop, of_one("fraud", fleet.cluster, 100.0))
    fleet.engine.tend()
    seen = fleet.engine.observe(100.0)
    assert [job.name for job in seen.jobs] == ["fraud", "shop/ads", "shop/carts"]
    assert [(dial.kind, dial.job, dial.now) for dial in seen.levers] == [
        ("executors", "fraud", 1),
        ("executors", "shop", 2),
    ]
    assert fleet.engine.intents().keys() == {job.name for job in seen.jobs}
    assert seen.max_threads == 6


def test_cores_of_applications_without_an_agent_are_not_the_fleets() -> None:
    fleet = Fleet()
    of_one("stranger", fleet.cluster, 100.0, wanted=3)
    fleet.report(of_one("fraud", fleet.cluster, 100.0))
    fleet.engine.tend()
    assert fleet.engine.observe(0.0).max_threads == 3


def test_that_the_cluster_manager_does_not_answer_is_logged_once_and_so_is_that_it_answers_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> Room:
        raise OutageError("the master does not answer")

    fleet = Fleet()
    with monkeypatch.context() as patched:
        patched.setattr(fleet.cluster, "room", away)
        fleet.round()
    assert caplog.messages == [
        "what the cluster has is not known, and no executor is promised meanwhile: the master does not answer"
    ]
    fleet.round()
    assert caplog.messages[1:] == ["the cluster manager answers again"]


def test_an_agent_that_falls_silent_keeps_what_it_has_and_is_not_decided_over() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 10.0, wanted=5), of_one("fraud", fleet.cluster, 500.0)
    fleet.report(clicks)
    for _ in range(6):
        fleet.round(fraud)
    assert held(fleet.cluster) == {"clicks": 5, "fraud": 1}
    (dial, _) = fleet.engine.observe(fleet.now).levers
    assert (dial.least, dial.most, dial.worth) == (5, 5, ())


def test_how_long_agents_and_the_cluster_manager_are_silent_is_observed() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 10.0), of_one("fraud", fleet.cluster, 10.0)
    fleet.report(clicks)
    fleet.round(fraud)
    assert fleet.engine.observe(10.0).contacts == Contacts({"clicks": 10.0, "fraud": 0.0}, cluster_s=0.0)
    fleet.cluster.room = away  # type: ignore[method-assign]
    fleet.round(fraud)
    seen = fleet.carried.view
    assert seen is not None
    assert (seen.contacts.agents_s, seen.contacts.cluster_s) == ({"clicks": 20.0, "fraud": 0.0}, 10.0)
    assert Fleet(now=3.0).engine.observe(0.0).contacts.cluster_s == 0.0  # since it began, where nobody told yet


def test_who_says_good_bye_or_is_ended_by_the_cluster_manager_leaves_its_executors_to_the_others() -> None:
    fleet = Fleet()
    clicks, carts = of_one("clicks", fleet.cluster, 300.0, wanted=3), of_one("carts", fleet.cluster, 200.0, wanted=2)
    fraud = of_one("fraud", fleet.cluster, 600.0)
    fleet.round(clicks, carts, fraud)
    fleet.engine.hear(Report("carts", "carts-1", 99, {}, leaving=True))
    carts.end()
    clicks.end()
    for _ in range(7):
        fleet.round(fraud)
    assert held(fleet.cluster) == {"fraud": 6}
    texts = [(deed.job, deed.text) for deed in fleet.engine.observe(fleet.now).deeds]
    assert ("carts", "left") in texts
    assert ("clicks", "is no longer there") in texts


def test_a_second_driver_of_the_same_name_is_refused_until_the_first_is_silent_for_a_lease() -> None:
    fleet = Fleet()
    fraud = of_one("fraud", fleet.cluster, 100.0)
    fleet.report(fraud)
    second = Report("fraud", "fraud-2", 1, plain_state(fraud.state()))
    with pytest.raises(AnotherDriverError, match="another driver of that name"):
        fleet.engine.hear(second)
    fleet.now += 15.0
    assert fleet.engine.hear(second).heard == 1


@pytest.mark.parametrize("ended", [True, False])
def test_a_driver_that_begins_anew_gets_back_what_it_was_to_have(ended: bool) -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0), of_one("fraud", fleet.cluster, 380.0)
    for _ in range(3):
        fleet.round(clicks, fraud)
    assert held(fleet.cluster) == {"clicks": 2, "fraud": 4}
    if ended:
        fraud.end()  # the cluster manager knows before the next driver is there
    fleet.now += 16.0
    fleet.engine.tend()
    begun_anew(fleet, "fraud")
    assert held(fleet.cluster) == {"clicks": 2, "fraud": 4}
    texts = [deed.text for deed in fleet.engine.observe(fleet.now).deeds if deed.job == "fraud"]
    assert texts[-2:] == ["joined again with 1 executors, is to have 4", "executors promised 1 -> 4"]
    assert fleet.cluster.most_wanted <= 6


def test_a_driver_that_died_with_its_coordinator_gets_back_what_it_was_to_have_from_the_next_one() -> None:
    fleet = Fleet()
    fleet.engine.remember({"fraud": 4, "clicks": 2})
    fraud, clicks = of_one("fraud", fleet.cluster, 380.0), of_one("clicks", fleet.cluster, 150.0)
    for _ in range(2):
        fleet.report(fraud, clicks)
        fleet.engine.tend()
    fleet.report(fraud, clicks)
    assert held(fleet.cluster) == {"clicks": 2, "fraud": 4}
    texts = [deed.text for deed in fleet.engine.observe(fleet.now).deeds if deed.job == "fraud"]
    assert texts == ["joined again with 1 executors, is to have 4", "executors promised 1 -> 4"]


@pytest.mark.parametrize(
    ("applied", "wanted", "after_s"),
    [(Serials(7, 3), 1, 0.0), (Serials(), 4, 0.0), (Serials(), 1, 601.0)],
    ids=["it obeyed the one before", "it has that already", "long ago"],
)
def test_who_lived_on_when_the_coordinator_changed_goes_on_from_what_it_has(
    applied: Serials, wanted: int, after_s: float
) -> None:
    fleet = Fleet()
    fleet.engine.remember({"fraud": 4})
    fleet.now += after_s
    fraud = of_one("fraud", fleet.cluster, 380.0, wanted=wanted)
    fleet.talks["fraud"] = replace(Conversation("fraud", "fraud-1"), applied=applied)
    fleet.report(fraud)
    fleet.engine.tend()
    fleet.report(fraud)
    assert held(fleet.cluster) == {"fraud": wanted}
    assert [deed.text for deed in fleet.engine.observe(fleet.now).deeds] == [f"joined with {wanted} executors"]


def test_one_that_said_good_bye_begins_with_what_its_file_has() -> None:
    fleet = Fleet()
    fraud = of_one("fraud", fleet.cluster, 380.0)
    fleet.round(fraud)
    fleet.report(fraud)
    assert held(fleet.cluster) == {"fraud": 4}
    fleet.engine.hear(fleet.talks["fraud"].reporting(fraud.state(), leaving=True)[0])
    begun_anew(fleet, "fraud")
    assert held(fleet.cluster) == {"fraud": 1}


def begun_anew(fleet: Fleet, name: str) -> None:
    """Another driver of that name, with one executor as its file has it; it reports twice, and no round is decided."""
    driver = of_one(name, fleet.cluster, 380.0)
    fleet.talks[name] = Conversation(name, f"{name}-2")
    for _ in range(2):
        fleet.report(driver)
        fleet.now += 2.0
        fleet.engine.tend()
    fleet.report(driver)


def test_a_report_on_one_that_was_not_heard_is_asked_for_whole() -> None:
    fleet = Fleet()
    fraud = of_one("fraud", fleet.cluster, 100.0)
    fleet.report(fraud)
    assert fleet.engine.hear(Report("fraud", "fraud-1", 9, {}, base=7)).heard is None
    assert fleet.engine.hear(Report("other", "other-1", 9, {}, base=8)).heard is None


def test_a_report_that_comes_after_a_later_one_takes_nothing_back() -> None:
    fleet, executors = Fleet(), [2, 6]
    earlier, later = (
        Report("fraud", "fraud-1", number, plain_state(state(now=now, wanted=now)))
        for number, now in enumerate(executors, 1)
    )
    fleet.engine.hear(earlier)
    fleet.engine.hear(later)
    assert fleet.engine.hear(earlier).heard is None
    assert [dial.now for dial in fleet.engine.observe(0.0).levers] == [6]
    assert fleet.engine.hear(Report("fraud", "fraud-1", 3, {}, base=2)).heard == 3


def test_bounds_of_the_fleet_go_before_those_of_an_agent_and_are_not_left() -> None:
    bounds = {"fraud": Bounds(least=2, most=3)}
    fleet = Fleet(settings=FleetSettings(bounds=bounds, others=Bounds(most=2)))
    fleet.report(of_one("fraud", fleet.cluster, 900.0), of_one("clicks", fleet.cluster, 900.0))
    assert [(dial.least, dial.most) for dial in fleet.engine.observe(0.0).levers] == [(1, 2), (2, 3)]
    (outcome,) = fleet.engine.apply([Step("fraud", (Executors(1, 4, "fraud"),))]).steps
    assert outcome.error == "fraud holds 2 to 3 executors; 4 are not within that"


def test_what_tenants_say_they_are_worth_counts_up_to_what_they_may_be() -> None:
    fleet = Fleet(settings=FleetSettings(others=Bounds(utility=10.0)))
    fleet.report(SimulatedApplication("shop", fleet.cluster, {"a": 100.0, "b": 100.0}, utility=500.0))
    assert sum(intent.max_utility for intent in fleet.engine.intents().values()) == pytest.approx(10.0)
    (dial,) = fleet.engine.observe(0.0).levers
    assert max(utility for _, utility in dial.worth) == pytest.approx(10.0)


def test_no_executors_are_worth_more_than_all_that_an_applications_tenants_may_count_for() -> None:
    fleet = Fleet(settings=FleetSettings(others=Bounds(utility=10.0)))
    said = state("greedy", worth=[(1, 0.0), (8, 1e18)], tenants={"greedy": tenant(utility=20.0)})
    fleet.engine.hear(Report("greedy", "one", 1, plain_state(said)))
    (dial,) = fleet.engine.observe(0.0).levers
    assert dial.worth == ((1.0, 0.0), (8.0, 10.0))


def test_a_tenant_by_the_name_of_another_ones_is_refused_and_no_intent_counts_for_another() -> None:
    """team/ads is a tenant of the application team, and would be the one tenant of an application of that name."""
    fleet = Fleet()
    shop = SimulatedApplication("team", fleet.cluster, {"ads": 100.0, "carts": 100.0})
    fleet.report(shop)
    ads = Report("team/ads", "one", 1, plain_state(state("team/ads")))
    with pytest.raises(TakenNameError, match="team/ads is a tenant of team in this fleet: give team/ads another name"):
        fleet.engine.hear(ads)
    shop.end()
    fleet.engine.hear(Report("team", "team-1", 9, {}, leaving=True))
    assert fleet.engine.hear(ads).heard == 1
    for tenants in ({"carts": tenant()}, {"ads": tenant(), "carts": tenant()}):
        grown = Report("team", "team-2", len(tenants), plain_state(state("team", tenants=tenants)))
        if len(tenants) == 1:
            assert fleet.engine.hear(grown).heard == 1
        else:
            with pytest.raises(TakenNameError, match="team/ads is a tenant of team/ads"):
                fleet.engine.hear(grown)
    assert fleet.loop.run_cycle(fleet.carried, 10.0).error is None
    assert sorted(fleet.engine.intents()) == ["team", "team/ads"]


def test_while_the_cluster_manager_is_away_executors_go_and_none_are_promised() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 100.0, wanted=4), of_one("fraud", fleet.cluster, 500.0)
    fleet.report(clicks, fraud)
    fleet.engine.tend()

    fleet.cluster.room = away  # type: ignore[method-assign]
    fleet.now += 40.0
    fleet.engine.apply([Step("clicks", (Executors(4, 2, "clicks"),)), Step("fraud", (Executors(1, 3, "fraud"),))])
    fleet.engine.tend()
    fleet.report(clicks, fraud)
    assert ([order.executors for order in clicks.given], fraud.given) == ([2], [])


def test_a_cluster_manager_that_holds_its_answer_back_is_told_as_one_that_does_not_answer() -> None:
    fleet, hand, over = Fleet(), Hand(), threading.Event()

    def holds() -> Room:
        over.wait()
        return Room(())

    fleet.cluster.room = holds  # type: ignore[method-assign]
    engine = FleetEngine(fleet.cluster, asking=Within(hand, within_s=0.0))
    engine.tend()
    (told,) = (deed for deed in engine.observe(0.0).deeds if deed.text == "what the cluster has is not known")
    over.set()
    hand.close()
    assert told.error == f"{fleet.cluster.name} does not answer: it has not said in time what is free"


def test_whatever_goes_wrong_with_asking_the_cluster_manager_is_told_and_the_rest_between_rounds_is_done() -> None:
    fleet = Fleet()
    clicks = of_one("clicks", fleet.cluster, 100.0, wanted=4)
    fleet.report(clicks)

    def fails() -> Room:
        raise ZeroDivisionError("of a package beside penstock")

    fleet.cluster.room = fails  # type: ignore[method-assign]
    fleet.now += fleet.settings.forgotten_s + 1.0
    fleet.engine.tend()
    snapshot = fleet.engine.observe(fleet.now)
    assert snapshot.jobs == ()  # it was silent for so long that it is forgotten
    told = [deed for deed in snapshot.deeds if deed.text == "what the cluster has is not known"]
    assert ["ZeroDivisionError: of a package beside penstock" in (deed.error or "") for deed in told] == [True]


class UnderQuota(SimulatedCluster):
    """More cores than anybody may have, and something that waits."""

    def __init__(self, allowed: int) -> None:
        super().__init__(20)
        self.allowed = allowed
        self.waits: dict[str, str] = {}

    def room(self) -> Room:
        return replace(super().room(), allowance=Allowance(self.allowed), waits=dict(self.waits))


def test_what_a_quota_allows_is_divided_and_one_that_is_lowered_below_its_use_takes_executors_back() -> None:
    quota = UnderQuota(6)
    fleet = Fleet(quota)
    clicks, fraud = of_one("clicks", quota, 380.0, wanted=3), of_one("fraud", quota, 380.0, utility=40.0, wanted=3)
    for _ in range(4):
        fleet.round(clicks, fraud)
    assert held(quota) == {"clicks": 2, "fraud": 4}
    assert quota.most_wanted == 6
    quota.allowed = 3
    for _ in range(6):
        fleet.round(clicks, fraud)
    assert sum(held(quota).values()) == 3
    quota.allowed = 8
    for _ in range(6):
        fleet.round(clicks, fraud)
    assert held(quota) == {"clicks": 4, "fraud": 4}


def test_cores_beside_which_there_is_no_memory_are_promised_to_nobody() -> None:
    fleet = Fleet(OfLittleMemory(6))
    fraud = of_one("fraud", fleet.cluster, 580.0, wanted=2)
    for _ in range(3):
        fleet.round(fraud)
    assert (fraud.wanted, fleet.cluster.most_wanted) == (4, 4)  # of six cores; a gigabyte each


class OfLittleMemory(SimulatedCluster):
    """Room for four executors of a gigabyte, whatever its cores."""

    def room(self) -> Room:
        found = super().room()
        (worker,) = found.workers
        held = sum(found.held.values())
        small = replace(worker, memory_mib=4096, free_memory_mib=4096 - 1024 * held)
        return replace(found, workers=(small,), executor_mib=dict.fromkeys(found.held, 1024))


def test_what_was_asked_of_a_cluster_manager_that_stands_still_since_is_promised_to_nobody_else() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 100.0, wanted=2), of_one("fraud", fleet.cluster, 100.0)
    fleet.report(clicks, fraud)
    fleet.engine.tend()  # the last that the cluster manager says: clicks holds two, fraud one
    answers, fleet.cluster.room = fleet.cluster.room, away  # type: ignore[method-assign]
    fleet.engine.apply([Step("fraud", (Executors(1, 4, "fraud"),))])
    fleet.now += 2.0
    fleet.report(fraud)  # it is told, and holds four
    fleet.report(fraud)
    fleet.engine.apply([Step("fraud", (Executors(4, 2, "fraud"),)), Step("clicks", (Executors(2, 4, "clicks"),))])
    fleet.engine.tend()
    fleet.report(clicks, fraud)
    fraud.held = 4  # it has let two go, and they do not end
    fleet.report(fraud)
    fleet.engine.tend()
    fleet.report(clicks)
    assert ([order.executors for order in fraud.given], clicks.given) == ([4, 2], [])
    fraud.held, fleet.cluster.room = 2, answers  # type: ignore[method-assign]
    fleet.now += 2.0
    fleet.engine.tend()
    fleet.report(clicks)
    assert [order.executors for order in clicks.given] == [4]


def test_what_an_application_asked_for_and_does_not_know_of_yet_is_promised_to_nobody_else() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 100.0, wanted=2), of_one("fraud", fleet.cluster, 100.0)
    fleet.report(clicks, fraud)
    fleet.engine.tend()
    answers, fleet.cluster.room = fleet.cluster.room, away  # type: ignore[method-assign]
    for step in (Executors(1, 4, "fraud"), Executors(4, 2, "fraud")):
        fleet.engine.apply([Step("fraud", (step,))])
        fleet.now += 2.0
        fleet.report(fraud)
        fraud.held = 1  # three were asked for, and are there; it will hear of them when the cluster manager answers
        fleet.report(fraud)
    fleet.engine.apply([Step("clicks", (Executors(2, 4, "clicks"),))])
    fleet.report(clicks)
    assert clicks.given == []
    fraud.held, fleet.cluster.room = 2, answers  # type: ignore[method-assign]
    fleet.now += 2.0
    fleet.engine.tend()
    fleet.report(clicks)
    assert [order.executors for order in clicks.given] == [4]


def test_what_was_ordered_and_taken_back_before_its_agent_spoke_again_is_promised_to_nobody_else() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 100.0), of_one("fraud", fleet.cluster, 100.0)
    fleet.report(clicks, fraud)
    fleet.engine.tend()
    fleet.engine.apply([Step("fraud", (Executors(1, 5, "fraud"),))])
    fleet.report(fraud)  # it is told, asks for five, and has not said so yet
    fleet.engine.apply([Step("fraud", (Executors(5, 1, "fraud"),)), Step("clicks", (Executors(1, 5, "clicks"),))])
    fleet.report(clicks)
    assert clicks.given == []
    fleet.report(fraud)
    fleet.report(fraud)  # it has taken that up
    fleet.engine.tend()
    fleet.report(clicks)
    assert clicks.given == []  # what came of the five the cluster manager has not told yet
    fleet.now += 3.0
    fleet.engine.tend()
    fleet.report(clicks)
    assert [order.executors for order in (*fraud.given, *clicks.given)] == [5, 1, 5]
    assert fleet.cluster.most_held <= 6


def away() -> Room:
    raise OutageError("nobody answers")


def test_why_executors_wait_is_told_once_for_each_reason() -> None:
    quota = UnderQuota(6)
    fleet = Fleet(quota)
    fraud = of_one("fraud", quota, 100.0)
    told = []
    for why in ("", "no node", "no node", "", "no node", "no image"):
        quota.waits = {"fraud": why} if why else {}
        fleet.now += 2.0
        fleet.engine.tend()
        fleet.report(fraud)
        told = [deed.why for deed in fleet.engine.observe(fleet.now).deeds if "wait" in deed.text]
    assert told == ["no node", "no node", "no image"]


def test_an_order_that_was_taken_up_and_did_not_come_is_given_again_and_why_is_told() -> None:
    fleet = Fleet()
    fraud = of_one("fraud", fleet.cluster, 500.0)
    fleet.report(fraud)
    fleet.engine.tend()
    fleet.engine.apply([Step("fraud", (Executors(1, 4, "fraud"),))])
    report, talk = fleet.talks["fraud"].reporting(fraud.state())
    order, talk = talk.answered(fleet.engine.hear(report), 0.0)
    assert order is not None
    fleet.talks["fraud"] = talk.failed(order, "the backend is away")
    fleet.report(fraud)
    assert fleet.engine.observe(0.0).deeds[-1].error == "the backend is away"
    fleet.now += 31.0
    fleet.engine.tend()
    fleet.report(fraud)
    assert fraud.wanted == 4


def test_a_coordinator_that_does_not_lead_hears_nobody_and_does_nothing() -> None:
    fleet = Fleet()
    fraud = of_one("fraud", fleet.cluster, 100.0)
    fleet.report(fraud)
    fleet.leads = False
    for call in (
        lambda: fleet.report(fraud),
        fleet.engine.tend,
        lambda: fleet.engine.apply([]),
        lambda: fleet.engine.observe(0.0),
    ):
        with pytest.raises(NotLeadingError):
            call()


def test_a_coordinator_that_takes_over_goes_on_from_what_agents_hold_and_obeys_no_old_number() -> None:
    fleet = Fleet()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=5), of_one("fraud", fleet.cluster, 380.0)
    for _ in range(3):
        fleet.round(clicks, fraud)
    before = held(fleet.cluster)
    fleet.engine = FleetEngine(fleet.cluster, fleet.settings, 2, lambda: True, lambda: fleet.now)
    fleet.loop = replace(fleet.loop, engine=fleet.engine)
    for _ in range(2):
        fleet.round(clicks, fraud)
    assert held(fleet.cluster) == before
    assert {talk.epoch for talk in fleet.talks.values()} == {2}


def test_what_was_ordered_in_an_epoch_that_agents_refuse_is_ordered_again_in_one_above_it() -> None:
    fleet = Fleet()
    clicks = of_one("clicks", fleet.cluster, 100.0, wanted=5)
    fleet.report(clicks)
    fleet.engine.tend()
    fleet.engine.apply([Step("clicks", (Executors(5, 1, "clicks"),))])
    fleet.talks["clicks"] = replace(fleet.talks["clicks"], epoch=7)
    fleet.report(clicks)
    fleet.report(clicks)
    assert (clicks.given, fleet.engine.obeyed) == ([], 7)
    fleet.engine.rise(8)
    fleet.report(clicks)
    fleet.report(clicks)
    assert [(order.serials.epoch, order.executors) for order in clicks.given] == [(8, 1)]
    assert fleet.engine.obeyed == 0
    told = [(deed.text, deed.why) for deed in fleet.engine.observe(100.0).deeds]
    assert ("leads in epoch 8", "agents obeyed epoch 7, and no earlier one") in told


def heard(fleet: Fleet, number: int, obeys: int = 0, applied: Serials | None = None) -> int:
    """The epoch that is to be led above, after one report."""
    said = Report("fraud", "i-1", number, plain_state(state()), applied=applied or Serials(), obeys=obeys)
    fleet.engine.hear(said)
    return fleet.engine.obeyed


def test_agents_obey_an_epoch_by_what_they_heard_or_carried_out_and_ours_is_none_to_lead_above() -> None:
    assert heard(Fleet(), 1, applied=Serials(1, 4)) == 0
    assert heard(Fleet(), 1, applied=Serials(7, 4)) == 7
    assert heard(Fleet(), 1, obeys=7) == 7


def test_an_epoch_of_which_one_lies_is_ignored_where_it_would_leave_none_for_others() -> None:
    fleet = Fleet()
    assert heard(fleet, 1, obeys=LATEST_HEEDED + 1) == 0
    assert heard(fleet, 2, obeys=LATEST_HEEDED) == LATEST_HEEDED


def test_who_claims_a_later_epoch_in_each_report_has_one_begun_once_a_lease() -> None:
    fleet = Fleet()
    assert heard(fleet, 1, obeys=7) == 7
    fleet.engine.rise(8)
    assert heard(fleet, 2, obeys=9) == 0
    fleet.now += fleet.settings.lease_s
    assert heard(fleet, 3, obeys=10) == 10


def test_who_has_joined_is_not_kept_waiting_for_the_next_round_by_itself() -> None:
    fleet = Fleet(SimulatedCluster(600))
    clicks, fraud = of_one("clicks", fleet.cluster, 100.0), of_one("fraud", fleet.cluster, 100.0)
    hurries = [fleet.engine.hurries]
    for fleet.now, one in ((0.0, clicks), (1.9, fraud), (2.0, clicks)):  # a report is due every 2 s
        fleet.report(one)
        hurries.append(fleet.engine.hurries)
    fleet.engine.observe(2.0)
    fleet.now = 60.0
    assert (hurries, fleet.engine.hurries) == ([False, False, False, True], False)


def test_of_many_the_more_that_begin_are_waited_for_the_more_there_are() -> None:
    fleet = Fleet(SimulatedCluster(600))
    fleet.report(*(of_one(f"a{number}", fleet.cluster, 100.0) for number in range(300)))  # 100 reports a second
    found = []
    for fleet.now in (2.0, 2.9, 3.0):
        found.append(fleet.engine.hurries)
    assert found == [False, False, True]


def test_executors_are_kept_for_who_is_listed_and_has_not_come_for_two_minutes() -> None:
    fleet = Fleet(settings=FleetSettings(bounds={name: Bounds(utility=10.0) for name in ("clicks", "fraud")}))
    clicks = of_one("clicks", fleet.cluster, 600.0)
    for _ in range(11):
        fleet.round(clicks)
    assert held(fleet.cluster) == {"clicks": 3}
    for _ in range(4):
        fleet.round(clicks)
    assert held(fleet.cluster) == {"clicks": 6}
