"""Coordinators as processes that are killed, frozen, cut off: one leads, budgets add up, none is above its limits."""

import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fleet_world import SimulatedCluster, held, of_one

from penstock.engines.applications.conversation import Conversation
from penstock.engines.applications.link import PATH, Link
from penstock.engines.applications.wire import Reply, encode_report, read_answer
from penstock.errors import OutageError, PenstockError
from penstock.local.postgres import postgres_files
from penstock.store.open import open_store
from tests.governing.coordinators import CORES, LEASE_S, MOST, Fleet, Program
from tests.governing.relay import relay_to
from tests.patience import eventually

pytestmark = pytest.mark.sockets


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with ExitStack() as stack:
        yield Fleet(tmp_path, stack)


def test_a_coordinator_on_whom_an_agent_hangs_up_goes_on_and_says_what_ends_it(fleet: Fleet) -> None:
    program = fleet.begin()
    fleet.leader([program])
    program.freeze()
    with closing(_asking(program, fleet.token, b"{}")):  # it is gone before its answer can be written
        pass
    program.wake()
    eventually(lambda: _listens(program))
    assert program.process.poll() is None
    program.signal(signal.SIGTERM)
    assert program.ended() == 130
    assert "the coordinator of lab ends: SIGTERM" in program.said()


def test_a_coordinator_that_advises_says_at_its_end_what_could_be_saved_and_which_slos_that_keeps(fleet: Fleet) -> None:
    fleet.file.write_text(f"{fleet.file.read_text()}price: {{slot_hour: 0.05, currency: EUR}}\n")
    program = fleet.begin(None, "--advise")
    # Two would do. It holds no more than it may: of more, none is believed that the master has not told of yet.
    clicks = of_one("clicks", fleet.cluster, 150.0, wanted=MOST)
    fleet.governed(clicks, program.url)
    eventually(lambda: _advised_over(fleet.store))
    program.signal(signal.SIGTERM)
    program.ended()
    assert (
        "2.0 were not needed (73.00 EUR a month), 2 of them never (73.00 EUR a month). SLOs still met: 1 of 1"
        in program.said()
    )
    assert clicks.given == []


def test_another_leads_when_a_coordinator_is_killed_and_says_so(fleet: Fleet) -> None:
    first, second = fleet.begin(), fleet.begin()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=5), of_one("fraud", fleet.cluster, 100.0)
    for one in (clicks, fraud):
        fleet.governed(one, first.url, second.url)
    leader = fleet.leader([first, second])
    other = second if leader is first else first
    fleet.followed(0)
    leader.kill()
    fraud.rates["fraud"] = 580.0  # as many as six would do, and four it may have
    eventually(lambda: held(fleet.cluster) == {"clicks": 2, "fraud": 4})
    assert f"the coordinator before at {leader.url} was killed, cut off or stood still" in other.said()
    assert max(leader.epochs()) < min(other.epochs())
    fleet.check()


@pytest.mark.long
def test_a_coordinator_that_was_killed_and_comes_back_goes_on_with_the_run(fleet: Fleet) -> None:
    first = fleet.begin()
    port = first.port
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=5), of_one("fraud", fleet.cluster, 380.0)
    for one in (clicks, fraud):
        fleet.governed(one, first.url)
    eventually(lambda: held(fleet.cluster) == {"clicks": 2, "fraud": 4})
    first.kill()
    clicks.rates["clicks"], fraud.rates["fraud"] = 380.0, 150.0
    again = fleet.begin(port)
    eventually(lambda: held(fleet.cluster) == {"clicks": 4, "fraud": 2})
    assert min(again.epochs()) > max(first.epochs())
    with closing(open_store(fleet.store)) as store:
        assert [run.id for run in store.runs()] == ["fleet-lab"]
    fleet.check()


@pytest.mark.long
def test_a_coordinator_that_was_frozen_past_its_lease_orders_nothing_when_it_wakes(fleet: Fleet) -> None:
    first, second = fleet.begin(), fleet.begin()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=5), of_one("fraud", fleet.cluster, 100.0)
    for one in (clicks, fraud):
        fleet.governed(one, first.url, second.url)
    frozen = fleet.leader([first, second])
    other = second if frozen is first else first
    fleet.followed(0)
    frozen.freeze()
    report, _ = Conversation("late", "i-1").reporting(of_one("late", SimulatedCluster(1), 100.0).state())
    with closing(_asking(frozen, fleet.token, encode_report(report))) as asked:  # while it would lead, were it awake
        fraud.rates["fraud"] = 580.0  # as many as six would do, and four it may have
        eventually(lambda: held(fleet.cluster) == {"clicks": 2, "fraud": 4})
        frozen.wake()
        status, _, rest = asked.makefile("rb").read().partition(b"\r\n")
    assert b" 503 " in status, (status, rest)
    assert b"does not lead" in rest
    eventually(lambda: "no longer leads lab" in frozen.said())
    fraud.rates["fraud"] = 150.0
    clicks.rates["clicks"] = 380.0
    eventually(lambda: held(fleet.cluster) == {"clicks": 4, "fraud": 2})
    assert frozen.process.poll() is None
    assert max(frozen.epochs()) < max(other.epochs())
    fleet.check()


