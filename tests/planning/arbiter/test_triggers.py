"""Triggers that are turned while queries run: where a batch takes much beside its rows, batches begin less often."""

from dataclasses import replace

import numpy as np
import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.levers import Dial, Disturbs, Shows, Trigger
from penstock.planning.arbiter.candidates import present, restarted
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.giving_back import as_often_as_said
from penstock.planning.arbiter.moves import moves_to
from penstock.planning.arbiter.outcome import foretell
from penstock.planning.arbiter.search import Found, search
from penstock.planning.arbiter.words import why
from tests.planning.arbiter.fleets import fleet, fleet_view, job

OF_BATCHES = {"task_cpu_s": np.array([0.2, 0.6, 0.6]), "aside_s": np.array([0.1, 0.1, 0.1])}
JUICE = Intent(Juice(0.8, utility=10.0))


def trigger(name: str, every_s: float, disturbs: Disturbs = Disturbs.NOTHING) -> tuple[Dial, ...]:
    return (Dial("trigger", name, every_s, 0.0, disturbs=disturbs, shows=Shows.NEXT_BATCH),)


def dear_batches(disturbs: Disturbs = Disturbs.NOTHING) -> Fleet:
    """What a batch takes beside its rows keeps both cores busy; no shares can be had, and no bounds."""
    return fleet(
        job("urgent", 20.0, "3s", worth=40.0, levers=trigger("urgent", 0.0, disturbs)),
        job("late", 20.0, "20s", levers=trigger("late", 1.0, disturbs)),
        job("any", 20.0, intent=JUICE, levers=trigger("any", 1.0, disturbs)),
        slots=4,
        cores=2,
        most=np.ones(3),
        **OF_BATCHES,
    )


def test_batches_of_who_has_time_begin_less_often_and_nobody_starts_again() -> None:
    there = dear_batches()
    found = search(there)
    assert (found.best.triggers[0, 1:] > there.trigger_s[1:]).any()
    assert found.outcome.settled.sum() > found.now.settled.sum() + 1.0
    assert not restarted(there, found.best).any()
    assert any(isinstance(move, Trigger) for move in moves_to(there, found.best))
    assert "begin less often, because each has a fixed cost" in why(fleet_view(*there.jobs), there, found)


def test_who_asks_for_seconds_has_two_batches_in_them() -> None:
    found = search(dear_batches())
    assert (found.best.triggers[0, :2] <= [1.5, 10.0]).all()


def test_a_query_that_would_start_again_for_it_is_left_alone() -> None:
    there = dear_batches(Disturbs.QUERY)
    assert (search(there).best.triggers == there.trigger_s).all()


@pytest.mark.parametrize(("rate_rps", "again"), [(10.0, True), (300.0, False)])
def test_batches_begin_as_often_as_people_said_again_where_nobody_loses_by_it(rate_rps: float, again: bool) -> None:
    there = dear_batches()
    rates = np.array([rate_rps, 10.0, 10.0])
    task_s = 0.01 if again else 0.4
    there = replace(there, arrivals=rates, backlog=rates, task_cpu_s=np.array([task_s, task_s, task_s]))
    there = replace(there, trigger_s=np.array([0.0, 5.0, 8.0]), own_trigger_s=np.array([0.0, 1.0, 1.0]))
    now = foretell(there, present(there))
    found = as_often_as_said(there, Found(present(there), now, now))
    assert (found is not None) == again
    if found is not None:
        assert found.best.triggers.tolist() == [[0.0, 1.0, 1.0]]
        said = why(fleet_view(*there.jobs), there, found)
        assert said == "batches begin as often as configured again: no job loses by it"
