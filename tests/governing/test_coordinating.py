"""A coordinator over real HTTP, with agents whose applications and cluster are simulated."""

import time
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event

import pytest
from fleet_world import SimulatedApplication, held, of_one

from penstock.core.plan import Reason
from penstock.core.run import RunInfo
from penstock.core.seen.leader import Leader
from penstock.core.seen.view import View
from penstock.engines.applications.cluster import Room
from penstock.engines.applications.link import Link, RefusedReportError
from penstock.engines.applications.wire import Report, SaidState, encode_report, plain_state
from penstock.errors import OutageError, PenstockError
from penstock.store.archive import StoreError
from penstock.store.leadership import Leadership
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.telling.explain import explain
from penstock.web.agents_door import new_agent_token
from tests.governing.fleet_site import QUICK, Site, site
from tests.patience import eventually, patience_s
from tests.recorded import a_cycle

__all__ = ["site"]

pytestmark = pytest.mark.sockets


def test_executors_move_between_applications_and_the_store_tells_why(site: Site) -> None:
    door = site.begin()
    clicks, fraud = of_one("clicks", site.cluster, 150.0, wanted=5), of_one("fraud", site.cluster, 380.0)
    agents = [site.governed(one, door) for one in (clicks, fraud)]
    eventually(lambda: held(site.cluster) == {"clicks": 2, "fraud": 4})
    assert site.cluster.most_held == 6
    assert len({agent.talk.epoch for agent in agents}) == 1
    site.coordinators[0].stop()
    with closing(open_store(site.store)) as store:
        run = store.read_run("fleet-lab")
    (decision, *_) = run.decisions
    assert (decision.decision.reason, decision.errors) == (Reason.RESCALED, ())
    assert "executors from clicks to fraud" in decision.decision.why
    assert "clicks: executors 5 -> 2; fraud: executors 1 -> 4" in explain(run)


def test_who_begins_is_given_its_executors_long_before_the_next_round_is_due(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUICK, "interval", 3600.0)
    door = site.begin()
    clicks, fraud = of_one("clicks", site.cluster, 150.0, wanted=5), of_one("fraud", site.cluster, 380.0)
    for one in (clicks, fraud):
        site.governed(one, door)
    eventually(lambda: held(site.cluster) == {"clicks": 2, "fraud": 4})


def test_a_coordinator_that_advises_says_what_it_would_do_and_orders_nothing(site: Site) -> None:
    site.advise = True
    door = site.begin()
    clicks, fraud = of_one("clicks", site.cluster, 150.0, wanted=5), of_one("fraud", site.cluster, 380.0)
    for one in (clicks, fraud):
        site.governed(one, door)

    def decided() -> bool:
        with closing(open_store(site.store)) as store:
            return any(run.id == "fleet-lab" and store.read_run(run.id).decisions for run in store.runs())

    eventually(decided)
    assert (held(site.cluster), clicks.given, fraud.given) == ({"clicks": 5, "fraud": 1}, [], [])


