"""What shares and bounds would give: slots, time, latency and juice, by arithmetic that stands beside the figures."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.levers import Dial, Disturbs
from penstock.core.seen.view import JobView
from penstock.planning.arbiter.candidates import RESTART_S, Settings, present
from penstock.planning.arbiter.columns import UNBOUNDED
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.futures import FORETOLD_FUTURES
from penstock.planning.arbiter.horizon import course
from penstock.planning.arbiter.outcome import foretell, looked_ahead_s, recovery_s
from penstock.planning.arbiter.sharing import Conditions, conditions, pace, paced
from tests.planning.arbiter.fleets import ASIDE_S, ROW_S, TASK_S, TASKS, batch, fleet, job


def settings(one: Fleet, weights: list[float] | None = None, bounds: list[float] | None = None) -> Settings:
    turned = {"weights": weights, "bounds": bounds}
    return replace(present(one), **{name: np.array([values]) for name, values in turned.items() if values is not None})


def slots_of(one: Fleet, chosen: Settings) -> list[float]:
    return [float(value) for value in conditions(one, chosen, 40.0).slots[0]]


def test_a_job_alone_has_a_slot_for_each_task_and_takes_what_its_tasks_take() -> None:
    alone = fleet(job("ads", 100.0))
    chosen = present(alone)
    found = conditions(alone, chosen, 40.0)
    assert found.slots[0] == pytest.approx([TASKS], rel=0.1)
    assert found.wait_s[0] == pytest.approx([0.0], abs=0.01)
    # 25 rows of 10 ms a task and the task's own 10 ms, beside 0.2 s off the slots
    took_s = pace(alone, chosen, found).took_s(np.array([[100.0]]))
    assert took_s[0, 0] == pytest.approx(ASIDE_S + TASK_S + 25 * ROW_S, rel=0.15)


def test_latency_at_rest_is_half_the_interval_and_the_batch() -> None:
    outcome = foretell(fleet(job("ads", 100.0)), present(fleet(job("ads", 100.0))))
    assert outcome.latency_s[0, 0] == pytest.approx(0.5 + 0.46, rel=0.15)  # a trigger of 1 s
    assert outcome.juice[0, 0] == pytest.approx(1.0)


def test_rows_that_come_old_to_their_source_are_so_much_later_whatever_is_turned() -> None:
    alone = fleet(job("ads", 100.0, target="4s"))
    old = replace(alone, older_s=np.array([3.0]))
    found, then = (foretell(one, settings(one, bounds=[200.0])) for one in (alone, old))
    assert then.latency_s[0, 0] == pytest.approx(found.latency_s[0, 0] + 3.0)
    assert then.juice[0, 0] == found.juice[0, 0]


@pytest.mark.parametrize(("target", "loses"), [("1.1s", True), ("2s", False)])
def test_at_the_very_edge_of_a_target_some_of_it_is_reckoned_as_lost_but_not_foretold_so(
    target: str, loses: bool
) -> None:
    alone = fleet(job("ads", 100.0, target=target))
    outcome = foretell(alone, present(alone))
    assert outcome.settled[0, 0] == pytest.approx(10.0)
    assert (float(outcome.utility[0, 0]) < 9.7) is loses


def busy(name: str, **more: Any) -> JobView:
    """A job that wants three of four slots: 300 rows of 10 ms a second."""
    return job(name, 300.0, **more)


def test_slots_go_by_weight_where_all_want_them() -> None:
    two = fleet(busy("a"), busy("b"), tasks=np.array([8.0, 8.0]))
    even, uneven = slots_of(two, settings(two, [1.0, 1.0])), slots_of(two, settings(two, [3.0, 1.0]))
    assert even[1] <= even[0] < 1.25 * even[1]  # what one leaves in its pauses goes to the first by name
    assert uneven[0] > 1.3 * uneven[1]
    assert uneven[1] >= 1.0  # its floor


def test_where_slots_are_fewer_than_jobs_the_first_by_name_are_served_and_weight_gets_a_floor() -> None:
    many = fleet(*(busy(name) for name in ("a", "b", "urgent")), slots=2, tasks=np.full(3, 4.0))
    a, b, urgent = slots_of(many, settings(many, [1.0, 1.0, 1.0]))
    assert urgent < min(a, b)
    a, b, urgent = slots_of(many, settings(many, [1.0, 1.0, 2.0]))
    assert urgent >= max(a, b)


def test_work_is_slower_where_tasks_outnumber_the_cores() -> None:
    crowded = fleet(busy("a"), busy("b"), slots=8, cores=2)
    slow = conditions(crowded, present(crowded), 40.0).slow
    assert float(slow.min()) > 1.5


def test_smaller_batches_of_the_others_shorten_the_wait_for_a_slot() -> None:
    two = fleet(busy("a"), job("urgent", 100.0), backlog=np.array([5000.0, 100.0]))
    free = conditions(two, settings(two), 40.0).wait_s[0, 1]
    bounded = conditions(two, settings(two, bounds=[100.0, UNBOUNDED]), 40.0).wait_s[0, 1]
    assert bounded < 0.25 * free


@pytest.mark.parametrize(("bound", "juice"), [(UNBOUNDED, 1.0), (200.0, 1.0), (50.0, 0.5), (10.0, 0.1)])
def test_what_a_bound_holds_back_is_lost_juice_and_grows_the_backlog(bound: float, juice: float) -> None:
    alone = fleet(job("ads", 100.0, intent=Intent(Juice(0.9, utility=10.0))))  # a trigger of 1 s: so many rows a second
    outcome = foretell(alone, settings(alone, bounds=[bound]))
    assert outcome.juice[0, 0] == pytest.approx(juice, rel=0.05)


def at_a_pace(one: Fleet, bounds: list[float], horizon_s: float = 40.0) -> Any:
    calm = Conditions(np.full((1, one.size), 4.0), np.ones((1, one.size)), np.zeros((1, one.size)))
    chosen = settings(one, bounds=bounds)
    return course(one, pace(one, chosen, calm), chosen, horizon_s)


def test_a_backlog_is_worked_off_and_the_latency_falls() -> None:
    behind = fleet(job("ads", 100.0), backlog=np.array([2000.0]))
    lived = at_a_pace(behind, [UNBOUNDED])
    assert float(lived.oldest_s[0]) > 20.0  # the oldest of 2,000 rows at 100 a second
    assert float(lived.waiting[0, 0]) < 150.0


def test_a_bound_below_what_arrives_lets_the_backlog_grow_for_ever() -> None:
    alone = fleet(job("ads", 100.0))
    assert float(at_a_pace(alone, [50.0]).waiting[0, 0]) == pytest.approx(40.0 * 50.0, rel=0.15)


def test_who_is_at_rest_is_done_with_at_once_while_others_go_on() -> None:
    lived = at_a_pace(fleet(job("calm", 20.0), job("behind", 100.0)), [UNBOUNDED, 50.0])
    calm, behind = (lived.counts_s[lived.jobs == place] for place in (0, 1))
    assert len(calm) < 4 < len(behind)
    # The time of all its batches together is the horizon, and what counts late is its second half.
    assert (calm.sum(), behind.sum()) == pytest.approx((40.0, 40.0))
    assert lived.in_cells(lived.late_s)[0].tolist() == pytest.approx([20.0, 20.0])
    assert lived.juice[0].tolist() == pytest.approx([1.0, 0.5], rel=0.01)


def test_recovery_is_the_downtime_and_working_off_what_came_meanwhile() -> None:
    alone = fleet(job("ads", 100.0))
    calm = Conditions(np.full((1, 1), 4.0), np.ones((1, 1)), np.zeros((1, 1)))
    found = float(recovery_s(alone, pace(alone, present(alone), calm), present(alone))[0, 0])
    # 1,500 rows in 0.2 s and 1.26 waves of 0.01 + 3.75 s: 303 rows/s, of which 203 work off the 15 s that it was down
    assert found == pytest.approx(15.0 + 15.0 * 100.0 / 203.0, rel=0.05)
    tight = settings(alone, bounds=[50.0])
    assert recovery_s(alone, pace(alone, tight, calm), tight)[0, 0] == np.inf


def test_more_arrivals_than_the_slots_can_do_are_foretold_as_a_miss() -> None:
    over = fleet(busy("a", target="2s"), busy("b", target="2s"))
    outcome = foretell(over, present(over))
    assert float(outcome.total[0]) < 0.8 * 20.0


def test_fewer_parts_of_the_state_are_fewer_tasks_and_the_job_is_down_for_a_while() -> None:
    parts = Dial("partitions", "ads", 200, 1, 1000, disturbs=Disturbs.QUERY)
    counted = fleet(
        job("ads", 100.0, levers=(parts,)), tasks=np.array([102.0]), stages=np.array([2.0]), parted=np.array([1.0])
    )
    fewer = replace(present(counted), parts=np.array([[4.0]]))
    now, then = foretell(counted, present(counted)), foretell(counted, fewer)
    assert then.latency_s[0, 0] < 0.8 * now.latency_s[0, 0]
    assert course(counted, paced(counted, fewer, 40.0), fewer, 40.0).oldest_s[0] > RESTART_S


def test_what_is_foretold_to_come_is_one_of_the_futures() -> None:
    rising = fleet(busy("ads"), coming=np.array([900.0]), futures=FORETOLD_FUTURES)
    steady = fleet(busy("ads"), futures=FORETOLD_FUTURES)
    assert foretell(rising, present(rising)).total[0] < 0.9 * foretell(steady, present(steady)).total[0]


def test_work_that_waits_is_not_foretold_to_get_quicker_and_work_on_cores_is() -> None:
    """In Kafka's runs hashing cost half of its first batches' time a minute later; what sleeps, sleeps on."""
    seen = [batch(number, 100.0, float(number)) for number in (1, 2)]
    idle = [replace(one, cpu_s=0.0) for one in seen]
    hashes, sleeps = (fleet(job("ads", 100.0, batches=tuple(one), up_s=3.0)) for one in (seen, idle))
    assert float((hashes.row_cpu_s + hashes.row_wait_s)[0]) < 0.95 * float((sleeps.row_cpu_s + sleeps.row_wait_s)[0])
    assert float(sleeps.row_wait_s[0]) == pytest.approx(float(sleeps.as_it_was.row_wait_s[0]))
    assert hashes.futures != sleeps.futures  # only where work is cold it may stay so


def test_the_fewer_batches_are_known_the_more_is_feared() -> None:
    few, many = (
        fleet(job("ads", 100.0, batches=tuple(batch(number, 100.0, float(number)) for number in range(1, count + 1))))
        for count in (2, 40)
    )
    feared = [max(future.arrivals for future in one.futures if future.feared) for one in (few, many)]
    assert feared[0] >= 1.4
    assert feared[1] <= 1.2


def test_in_a_feared_future_stages_that_were_quicker_than_foretold_were_so_by_luck() -> None:
    lucky = fleet(job("ads", 100.0), staged=np.array([0.7]))
    feared = next(future for future in lucky.futures if future.feared)
    assert float(lucky.ahead(feared).staged[0]) == 1.0
    assert float(lucky.ahead(replace(feared, feared=False)).staged[0]) == 0.7
    slow = replace(lucky, staged=np.array([1.3]))
    assert float(slow.ahead(feared).staged[0]) == 1.3


@pytest.mark.parametrize(("seen_s", "reckoned_s"), [(None, 15.0), (2.0, 15.0), (60.0, 60.0)])
def test_a_short_downtime_does_not_promise_that_the_next_one_is_short(seen_s: float | None, reckoned_s: float) -> None:
    one = job("ads", 100.0)
    alone = fleet(replace(one, figures=replace(one.figures, downtime_s=seen_s)))
    calm = Conditions(np.full((1, 1), 4.0), np.ones((1, 1)), np.zeros((1, 1)))
    found = float(recovery_s(alone, pace(alone, present(alone), calm), present(alone))[0, 0])
    assert found == pytest.approx(reckoned_s * (1.0 + 100.0 / 203.0), rel=0.05)  # as above


@pytest.mark.parametrize(("backlog", "ahead_s"), [(500.0, 40.0), (4_000.0, 80.0), (60_000.0, 160.0)])
def test_it_looks_as_far_ahead_as_a_backlog_takes_that_somebody_waits_for(backlog: float, ahead_s: float) -> None:
    waits = fleet(job("ads", 100.0), backlog=np.array([backlog]))
    assert looked_ahead_s(waits, 40.0) == ahead_s
    only_share = fleet(job("ads", 100.0, intent=Intent(Juice(0.8, utility=10.0))), backlog=np.array([backlog]))
    assert looked_ahead_s(only_share, 40.0) == 40.0