@pytest.mark.long
def test_an_order_of_a_coordinator_that_is_over_is_refused_by_its_epoch_and_its_age(fleet: Fleet) -> None:
    first, second = fleet.begin(), fleet.begin()
    leader = fleet.leader([first, second])
    other = second if leader is first else first
    clicks = of_one("clicks", fleet.cluster, 150.0, wanted=5)
    fleet.governed(clicks, first.url, second.url)
    fraud = of_one("fraud", fleet.cluster, 380.0)
    talk = Conversation("fraud", "i-1")
    with closing(Link([leader.url], fleet.token)) as link:  # an agent by hand, whose answers are kept for later
        answer = None
        while answer is None or answer.order is None:
            report, talk = talk.reporting(fraud.state())
            answer = read_answer(link.say(encode_report(report)))
            if answer.order is None:
                _, talk = talk.answered(answer, 0.0)
    leader.kill()
    _, aged = talk.answered(answer, LEASE_S + 0.1)
    assert "the lease of 4.0 s has run out" in aged.refused
    with closing(Link([other.url], fleet.token)) as link:
        report, talk = talk.reporting(fraud.state())
        newer = eventually(lambda: _said(link, encode_report(report)))
        _, talk = talk.answered(newer, 0.0)
    order, after = talk.answered(answer, 0.0)
    assert (order, newer.epoch > answer.epoch) == (None, True)
    assert after.refused == f"epoch {answer.epoch} is over, {newer.epoch} has begun"
    fleet.check()


@pytest.mark.long
def test_an_agent_that_is_cut_off_from_all_keeps_what_it_has_and_is_counted_by_the_cluster(fleet: Fleet) -> None:
    program = fleet.begin()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=3), of_one("fraud", fleet.cluster, 100.0)
    fleet.leader([program])
    relay = fleet.stack.enter_context(relay_to(program.port))
    agent = fleet.governed(clicks, relay.url)
    fleet.governed(fraud, program.url)
    fleet.followed(0)
    relay.cut()
    with pytest.raises(OutageError, match="no coordinator answers"):
        agent.once()
    fraud.rates["fraud"] = 580.0  # as many as six executors would do
    eventually(lambda: fraud.held == 3)
    assert (held(fleet.cluster), clicks.given) == ({"clicks": 3, "fraud": 3}, [])
    fleet.check()


@pytest.mark.long
def test_while_the_master_stands_still_executors_go_and_none_are_promised(fleet: Fleet) -> None:
    program = fleet.begin()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=MOST), of_one("fraud", fleet.cluster, 380.0)
    for one in (clicks, fraud):
        fleet.governed(one, program.url)
    eventually(lambda: held(fleet.cluster) == {"clicks": 2, "fraud": 4})
    fleet.answers.clear()
    clicks.rates["clicks"], fraud.rates["fraud"] = 380.0, 150.0
    eventually(lambda: fraud.held == 2)
    told = clicks.seen + 20  # reports
    eventually(lambda: clicks.seen > told)
    assert (clicks.held, [order.executors for order in clicks.given]) == (2, [2])
    fleet.answers.set()
    eventually(lambda: held(fleet.cluster) == {"clicks": 4, "fraud": 2})
    fleet.check()


@pytest.mark.long
def test_when_a_node_is_gone_executors_go_where_they_are_missed_least_and_come_back_with_it(fleet: Fleet) -> None:
    program = fleet.begin()
    clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=5), of_one("fraud", fleet.cluster, 380.0)
    fleet.leader([program])
    for one in (clicks, fraud):
        fleet.governed(one, program.url)
    eventually(lambda: held(fleet.cluster) == {"clicks": 2, "fraud": 4})
    fleet.cluster.cores = 4
    eventually(lambda: sum(held(fleet.cluster).values()) == clicks.wanted + fraud.wanted == 4)
    assert min(clicks.held, fraud.held) >= 1
    fleet.cluster.cores = CORES
    eventually(lambda: held(fleet.cluster) == {"clicks": 2, "fraud": 4})
    fleet.check()


@pytest.mark.long
@pytest.mark.server
def test_while_postgresql_restarts_nothing_is_lost_and_one_leads_afterwards(tmp_path: Path) -> None:
    with ExitStack() as stack:
        files = stack.enter_context(postgres_files("s3cret-Wort"))
        with files.running():
            fleet = Fleet(tmp_path, stack, files.server.create("runs"))
            first, second = fleet.begin(), fleet.begin()
            clicks, fraud = of_one("clicks", fleet.cluster, 150.0, wanted=5), of_one("fraud", fleet.cluster, 100.0)
            for one in (clicks, fraud):
                fleet.governed(one, first.url, second.url)
            leader = fleet.leader([first, second])
            fleet.followed(0)
        eventually(lambda: not leader.leads())
        assert (clicks.held, fraud.held, clicks.wanted + fraud.wanted <= 6) == (clicks.wanted, fraud.wanted, True)
        with files.running():
            fraud.rates["fraud"] = 380.0
            eventually(lambda: held(fleet.cluster) == {"clicks": 2, "fraud": 4})
            assert [program.process.poll() for program in fleet.programs] == [None, None]
            fleet.check()
            for program in fleet.programs:
                program.end()


def _asking(program: Program, token: str, raw: bytes) -> socket.socket:
    """A connection on which a report was sent."""
    place = urlsplit(program.url)
    asked = socket.create_connection((place.hostname, place.port))
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n"
    asked.sendall(f"{head}Content-Length: {len(raw)}\r\n\r\n".encode() + raw)
    return asked


def _listens(program: Program) -> bool:
    try:
        with closing(_asking(program, "agent-none", b"{}")) as asked:
            return b" 401 " in asked.recv(1024)
    except OSError:
        return False


def _said(link: Link, raw: bytes) -> Reply | None:
    try:
        return read_answer(link.say(raw))
    except OutageError:
        return None


def _advised_over(store: str) -> bool:
    """Whether a round has seen an application."""
    if not Path(store).exists():
        return False
    with closing(open_store(store, create=False)) as opened:
        try:
            return any(view.jobs for view in opened.views("fleet-lab"))
        except PenstockError:  # the run is not there yet
            return False