def test_who_listens_and_does_not_come_back_keeps_no_executor_from_moving(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.engines.hands.TELLS_WITHIN_S", 0.1)
    goes_on, heard = Event(), list[View]()

    def listen(view: View) -> None:
        heard.append(view)
        goes_on.wait(patience_s())

    site.on_view = listen
    door = site.begin()
    for one in (of_one("clicks", site.cluster, 150.0, wanted=5), of_one("fraud", site.cluster, 380.0)):
        site.governed(one, door)
    eventually(lambda: held(site.cluster) == {"clicks": 2, "fraud": 4})
    assert len(heard) == 1
    goes_on.set()


def test_a_token_reports_for_the_applications_that_it_names_and_no_others(site: Site) -> None:
    door = site.begin()
    theirs = new_agent_token(site.tokens, "team-a/*")
    application = of_one("fraud", site.cluster, 100.0)

    def said(name: str, token: str) -> bytes:
        with closing(Link([door.url], token)) as link:
            return link.say(encode_report(Report(name, "i-1", 1, plain_state(application.state()))))

    eventually(lambda: _answered(lambda: said("team-a/fraud", theirs)))
    with pytest.raises(RefusedReportError, match=r"this token is for team-a/\*, not for team-b/fraud"):
        said("team-b/fraud", theirs)
    with pytest.raises(RefusedReportError, match="a token is needed"):
        said("team-a/fraud", "agent-guessed")
    with closing(Link([door.url], theirs)) as link, pytest.raises(RefusedReportError, match="message: "):
        link.say(b"{")


def test_an_agent_that_is_cut_off_keeps_its_executors_and_is_heard_again(tmp_path: Path) -> None:
    with ExitStack() as outer:
        site = Site(tmp_path, outer)
        with site.begun() as (door, port):
            fraud = of_one("fraud", site.cluster, 380.0)
            agent = site.governed(fraud, door)
            eventually(lambda: fraud.held == 4)
            before = agent.talk.epoch
        with pytest.raises(OutageError, match="no coordinator answers"):
            agent.once()
        assert fraud.held == 4
        fraud.rates["fraud"] = 580.0
        site.begin(port)
        eventually(lambda: fraud.held == 6)
        assert agent.talk.epoch > before


def test_of_two_coordinators_one_leads_and_the_other_follows_and_takes_over(site: Site) -> None:
    doors = [site.begin(), site.begin()]
    clicks, fraud = of_one("clicks", site.cluster, 150.0, wanted=5), of_one("fraud", site.cluster, 100.0)
    agents = [site.governed(one, *doors) for one in (clicks, fraud)]
    eventually(lambda: all(agent.talk.epoch for agent in agents))
    (first,) = {agent.talk.epoch for agent in agents}
    assert sorted(one.leads for one in site.coordinators) == [False, True]
    next(one for one in site.coordinators if one.leads).stop()
    fraud.rates["fraud"] = 380.0
    eventually(lambda: held(site.cluster) == {"clicks": 2, "fraud": 4})
    (second,) = {agent.talk.epoch for agent in agents}
    assert second > first
    serials = [order.serials for order in fraud.given]
    assert serials == sorted(set(serials))
    assert site.cluster.most_held == 6


def test_a_driver_that_died_with_its_coordinator_begins_anew_with_what_it_was_to_have(tmp_path: Path) -> None:
    with ExitStack() as outer:
        site = Site(tmp_path, outer)
        with ExitStack() as agents, ExitStack() as coordinators:  # whose end nobody is told
            site.stack = coordinators
            door = site.begin()
            site.stack = agents
            fraud = of_one("fraud", site.cluster, 380.0)
            site.governed(fraud, door)
            eventually(lambda: _recorded(site, "fraud") == 4)
        fraud.end()
        site.stack = outer
        again = Blind("fraud", site.cluster, {"fraud": 380.0})
        site.governed(again, site.begin())
        eventually(lambda: again.held == 4)
        assert site.cluster.most_wanted <= 6


class Blind(SimulatedApplication):
    """Cannot tell yet what executors are worth, as a driver before its second batch."""

    def state(self) -> SaidState:
        return super().state().model_copy(update={"worth": []})


def _recorded(site: Site, name: str) -> float | None:
    """The executors that it has and is to have, by the newest view of the fleet's run."""
    if not Path(site.store).exists():
        return None
    with closing(open_store(site.store, create=False)) as store:
        try:
            views = list(store.views("fleet-lab"))
        except PenstockError:  # the run is not there yet
            return None
    levers = views[-1].levers if views else ()
    return next((dial.now for dial in levers if dial.job == name and dial.asked is None), None)


def test_a_term_ends_when_its_lease_cannot_be_renewed_whatever_the_reason(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, failures, ended = Leadership.take, [ZeroDivisionError("nobody foresaw this")], list[int]()

    def failing(self: Leadership, lease_s: float, above: int = 0) -> Leader:
        leader = take(self, lease_s, above)
        if failures and any(one.leads for one in site.coordinators):  # none is there yet while the first one begins
            ended.append(leader.epoch)
            raise failures.pop()
        return leader

    site.lease_s = 0.9  # renewed three times as often
    monkeypatch.setattr(Leadership, "take", failing)
    door = site.begin()
    agent = site.governed(of_one("fraud", site.cluster, 100.0), door)
    eventually(lambda: not failures)
    eventually(lambda: agent.talk.epoch > ended[0])  # it leads again


def test_a_lease_that_cannot_be_asked_for_or_let_go_is_asked_for_again_whatever_the_reason(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, release = Leadership.take, Leadership.release
    in_taking, in_letting_go = [KeyError("metadata"), OSError(24, "Too many open files")], [KeyError("metadata")]

    def taking(self: Leadership, lease_s: float, above: int = 0) -> Leader:
        if in_taking:
            raise in_taking.pop()
        return take(self, lease_s, above)

    def letting_go(self: Leadership) -> None:
        release(self)
        if in_letting_go:
            raise in_letting_go.pop()

    site.lease_s = 0.9
    monkeypatch.setattr(Leadership, "take", taking)
    monkeypatch.setattr(Leadership, "release", letting_go)
    agent = site.governed(of_one("fraud", site.cluster, 100.0), site.begin())
    eventually(lambda: agent.talk.epoch)
    first = agent.talk.epoch
    in_taking.append(ZeroDivisionError("nobody foresaw this"))  # of a renewal: the term ends
    eventually(lambda: agent.talk.epoch > first and not in_letting_go)


def test_who_hears_no_agent_for_long_lets_its_lease_go_so_that_another_leads_and_says_so(site: Site) -> None:
    said, shut = list[str](), [0.0]
    site.lease_s, site.say, site.shut_s = 3.0, said.append, lambda: shut[0]
    site.begin()
    eventually(lambda: site.coordinators[0].leads)
    site.shut_s = float
    site.begin()
    shut[0] = 11.0
    eventually(lambda: site.coordinators[1].leads)
    assert "lets its lease go, for no agent has been heard for 11 s" in said


def test_who_is_alone_leads_again_once_agents_can_be_heard(site: Site) -> None:
    said, shut = list[str](), [11.0]
    site.lease_s, site.say, site.shut_s = 0.9, said.append, lambda: shut[0]
    agent = site.governed(of_one("fraud", site.cluster, 100.0), site.begin())
    shut[0] = 0.0
    eventually(lambda: agent.talk.epoch)
    shut[0] = 11.0
    eventually(lambda: any("no agent has been heard" in one for one in said) and not site.coordinators[0].leads)
    first, shut[0] = agent.talk.epoch, 0.0
    eventually(lambda: agent.talk.epoch > first)


def test_that_the_leader_is_unknown_is_said_once_however_often_it_is_asked_for(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    take, away = Leadership.take, [OutageError("the store does not answer")] * 3

    def taking(self: Leadership, lease_s: float, above: int = 0) -> Leader:
        if away:
            raise away.pop()
        return take(self, lease_s, above)

    site.lease_s = 0.9
    monkeypatch.setattr(Leadership, "take", taking)
    agent = site.governed(of_one("fraud", site.cluster, 100.0), site.begin())
    eventually(lambda: agent.talk.epoch)
    of_leader = [said for said in caplog.messages if said.startswith("the leader is")]
    assert of_leader[:2] == ["the leader is unknown: the store does not answer", "the leader is known again"]


def test_a_cluster_manager_that_stands_still_holds_up_no_round_and_counts_once_it_has_answered(site: Site) -> None:
    room, stands, goes_on, rounds = site.cluster.room, Event(), Event(), list[View]()

    def late() -> Room:
        if stands.is_set():
            goes_on.wait(patience_s())
        return room()

    site.cluster.room = late  # type: ignore[method-assign]
    site.on_view = rounds.append
    door = site.begin()
    site.governed(of_one("clicks", site.cluster, 150.0, wanted=2), door)
    eventually(lambda: rounds and rounds[-1].jobs)
    stands.set()
    before = len(rounds)
    eventually(lambda: len(rounds) > before + 10)
    goes_on.set()
    site.governed(of_one("fraud", site.cluster, 380.0), door)
    eventually(lambda: held(site.cluster) == {"clicks": 2, "fraud": 4})


def test_a_coordinator_that_is_told_to_end_says_so_and_the_next_one_goes_on(site: Site) -> None:
    def ended() -> bool | None:
        with closing(open_store(site.store)) as store:
            card = store.desk.card("fleet-lab")
            return None if card is None else card.sign.ended

    with site.begun() as (door, port):
        agent = site.governed(of_one("fraud", site.cluster, 100.0), door)
        eventually(lambda: agent.talk.epoch)
        assert ended() is False
    assert ended() is True
    site.begin(port)
    eventually(lambda: ended() is False)


def test_words_that_nobody_takes_are_no_end_of_a_coordinator(site: Site) -> None:
    def closed(text: str) -> None:
        raise BrokenPipeError(text)

    site.say = closed
    agent = site.governed(of_one("fraud", site.cluster, 100.0), site.begin())
    eventually(lambda: agent.talk.epoch)


def test_a_store_that_is_away_costs_a_line_and_no_traceback_each_second(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    away = [OutageError("the store does not answer"), StoreError("nor now")]

    def opens(*given: object, **named: object) -> object:
        if away:
            raise away.pop()
        return open_store(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("penstock.governing.coordinating.open_store", opens)
    agent = site.governed(of_one("fraud", site.cluster, 100.0), site.begin())
    eventually(lambda: agent.talk.epoch >= 1 and not away)
    stumbled = [record for record in caplog.records if "failed and restarts" in record.message]
    assert [record.exc_info for record in stumbled] == [None, None]


def test_a_store_that_stands_still_ends_the_term_and_governing_begins_once_it_answers(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.governing.coordinating.KEEPS_WITHIN_S", 0.1)
    goes_on, opened, said = Event(), list[object](), list[str]()

    def opens(*given: object, **named: object) -> object:
        if not opened:
            opened.append(None)
            goes_on.wait(patience_s())
        return open_store(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("penstock.governing.coordinating.open_store", opens)
    site.say = said.append
    agent = site.governed(of_one("fraud", site.cluster, 100.0), site.begin())
    eventually(lambda: said.count("no longer leads lab") > 1)
    assert len(opened) == 1  # nobody else tries beside it
    goes_on.set()
    monkeypatch.setattr("penstock.governing.coordinating.KEEPS_WITHIN_S", patience_s())
    eventually(lambda: agent.talk.epoch > 1 and held(site.cluster))


def test_a_term_that_began_while_its_store_was_away_is_over_once_that_knows_the_run_and_the_next_goes_on_with_it(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.store.tolerant.BEGIN_AGAIN_S", 0.1)
    away, said = Event(), list[str]()
    away.set()

    class Away(SqlStore):
        def begin(self, run: RunInfo) -> RunInfo:
            if away.is_set():
                raise StoreError("the database is away")
            return super().begin(run)

    with closing(open_store(site.store)) as store:
        store.begin(RunInfo("fleet-lab", "lab", "another", "fleet", started_at_s=time.time() - 600.0))
        store.append(a_cycle(500.0))
    monkeypatch.setattr("penstock.governing.coordinating.open_store", lambda place: Away(open_store(place).database))
    site.say = said.append
    site.governed(of_one("fraud", site.cluster, 380.0), site.begin())
    eventually(lambda: held(site.cluster) == {"fraud": 4})
    away.clear()

    def later() -> tuple[float, ...]:
        with closing(open_store(site.store)) as store:
            return tuple(at_s for at_s in store.read_run("fleet-lab").at_s if at_s != 500.0)

    assert min(eventually(later)) >= 600.0
    assert said.count("no longer leads lab") == 1


def _answered(call: object) -> bool:
    try:
        call()  # type: ignore[operator]
    except OutageError:
        return False
    return True
