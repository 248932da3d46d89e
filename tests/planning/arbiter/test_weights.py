"""Weights beyond the slots: by them who is worth most has all slots but one, however many others there are."""

from dataclasses import replace

import numpy as np
import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.seen.figures import ALL_OPERATORS
from penstock.core.seen.view import JobView
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.search import search
from penstock.planning.arbiter.sharing import floors_of
from tests.planning.arbiter.fleets import as_seen, fleet, fleet_view, followed, job

URGENT = 3


def jobs() -> list[JobView]:
    """Three that take whatever there is of four slots, and one in a hurry whose rows need nearly three."""
    others = [job(name, 400.0, intent=Intent(Juice(0.9, utility=2.0))) for name in ("a", "b", "c")]
    return [*others, job("urgent", 270.0, target="2s", worth=40.0)]


def limited(to: int) -> Fleet:
    """The urgent one may have so many slots."""
    *others, urgent = jobs()
    unit = urgent.figures.operator(ALL_OPERATORS)
    figures = replace(urgent.figures, max_threads=to, operators=(replace(unit, max_threads=to),))
    return as_seen(fleet_view(*others, replace(urgent, figures=figures)))


def test_the_most_valuable_gets_all_slots_but_one_where_it_needs_them() -> None:
    one = fleet(*jobs())
    found = search(one)
    floors = floors_of(one, found.best.weights, np.full((1, 1), one.slots))[0]
    assert found.best.weights[0, URGENT] > one.slots
    assert floors.tolist() == [0.0, 0.0, 0.0, 3.0]


def test_a_limit_of_slots_is_one_of_weight_too() -> None:
    one = limited(2)
    assert one.most.tolist() == [16.0, 16.0, 16.0, 2.0]
    assert search(one).best.weights[0, URGENT] <= 2.0


@pytest.mark.parametrize(("follows", "most"), [(True, 12.0), (False, 48.0)])
def test_where_executors_follow_the_weights_these_stay_within_the_slots_to_be_had(follows: bool, most: float) -> None:
    assert as_seen(followed(*jobs(), follows=follows)).most.tolist() == [most] * 4
