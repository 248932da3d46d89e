"""Agents that carry no order out and do not say why: what they claim is not kept from others for ever."""

from dataclasses import replace
from typing import Any

import pytest
from fleet_world import held
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.levers import Executors
from penstock.core.plan import Step
from penstock.engines.applications.book import Application, Bounds
from penstock.engines.applications.obedience import HEARD_REPORTS, REFUSED_S, UNHEEDED_S
from penstock.engines.applications.promises import promises
from penstock.engines.applications.wire import Order, Report, Serials, plain_state
from tests.engines.applications.lying import Deceived, a_lie
from tests.engines.applications.saying import state

NONE, TAKEN, LATE_S, FAR_TOO_LATE_S = Serials(), Serials(1, 1), UNHEEDED_S + 1.0, REFUSED_S + 1.0
AWAY = "the cluster manager is away"


def application(now: int = 1, wanted: int = 4, ordered: int = 1) -> Application:
    """One that says so of its executors, was ordered to have so many, and was not heard since."""
    joined = Application.joining(_says(0, now, wanted), Bounds(), 0.0)
    return replace(joined, wanted=ordered).ordered(Order(TAKEN, ordered), 0.0)


def _says(number: int, now: int, wanted: int, applied: Serials = NONE, refused: str = "") -> Report:
    return Report("liar", "liar-1", number, plain_state(state("liar", now=now, wanted=wanted)), None, applied, refused)


def heard(one: Application, count: int, until_s: float, **said: Any) -> Application:
    """After so many reports, the last of them at that moment."""
    for number in range(1, count + 1):
        one = one.after(_says(number, **{"now": 1, "wanted": 4, **said}), until_s * number / count)
    return one


@pytest.mark.parametrize(
    ("reports", "until_s", "said", "obeys"),
    [
        (HEARD_REPORTS, LATE_S, {}, False),
        (HEARD_REPORTS - 1, LATE_S, {}, True),  # it was silent, and may not have heard of the order yet
        (50, UNHEEDED_S, {}, True),  # its cluster manager may be away
        (50, LATE_S, {"applied": TAKEN}, False),  # it says that it did, and asks for four all the same
        (50, LATE_S, {"applied": TAKEN, "wanted": 1}, True),
        (50, LATE_S, {"refused": AWAY}, True),
        (50, REFUSED_S, {"refused": AWAY}, True),
        (50, FAR_TOO_LATE_S, {"refused": AWAY}, False),
        (50, FAR_TOO_LATE_S, {"refused": AWAY, "applied": TAKEN}, False),  # taken up, and it could not be done
        (HEARD_REPORTS - 1, FAR_TOO_LATE_S, {"refused": AWAY}, True),
        (50, FAR_TOO_LATE_S, {"applied": TAKEN, "wanted": 1}, True),
    ],
)
def test_who_was_heard_often_and_long_after_an_order_that_was_not_carried_out_obeys_nobody(
    reports: int, until_s: float, said: dict[str, Any], obeys: bool
) -> None:
    assert heard(application(), reports, until_s, **said).obeys is obeys


def test_who_obeys_nobody_counts_for_what_it_has_and_is_promised_no_more() -> None:
    one = heard(application(now=2, wanted=4, ordered=6), HEARD_REPORTS, LATE_S, now=2)
    assert (one.standing.held, one.standing.promised, one.standing.wanted) == (2, 2, 2)
    dial = one.dial(fresh=True)
    assert (dial.now, dial.least, dial.most, dial.asked) == (2, 2, 2, None)


def test_who_carries_an_order_out_after_all_is_reckoned_with_again() -> None:
    one = heard(application(), HEARD_REPORTS, LATE_S)
    found = one.after(_says(99, now=1, wanted=1, applied=TAKEN), 2.0 * LATE_S)
    assert (one.obeys, found.obeys, found.standing.wanted) == (False, True, 1)


@pytest.mark.parametrize("refused", ["", AWAY])
def test_who_carries_out_what_it_refused_for_too_long_is_reckoned_with_again(refused: str) -> None:
    one = heard(application(), 50, FAR_TOO_LATE_S, refused=AWAY)
    found = one.after(_says(99, now=1, wanted=1, applied=TAKEN, refused=refused), 2.0 * FAR_TOO_LATE_S)
    assert (one.obeys, found.obeys) == (False, True)


