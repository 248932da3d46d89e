"""How slots and cores are shared: floors, waits for others' tasks, and a driver that wants the tasks' own cores."""

from dataclasses import replace

import numpy as np
import pytest

from penstock.engines.spark.application.shares import pool_shares
from penstock.planning.arbiter.candidates import present
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.sharing import conditions, floors_of, task_of
from tests.planning.arbiter.fleets import as_seen, fleet, fleet_view, having_a_core, job


def crowd(cores: int, cpu_share: float) -> Fleet:
    """Three that keep four slots busy; their tasks have a core for that share of their time."""
    jobs = [having_a_core(job(name, 130.0), cpu_share) for name in ("a", "b", "c")]
    return as_seen(fleet_view(*jobs, cores=cores))


def slowed(one: Fleet, bounds: float) -> float:
    """How much slower work is where batches are so small, times how slow it is as they are."""
    now = present(one)
    small = replace(now, bounds=np.full_like(now.bounds, bounds))
    return float(conditions(one, small, 40.0).slow[0, 0] / conditions(one, now, 40.0).slow[0, 0])


def test_small_batches_slow_work_down_where_the_driver_wants_the_same_cores() -> None:
    shared = crowd(cores=2, cpu_share=0.4)  # four tasks have 1.6 of two cores: the driver has some
    assert shared.cores_were == pytest.approx(1.6)
    assert 0.0 < shared.driver_cores <= 0.4
    apart = replace(shared, driver_cores=0.0)
    assert slowed(shared, 30.0) > slowed(apart, 30.0)


def test_a_driver_elsewhere_takes_no_core() -> None:
    assert crowd(cores=2, cpu_share=0.5).driver_cores == 0.0  # four tasks have both cores to themselves
    assert crowd(cores=8, cpu_share=1.0).driver_cores == 0.0


@pytest.mark.parametrize(
    "weights", [(3, 1, 1, 1), (1, 1, 1, 1), (4, 2, 1, 1), (3, 2, 1, 1), (2, 2, 2, 1), (45, 1, 1, 1), (44, 1, 1, 1)]
)
@pytest.mark.parametrize("slots", [2, 4, 6, 8])
def test_floors_are_foretold_as_penstock_sets_them(weights: tuple[int, ...], slots: int) -> None:
    names = "abcd"
    four = fleet(*(job(name, 50.0) for name in names), slots=slots)
    told = floors_of(four, np.array([weights], dtype=float), np.array([[float(slots)]]))
    shares = pool_shares(dict(zip(names, weights, strict=True)), {}, slots)
    assert told[0].tolist() == [shares[name].min_share for name in names]


def test_in_every_future_slots_are_shared_as_if_it_were_the_only_one() -> None:
    four = fleet(*(job(name, 50.0 + 20.0 * place) for place, name in enumerate("abcd")))
    count = len(four.futures)
    assert count > 1
    together = conditions(four.in_all_futures(1), present(four).again(count), 40.0, count)
    for place, future in enumerate(four.futures):
        alone = conditions(four.ahead(future), present(four), 40.0)
        assert together.slots[place].tolist() == alone.slots[0].tolist()
        assert together.wait_s[place].tolist() == alone.wait_s[0].tolist()


def waits(bound: float, tasks: float) -> float:
    """How long the urgent one of four waits for its slots, where the batches of the others are so small."""
    others = [job(name, 300.0) for name in ("a", "b", "c")]
    four = fleet(*others, job("urgent", 150.0, weight=3), tasks=np.full(4, tasks))
    chosen = present(four)
    chosen = replace(chosen, bounds=np.array([[bound, bound, bound, np.inf]]))
    return float(conditions(four, chosen, 40.0).wait_s[0, 3])


def test_long_batches_of_others_are_waited_for_where_all_tasks_could_run_at_once() -> None:
    assert waits(np.inf, tasks=4.0) > 3.0 * waits(60.0, tasks=4.0)
    assert waits(np.inf, tasks=4.0) > 2.0 * waits(np.inf, tasks=12.0)  # these go on as slots come free


def test_work_that_is_slowed_down_wants_cores_for_longer_and_rows_count_for_more_than_the_task() -> None:
    two = fleet(job("a", 100.0), job("b", 100.0), task_wait_s=np.full(2, 0.05), row_wait_s=np.full(2, 0.01))
    # 25 rows a task: 0.26 s on a core and 0.3 s of waiting, of which slowness lengthens the first
    task = task_of(two, present(two))
    alone, slowed = (float(task.wanting_cores(np.full((1, 2), slow))[0, 0]) for slow in (1.0, 3.0))
    assert alone == pytest.approx(0.26 / 0.56, rel=0.01)
    assert slowed == pytest.approx(0.78 / 1.08, rel=0.01)


def test_what_those_who_keep_up_leave_is_there_for_the_others() -> None:
    both = fleet(job("heavy", 20.0, weight=3), job("light", 2000.0), tasks=np.full(2, 8.0))
    assert conditions(both, present(both), 40.0).slots[0, 1] > 3.0  # heavy needs a slot now and then
