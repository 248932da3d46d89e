"""The agent's side: what it says after which answer, and which orders it refuses."""

import pytest

from penstock.engines.applications.conversation import Conversation
from penstock.engines.applications.wire import Order, Reply, Serials
from tests.engines.applications.saying import state, tenant

LEASE_S = 15.0


def begun() -> Conversation:
    _, talk = Conversation("fraud", "i-1").reporting(state())
    return talk


def answer(epoch: int = 3, heard: int | None = 1, order: Order | None = None) -> Reply:
    return Reply(epoch, heard, 2.0, LEASE_S, order)


def ordered(executors: int = 3, epoch: int = 3, number: int = 1) -> Reply:
    return answer(epoch, order=Order(Serials(epoch, number), executors))


def test_the_first_report_says_all_and_the_next_ones_what_changed() -> None:
    first, talk = Conversation("fraud", "i-1").reporting(state())
    assert (first.base, first.state["executors"]["most"]) == (None, 8)
    _, talk = talk.answered(answer(heard=1), 0.1)
    second, talk = talk.reporting(state(tenants={"fraud": tenant(latency_s=3.0)}))
    assert (second.base, second.state) == (1, {"tenants": {"fraud": {"latency": {"mean_s": 3.0}}}})


def test_what_was_not_heard_is_said_again_whole() -> None:
    _, talk = begun().answered(answer(heard=1), 0.1)
    _, talk = talk.reporting(state())
    _, talk = talk.answered(answer(heard=None), 0.1)
    report, _ = talk.reporting(state())
    assert (report.base, "tenants" in report.state) == (None, True)


def test_a_report_without_an_answer_is_followed_by_one_on_what_was_heard_before() -> None:
    _, talk = begun().answered(answer(heard=1), 0.1)
    _, talk = talk.reporting(state(now=2))
    report, _ = talk.reporting(state(now=2))
    assert (report.number, report.base, report.state) == (3, 1, {"executors": {"now": 2, "wanted": 2}})


def test_an_order_is_carried_out_once_however_often_it_comes() -> None:
    order, talk = begun().answered(ordered(), 0.1)
    assert order is not None
    again, talk = talk.answered(ordered(), 0.1)
    assert (again, talk.applied, talk.refused) == (None, Serials(3, 1), "")


@pytest.mark.parametrize(
    ("late", "why"),
    [
        (ordered(executors=9), "9 executors are not within 1 to 8"),
        (ordered(executors=0), "0 executors are not within 1 to 8"),
        (answer(4, order=Order(Serials(3, 9), 2)), "an order of epoch 3, where 4 leads"),
    ],
)
def test_an_order_that_breaks_a_bound_is_refused_and_that_is_told(late: Reply, why: str) -> None:
    order, talk = begun().answered(late, 0.1)
    assert (order, talk.refused, talk.applied) == (None, why, Serials())
    assert talk.reporting(state())[0].refused == why


def test_an_order_that_comes_after_the_lease_is_refused() -> None:
    order, talk = begun().answered(ordered(), LEASE_S + 0.1)
    assert (order, talk.refused) == (None, "it came after 15.1 s: the lease of 15.0 s has run out")


def test_a_coordinator_of_an_earlier_epoch_is_not_obeyed_nor_believed_to_have_heard() -> None:
    _, talk = begun().answered(ordered(2, epoch=4), 0.1)
    order, talk = talk.answered(ordered(5, epoch=3, number=99), 0.1)
    assert (order, talk.epoch, talk.heard, talk.refused) == (None, 4, None, "epoch 3 is over, 4 has begun")


def test_who_leads_in_an_earlier_epoch_is_told_which_one_is_obeyed_until_it_leads_in_a_later_one() -> None:
    _, talk = begun().answered(answer(epoch=4), 0.1)
    assert (talk.reporting(state())[0].obeys, talk.over, talk.trouble) == (0, None, "")
    _, talk = talk.answered(ordered(5, epoch=3), 0.1)
    report, talk = talk.reporting(state())
    assert (report.obeys, report.base, talk.over) == (4, None, 3)
    assert "leads in epoch 3, which is over: epoch 4 was heard of" in talk.trouble
    assert "give all coordinators one store, or start this driver again" in talk.trouble
    order, talk = talk.answered(ordered(5, epoch=5, number=1), 0.1)
    assert order is not None
    assert (talk.reporting(state())[0].obeys, talk.over, talk.trouble) == (0, None, "")


def test_orders_of_a_later_epoch_count_from_one_again() -> None:
    _, talk = begun().answered(ordered(2, epoch=3, number=40), 0.1)
    order, talk = talk.answered(ordered(4, epoch=4, number=1), 0.1)
    assert order is not None
    assert (order.executors, talk.applied) == (4, Serials(4, 1))


def test_an_order_that_could_not_be_carried_out_is_told_with_the_next_report() -> None:
    order, talk = begun().answered(ordered(), 0.1)
    assert order is not None
    report, _ = talk.failed(order, "the cluster manager does not answer").reporting(state())
    assert (report.refused, report.applied) == ("the cluster manager does not answer", Serials(3, 1))
