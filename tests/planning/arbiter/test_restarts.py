"""Restarts: triggers and parts of states are turned where shares and bounds leave much to be wished for."""

from dataclasses import replace

import numpy as np
import pytest

from penstock.core.levers import Dial, Disturbs
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.restarts import with_a_restart
from penstock.planning.arbiter.search import Found, search
from tests.planning.arbiter.fleets import batch, fleet, job

ALL = np.ones(2, dtype=bool)


def trigger(name: str, every_s: float) -> Dial:
    return Dial("trigger", name, every_s, 0.0, disturbs=Disturbs.QUERY)


def chosen(one: Fleet, may: "np.ndarray[tuple[int], np.dtype[np.bool_]]" = ALL) -> Found:
    return with_a_restart(one, search(one), may, 40.0)


def slow_of_its_own() -> Fleet:
    return fleet(job("slow", 50.0, "8s", levers=(trigger("slow", 60.0),)), job("b", 50.0, levers=(trigger("b", 1.0),)))


def test_a_trigger_that_keeps_no_target_is_turned() -> None:
    found = chosen(slow_of_its_own())
    assert found.best.triggers[0, 0] <= 10.0
    assert found.best.triggers[0, 1] == 1.0


def test_nothing_starts_again_where_all_have_what_they_asked_for_or_who_may_not() -> None:
    fine = fleet(job("a", 50.0, levers=(trigger("a", 2.0),)), job("b", 50.0, levers=(trigger("b", 1.0),)))
    assert (chosen(fine).best.triggers == fine.trigger_s).all()
    assert chosen(slow_of_its_own(), ~ALL).best.triggers[0, 0] == 60.0


def test_two_hundred_parts_become_as_many_as_run_at_once() -> None:
    parts = Dial("partitions", "counted", 200, 1, 1000, disturbs=Disturbs.QUERY)
    one = fleet(job("counted", 70.0, worth=20.0, levers=(parts,)), job("urgent", 50.0, "1s"), slots=2, cores=2)
    one = replace(one, tasks=np.array([102.0, 4.0]), stages=np.array([2.0, 1.0]), parted=np.array([1.0, 0.0]))
    found = chosen(one)
    assert found.best.parts[0, 0] in (2.0, 4.0)
    assert found.outcome.settled.sum() > found.now.settled.sum() + 1.0


def test_a_state_is_not_cut_finer_for_rows_that_the_stage_before_it_may_work_on() -> None:
    # Twice its slots' worth of rows on four tasks a stage: on sixteen of them it would have all, were they its state's.
    parts = Dial("partitions", "counted", 4, 1, 1000, disturbs=Disturbs.QUERY)
    batches = tuple(batch(number, 600.0, number, stages=2, tasks=8) for number in range(1, 5))
    one = fleet(job("counted", 600.0, "8s", levers=(parts,), batches=batches), job("b", 50.0), slots=16, cores=16)
    assert one.parted[0] == 1.0
    assert chosen(one).best.parts[0, 0] == 4.0


def test_a_state_is_cut_into_no_more_parts_than_its_lever_goes() -> None:
    parts = Dial("partitions", "counted", 200, 1, 3, disturbs=Disturbs.QUERY)
    one = fleet(job("counted", 50.0, "1s", levers=(parts,)), job("b", 50.0))
    one = replace(one, tasks=np.array([102.0, 4.0]), stages=np.array([2.0, 1.0]), parted=np.array([1.0, 0.0]))
    assert chosen(one).best.parts[0, 0] <= 3.0


def test_a_large_state_is_not_cut_by_a_policy() -> None:
    parts = Dial("partitions", "counted", 200, 1, 1000, disturbs=Disturbs.QUERY)
    light, heavy = (
        fleet(job("counted", 50.0, levers=(parts,), state_bytes=size), job("b", 50.0)) for size in (2**20, 2**32)
    )
    assert (light.parts[0], heavy.parts[0]) == (200.0, 0.0)


@pytest.mark.parametrize(("stages", "tasks", "parted"), [(1, 4, 0.0), (2, 8, 1.0), (3, 12, 2.0), (3, 6, 1.0)])
def test_the_stage_that_reads_a_source_has_its_tasks_whatever_the_parts_of_the_state(
    stages: int, tasks: int, parted: float
) -> None:
    parts = Dial("partitions", "counted", 4, 1, 1000, disturbs=Disturbs.QUERY)
    batches = tuple(batch(number, 50.0, number, stages=stages, tasks=tasks) for number in range(1, 5))
    assert fleet(job("counted", 50.0, levers=(parts,), batches=batches)).parted[0] == parted