def test_new_orders_in_the_place_of_refused_ones_begin_no_new_wait() -> None:
    one = application()
    for number in range(2, 50):  # each taken up and not done, and another given half a minute later
        at_s = number * FAR_TOO_LATE_S / 49
        one = one.after(_says(number, now=1, wanted=4, applied=Serials(1, number - 1), refused=AWAY), at_s)
        one = one.after(_says(number, now=1, wanted=4, applied=Serials(1, number - 1)), at_s)
        one = one.ordered(Order(Serials(1, number), 1), at_s)
    assert not one.obeys


def test_another_order_in_the_place_of_one_that_waits_begins_no_new_wait() -> None:
    one = heard(application(), HEARD_REPORTS, UNHEEDED_S)
    one = one.ordered(Order(Serials(1, 2), 2), UNHEEDED_S)
    assert not one.after(_says(99, now=1, wanted=4), LATE_S).obeys


def test_what_was_kept_for_one_that_obeys_nobody_goes_to_whoever_can_use_it() -> None:
    fleet = Deceived()
    lie = a_lie(now=0, wanted=4, least=0)
    assert fleet.deceived(lie)["fraud"] < 4  # of six, two are of clicks and up to four are kept for the liar
    for _ in range(12):
        fleet.says(lie)
        fleet.round(*fleet.honest)
        fleet.says(lie)
    assert held(fleet.cluster) == {"clicks": 2, "fraud": 4}
    view = fleet.engine.observe(fleet.now)
    (told,) = [deed for deed in view.deeds if deed.job == "liar" and deed.text == "obeys no order"]
    assert told.why.endswith("it counts for the 0 that it has, is promised no more, and nothing is waited for from it")


def test_what_was_kept_for_one_that_refuses_every_order_goes_to_whoever_can_use_it() -> None:
    fleet = Deceived()
    lie = a_lie(now=0, wanted=4, least=0)
    assert fleet.deceived(lie)["fraud"] < 4
    for _ in range(75):
        fleet.says(lie, AWAY)
        fleet.round(*fleet.honest)
        fleet.says(lie, AWAY)
    assert held(fleet.cluster) == {"clicks": 2, "fraud": 4}
    view = fleet.engine.observe(fleet.now)
    (told,) = [deed for deed in view.deeds if deed.job == "liar" and deed.text == "obeys no order"]
    assert told.error == AWAY
    assert told.why.startswith("its agent has refused for 10 minutes to have ")


def test_who_obeys_again_is_told_so_and_may_have_more() -> None:
    fleet = Deceived()
    for _ in range(9):
        fleet.says(a_lie(now=0, wanted=4, least=0))
        fleet.round(*fleet.honest)
        fleet.says(a_lie(now=0, wanted=4, least=0))
    order = fleet.engine.hear(Report("liar", "liar-1", 9999, a_lie(now=0, wanted=4, least=0))).order
    assert order is not None
    said = a_lie(now=0, wanted=order.executors, least=0)
    fleet.engine.hear(Report("liar", "liar-1", 10_000, said, applied=order.serials))
    view = fleet.engine.observe(fleet.now)
    assert [deed.text for deed in view.deeds if deed.job == "liar"][-1] == "obeys again"
    fleet.engine.apply([Step("liar", (Executors(0, 1, "liar"),))])


COUNTS = st.integers(0, 8)


@given(reports=st.lists(st.tuples(COUNTS, COUNTS, st.booleans(), st.floats(0.0, 40.0)), max_size=30), ordered=COUNTS)
def test_whatever_it_says_it_and_another_are_never_promised_more_than_there_is(
    reports: list[tuple[int, int, bool, float]], ordered: int
) -> None:
    one, at_s, other = application(ordered=ordered), 0.0, 1
    for number, (now, wanted, takes_up, later_s) in enumerate(reports, start=1):
        at_s += later_s
        one = one.after(_says(number, now, wanted, TAKEN if takes_up else NONE), at_s)
        standing = one.standing
        found = promises([standing, replace(standing, name="other", held=other, promised=other, wanted=8)], 8)
        before = max(standing.held, standing.promised) + other  # for what it says it has there may not even be room
        assert max(standing.held, found["liar"]) + max(other, found["other"]) <= max(8, before)
        if takes_up and wanted == ordered:
            assert one.obeys
