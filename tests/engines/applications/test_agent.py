"""An agent without a network: what it does about answers, and what it tells when an order cannot be carried out."""

import json
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest
from fleet_world import SimulatedCluster, of_one

from penstock.engines.applications.agent import Agent
from penstock.engines.applications.wire import Order, Reply, Serials, encode_answer
from penstock.errors import OutageError
from tests.patience import eventually, patience_s


@dataclass
class Says:
    """A coordinator that says what it was given to say."""

    answers: list[Reply | None]
    reports: list[dict[str, Any]] = field(default_factory=list)

    def say(self, raw: bytes) -> bytes:
        self.reports.append(json.loads(raw))
        answer = self.answers.pop(0)
        if answer is None:
            raise OutageError("no coordinator answers")
        return encode_answer(answer)

    def close(self) -> None:
        """There is nothing to close."""


def orders(executors: int, number: int, heard: int) -> Reply:
    return Reply(1, heard, 2.0, 15.0, Order(Serials(1, number), executors))


def test_an_order_is_carried_out_apart_from_reporting_and_only_the_newest() -> None:
    application = of_one("fraud", SimulatedCluster(8), 100.0)
    agent = Agent("fraud", application, Says([orders(3, 1, 1), orders(5, 2, 2)]))
    agent.once()
    agent.once()
    assert application.held == 1
    agent.carry_out()
    agent.carry_out()
    assert (application.held, [order.executors for order in application.given]) == (5, [5])


def test_what_the_cluster_manager_refuses_is_told_with_the_next_report() -> None:
    application = of_one("fraud", SimulatedCluster(8), 100.0, fails="the backend is away")
    said = Says([orders(3, 1, 1), Reply(1, 2, 2.0, 15.0)])
    agent = Agent("fraud", application, said)
    agent.once()
    agent.carry_out()
    agent.once()
    assert said.reports[-1]["refused"] == "OSError: the backend is away"
    assert said.reports[-1]["applied"] == [1, 1]


def test_an_answer_that_took_longer_than_the_lease_moves_nothing() -> None:
    ticks = iter([0.0, 15.5])
    application = of_one("fraud", SimulatedCluster(8), 100.0)
    agent = Agent("fraud", application, Says([orders(3, 1, 1)]), even=lambda: next(ticks))
    agent.once()
    agent.carry_out()
    assert application.held == 1
    assert "the lease of 15.0 s has run out" in agent.talk.refused


@pytest.mark.parametrize(("turn_s", "held"), [(15.0, 3), (15.5, 1)])
def test_an_order_whose_turn_comes_after_its_lease_moves_nothing_and_that_is_told(turn_s: float, held: int) -> None:
    now = [0.0]
    application = of_one("fraud", SimulatedCluster(8), 100.0)
    said = Says([orders(3, 1, 1), Reply(1, 2, 2.0, 15.0)])
    agent = Agent("fraud", application, said, even=lambda: now[0])
    agent.once()
    now[0] = turn_s  # the driver stood still, or Spark did not come back from the order before
    agent.carry_out()
    assert application.held == held
    agent.once()
    late = "its turn came 0.5 s after its lease had run out"
    assert said.reports[-1].get("refused") == (late if held == 1 else None)


@pytest.mark.parametrize("ahead_s", [-3600.0, 0.0, 3600.0])
def test_an_agent_whose_clock_is_an_hour_off_obeys_as_any_other(ahead_s: float) -> None:
    now = [1e6]
    application = of_one("fraud", SimulatedCluster(8), 100.0)
    said = Says([orders(3, 1, 1), orders(5, 2, 2)])
    agent = Agent("fraud", application, said, even=lambda: now[0] + ahead_s)
    agent.once()
    now[0] += 14.9
    agent.carry_out()
    agent.once()
    now[0] += 15.1
    agent.carry_out()
    assert (application.held, agent.talk.refused) == (3, "its turn came 0.1 s after its lease had run out")


def test_where_nobody_answers_the_application_keeps_what_it_has() -> None:
    application = of_one("fraud", SimulatedCluster(8), 100.0, wanted=4)
    agent = Agent("fraud", application, Says([None]))
    with pytest.raises(OutageError):
        agent.once()
    agent.carry_out()
    assert (application.held, application.given) == (4, [])


class OneAtATime:
    """A coordinator that answers the first report only once somebody else has had time to send the second."""

    def __init__(self) -> None:
        self.said, self.most, self._under_way = 0, 0, 0
        self.first, self.goes_on = threading.Event(), threading.Event()

    def say(self, raw: bytes) -> bytes:
        self.said, self._under_way = self.said + 1, self._under_way + 1
        self.most = max(self.most, self._under_way)
        self.first.set()
        assert self.goes_on.wait(patience_s())
        self._under_way -= 1
        return encode_answer(Reply(1, json.loads(raw)["number"], 2.0, 15.0))

    def close(self) -> None:
        """There is nothing to close."""


class WatchedLock:
    """An agent's, which counts who asks for it."""

    def __init__(self) -> None:
        self.asked, self._lock = 0, threading.Lock()

    def __enter__(self) -> None:
        self.asked += 1
        self._lock.acquire()

    def __exit__(self, *raised: object) -> None:
        self._lock.release()


def test_two_who_report_at_once_do_so_one_after_the_other() -> None:
    said = OneAtATime()
    agent = Agent("fraud", of_one("fraud", SimulatedCluster(8), 100.0), said)
    lock = vars(agent)["_saying"] = WatchedLock()
    threads = [threading.Thread(target=agent.once) for _ in range(2)]
    threads[0].start()
    assert said.first.wait(patience_s())
    asked = lock.asked
    threads[1].start()
    eventually(lambda: lock.asked > asked or said.said > 1)  # without a lock it says its own meanwhile
    said.goes_on.set()
    for thread in threads:
        thread.join(patience_s())
    assert (said.said, said.most) == (2, 1)
