"""Henge in a pool of slots, which all operators of a job share."""

from dataclasses import replace
from typing import Any

import pytest

from penstock.core.asked.intents import Intent, Juice
from penstock.core.levers import Slots
from penstock.core.plan import Reason
from penstock.core.seen.figures import ALL_OPERATORS, LatencyFigures, MachineFigures
from penstock.core.seen.view import JobView, View
from tests.builders import job, operator, rounds, view
from tests.planning.henge.searches import HENGE


def pooled(name: str, utility: float, threads: int, capacity: float, **more: Any) -> JobView:
    """A job of ten with so large a share of the slots, busy for so much of it, that takes 0.5 s of its 1 s, or 2 s."""
    limits = {key: more.pop(key) for key in ("max_threads", "min_threads") if key in more}
    share = [operator(ALL_OPERATORS, threads, capacity, is_source=True, **limits)]
    found = job(name, utility, 10, share, **more)
    return replace(found, figures=replace(found.figures, latency=LatencyFigures(0.5 if found.met else 2.0)))


def of_slots(at_s: float, jobs: list[JobView]) -> View:
    """On one machine that offers eight slots."""
    return replace(view(at_s, jobs), machines=(MachineFigures("m1", 8, 1.0, slots=8),))


@pytest.mark.parametrize(
    ("capacity", "limit", "after"),
    [
        (0.4, None, 3),  # (0.4 / 0.3 - 1) x 0.25 x 8 = 0.67: one slot
        (0.6, None, 4),  # 2
        (1.0, None, 7),  # 4.67, where the threads of equation 4 would be 23
        (3.45, None, 7),  # slots that others leave idle make nobody busier than all the time
        (1.0, 3, 3),
    ],
)
def test_a_step_in_a_pool_of_slots_is_in_proportion_to_the_slots_there_are(
    capacity: float, limit: int | None, after: int
) -> None:
    fleet = [pooled("a", 5, 2, capacity, max_threads=limit), pooled("b", 10, 2, 0.1)]
    plans, _ = rounds(HENGE, [of_slots(10.0 * n, fleet) for n in range(7)])
    assert plans[-1].decisions[0].moves == (Slots("a", 2, after),)


def test_a_share_without_a_limit_has_the_slots_as_its_bound() -> None:
    fleet = [pooled("a", 5, 6, 1.0), pooled("b", 10, 2, 0.1)]
    plans, _ = rounds(HENGE, [of_slots(10.0 * n, fleet) for n in range(7)])
    assert plans[-1].decisions[0].moves == (Slots("a", 6, 8),)


def test_a_step_that_is_expected_to_cost_the_others_more_than_it_gains_is_not_taken() -> None:
    # With all of the slots, 8 of 12, "a" would do 0.6 x 5.33 / 4 of its input and gain 2.5; "b" would lose 10.
    busy = [short_of_slots("a", 0.6, 10), short_of_slots("b", 0.8, 30)]
    plans, _ = rounds(HENGE, [of_slots(10.0 * n, busy) for n in range(7)])
    assert not any(plan.decisions for plan in plans)
    # Half of that is at stake where "b" is worth as little as that: it is within noise of the total.
    busy = [short_of_slots("a", 0.6, 10), short_of_slots("b", 0.8, 7.5)]
    plans, _ = rounds(HENGE, [of_slots(10.0 * n, busy) for n in range(7)])
    assert plans[-1].decisions[0].jobs == ("a",)


def short_of_slots(name: str, juice: float, worth: float) -> JobView:
    """A job that wants 80 % of its input, gets this much of it, and is busy all the time on half of the slots."""
    share = [operator(ALL_OPERATORS, 4, 1.0, is_source=True)]
    utility = worth * min(1.0, juice / 0.8)
    found = job(name, utility, worth, share, juice=juice, arrival_rps=100.0, processed_rps=100 * juice)
    return replace(found, intent=Intent(Juice(0.8, utility=worth)))


def test_who_cannot_grow_in_a_pool_gets_a_larger_part_of_it_from_those_who_can_spare_theirs() -> None:
    # "b" needs 0.2 x 2.67 slots. With 2 of 18 parts it could use 0.89: busy 0.6, hence 0.5 s x 0.8 / 0.4 = 1 s.
    fleet = [pooled("a", 5, 8, 1.0), pooled("b", 10, 8, 0.2), pooled("d", 3, 8, 1.0)]
    plans, memory = rounds(HENGE, [of_slots(10.0 * n, fleet) for n in range(7)])
    assert plans[-1].decisions[0].reason is Reason.REDUCED
    assert plans[-1].decisions[0].moves == (Slots("b", 8, 2),)  # 80 % at the most
    assert memory.pending is not None
    assert memory.pending.job == "d"  # the worse off is judged


def test_a_share_is_reduced_no_further_than_its_job_can_do_without_and_its_limit_allows() -> None:
    def cut(of: JobView) -> int:
        fleet = [pooled("a", 5, 8, 1.0), of]
        plans, _ = rounds(HENGE, [of_slots(10.0 * n, fleet) for n in range(7)])
        return next((move.after for d in plans[-1].decisions for move in d.thread_moves), 8)

    assert cut(pooled("b", 10, 8, 0.2)) == 2
    assert cut(pooled("b", 10, 8, 0.2, min_threads=4)) == 4
    # It does 80 % of its input, and so could not do with 3 of 11 instead of 4 of 12.
    assert cut(replace(short_of_slots("b", 0.8, 10))) == 8
