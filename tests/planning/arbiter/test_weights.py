"""Weights beyond the slots: by them who is worth most has all slots but one, or all, however many others there are."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.levers import Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.figures import ALL_OPERATORS
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.search import search
from penstock.planning.arbiter.sharing import floors_of
from penstock.planning.guards.limits import within_limits
from tests.planning.arbiter.fleets import as_seen, fleet, fleet_view, followed, job

URGENT = 3


def jobs() -> list[JobView]:
    """Three that take whatever there is of four slots, and one in a hurry whose rows need nearly three."""
    others = [job(name, 400.0, intent=Intent(Juice(0.9, utility=2.0))) for name in ("a", "b", "c")]
    return [*others, job("urgent", 270.0, target="2s", worth=40.0)]


def as_limited(to: int) -> View:
    """The urgent one may have so many slots, as an engine tells."""
    *others, urgent = jobs()
    most = SlotLimits(max_slots=to).most_weight(4, 4)
    unit = replace(urgent.figures.operator(ALL_OPERATORS), max_threads=most)
    return fleet_view(*others, replace(urgent, figures=replace(urgent.figures, max_threads=to, operators=(unit,))))


def limited(to: int) -> Fleet:
    """The same."""
    return as_seen(as_limited(to))


def test_the_most_valuable_gets_all_slots_but_one_where_it_needs_them() -> None:
    one = fleet(*jobs())
    found = search(one)
    floors = floors_of(one, found.best.weights, np.full((1, 1), one.slots))[0]
    assert found.best.weights[0, URGENT] > one.slots
    assert floors.tolist() == [0.0, 0.0, 0.0, 3.0]


def behind(utility: float = 20.0, **changed: Any) -> Fleet:
    """As many rows of the urgent one as more than three slots can do; it misses its target, unless it has all of 40."""
    *others, _ = jobs()
    return fleet(*others, job("urgent", 330.0, target="2s", worth=40.0, utility=utility), **changed)


def floor_of_urgent(one: Fleet) -> float:
    found = search(one)
    return float(floors_of(one, found.best.weights, np.full((1, 1), one.slots))[0, URGENT])


@pytest.mark.parametrize(("utility", "floor"), [(40.0, 3.0), (20.0, 4.0)])
def test_all_slots_are_for_who_misses_something(utility: float, floor: float) -> None:
    one = behind(utility)
    assert not one.young
    assert floor_of_urgent(one) == floor


def test_nobody_gets_all_slots_where_others_are_promised_some() -> None:
    assert floor_of_urgent(behind(lowest=np.array([2.0, 1.0, 1.0, 1.0]))) == 3.0


def test_nobody_gets_all_slots_where_many_are_worth_about_as_much() -> None:
    assert floor_of_urgent(behind(values=np.array([30.0, 30.0, 2.0, 40.0]))) == 3.0


@pytest.mark.parametrize("to", [2, 3])
def test_a_limit_of_slots_limits_what_a_weight_is_given_for(to: int) -> None:
    """A weight of 2 of five parts would be one slot of four: who may have two needs more than that."""
    one = limited(to)
    found = search(one)
    floors = floors_of(one, found.best.weights, np.full((1, 1), one.slots))[0]
    assert found.best.weights[0, URGENT] > to
    assert floors[URGENT] == to


def test_a_weight_that_exceeds_the_limit_of_slots_is_not_cut_down_to_it() -> None:
    one = as_limited(3)
    turned = Decision(Reason.RECONFIGURED, (Slots("urgent", one.job("urgent").figures.threads, 9),), "", one.at_s, 0.0)
    (kept,) = within_limits(Plan((turned,)), one).decisions
    assert kept.moves == turned.moves


@pytest.mark.parametrize(("follows", "most"), [(True, 12.0), (False, 564.0)])
def test_where_executors_follow_the_weights_these_stay_within_the_slots_to_be_had(follows: bool, most: float) -> None:
    assert as_seen(followed(*jobs(), follows=follows)).most.tolist() == [most] * 4
