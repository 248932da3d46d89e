"""Executors that follow the jobs' weights: who lacks something asks for more weight, and slots come."""

from dataclasses import replace

import numpy as np
import pytest

from penstock.core.levers import Slots
from penstock.core.seen.view import JobView
from penstock.planning.arbiter.giving_back import with_fewer_slots
from penstock.planning.arbiter.policy import Arbiter
from penstock.planning.arbiter.search import search
from penstock.planning.arbiter.words import why
from tests.planning.arbiter.fleets import COULD_BE_HAD, SLOTS_EACH, as_seen, figures, followed, job


def hard_pressed() -> tuple[JobView, JobView]:
    """Two jobs that have one executor's two slots and need more than twice as many."""
    a, b = (job(name, 150.0, target="2s", utility=1.0) for name in ("a", "b"))
    return a, b


@pytest.mark.parametrize(
    ("weight", "slots"), [(1.0, 2.0), (2.0, 2.0), (3.0, 4.0), (11.0, 12.0), (12.0, 12.0), (40.0, 12.0)]
)
def test_slots_come_with_weight_an_executor_at_a_time(weight: float, slots: float) -> None:
    assert as_seen(followed(*hard_pressed())).slots_for(np.array([weight]))[0] == slots


def test_cores_come_with_executors_that_have_one_for_each_slot_only() -> None:
    own, shared = as_seen(followed(*hard_pressed())), as_seen(followed(*hard_pressed(), cores=1))
    assert own.cores_for(np.array([8.0]))[0] == 4.0 * own.cores
    assert shared.cores_for(np.array([8.0]))[0] == shared.cores


def test_who_lacks_slots_asks_for_more_where_more_can_be_had() -> None:
    found = search(as_seen(followed(*hard_pressed())))
    assert found.best.weights.sum() >= 5.0
    assert found.outcome.settled.sum() > 0.9 * 20.0 > found.now.settled.sum()


def test_all_slots_that_could_be_had_are_there_where_nothing_follows() -> None:
    one = as_seen(followed(*hard_pressed(), executors=6, follows=False))
    assert one.slots_for(np.array([2.0]))[0] == COULD_BE_HAD


def test_the_policy_gives_weight_at_once_where_that_brings_executors() -> None:
    plan, _ = Arbiter().decide(followed(*hard_pressed()), Arbiter().start())
    moves = [move for decision in plan.decisions for move in decision.moves if isinstance(move, Slots)]
    assert sum(move.after - move.before for move in moves) >= 3


def test_who_has_enough_asks_for_nothing() -> None:
    plan, _ = Arbiter().decide(followed(job("a", 20.0), job("b", 20.0)), Arbiter().start())
    assert plan.decisions == ()


def weight_at_rest(*jobs: JobView, executors: int = 6) -> list[float]:
    """What all jobs have together, round by round over ten minutes in which nothing changes but what is decided."""
    policy, found = Arbiter(), [float(sum(one.figures.threads for one in jobs))]
    memory = policy.start()
    for at_s in range(10, 600, 10):
        view = followed(*(_at(one, float(at_s)) for one in jobs), executors=executors, at_s=float(at_s))
        plan, memory = policy.decide(view, memory)
        weights = {move.job: move.after for one in plan.decisions for move in one.moves if isinstance(move, Slots)}
        jobs = tuple(_with_weight(one, weights.get(one.name, one.figures.threads)) for one in jobs)
        found.append(float(sum(one.figures.threads for one in jobs)))
        executors = -(-int(found[-1]) // SLOTS_EACH)
    return found


def _at(one: JobView, at_s: float) -> JobView:
    rate = one.figures.arrival_rps or 0.0
    return replace(one, figures=figures(one.name, rate, one.figures.threads, up_to_s=at_s))


def _with_weight(one: JobView, weight: int) -> JobView:
    (unit,) = one.figures.operators
    return replace(one, figures=replace(one.figures, operators=(replace(unit, threads=weight),)))


def test_executors_that_nobody_needs_are_given_back_after_a_while() -> None:
    weights = weight_at_rest(job("a", 20.0, weight=6), job("b", 20.0, weight=6))
    assert weights[:17] == [12.0] * 17
    assert weights[-1] == 2.0


def test_executors_that_somebody_needs_are_kept() -> None:
    assert min(weight_at_rest(job("a", 400.0, target="2s", weight=12))) == 4.0  # its batches have four tasks


def test_the_reason_says_what_is_given_back() -> None:
    one = as_seen(followed(job("a", 20.0, weight=6), job("b", 20.0, weight=6), executors=6))
    found = with_fewer_slots(one, search(one))
    assert found is not None
    view = followed(job("a", 20.0, weight=6), job("b", 20.0, weight=6), executors=6)
    assert why(view, one, found) == (
        "10 slots fewer meet all targets, even with some more rows: executors are given back"
    )
