"""What Henge expects of a step: views and threads in, utilities out."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.asked.intents import Intent, Juice
from penstock.core.levers import Slots, Tasks
from penstock.core.seen.figures import ALL_OPERATORS, LatencyFigures, MachineFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.henge.expect import expected_utility
from penstock.planning.henge.pool import WeightedPool
from tests.builders import job, operator, view


def late(name: str, latency_s: float, threads: int, capacity: float, **more: Any) -> JobView:
    """A job that wants 1 s, with a share of the slots of which it is busy for so much."""
    found = job(name, min(10.0, 10.0 / latency_s), 10, [operator(ALL_OPERATORS, threads, capacity)], **more)
    return replace(found, figures=replace(found.figures, latency=LatencyFigures(latency_s)))


def short(name: str, juice: float, threads: int) -> JobView:
    """A job that wants 80 % of its input, gets this much of it, and is busy all the time."""
    share = [operator(ALL_OPERATORS, threads, 1.0)]
    found = job(name, 10 * min(1.0, juice / 0.8), 10, share, juice=juice, arrival_rps=100.0, processed_rps=100 * juice)
    return replace(found, intent=Intent(Juice(0.8, utility=10)))


def of_slots(*jobs: JobView, load: float = 1.0) -> View:
    """On one machine that offers eight slots."""
    return replace(view(0.0, jobs), machines=(MachineFigures("m1", 8, load, slots=8),))


@pytest.mark.parametrize(
    ("fleet", "after", "expected"),
    [
        # Alone it could use all slots before, and can after: 10 / 2.
        ([late("a", 2, 2, 0.5)], 8, 5.0),
        # It needs 3.6 of the 4 slots that are its own while "b" needs 8. With 8 of 12 it could use 5.33: busy 0.675
        # instead of 0.9, hence 2 s x 0.1 / 0.325 = 0.62 s. "b" has 4.4 slots left and had 4.4: it loses nothing.
        ([late("a", 2, 4, 0.9), short("b", 0.5, 4)], 8, 10 + 6.25),
        # "a" needs 6 slots and could use 4; with 5.33 it does 0.667 x 5.33 / 4 = 0.889, all it was asked for. "b", too,
        # needs 6, and falls to 0.667 x 2.67 / 4 = 0.444 of its input: 5.56.
        ([short("a", 2 / 3, 4), short("b", 2 / 3, 4)], 8, 10 + 5.56),
        # Nobody knows how busy it is.
        ([replace(late("a", 2, 4, 0.9), figures=late("a", 2, 4, None).figures)], 8, None),  # type: ignore[arg-type]
    ],
)
def test_what_one_gains_and_others_lose(fleet: list[JobView], after: int, expected: float | None) -> None:
    unit = fleet[0].figures.operators[0]
    found = expected_utility(of_slots(*fleet), [Slots("a", unit.threads, after)])
    assert found == (None if expected is None else pytest.approx(expected, abs=0.01))


def test_threads_of_operators_make_the_busiest_of_them_less_so() -> None:
    # 0.6 before; "slow" comes to 0.3 and "fast" stays at 0.4: 2 s x 0.4 / 0.6 = 1.33 s.
    parts = [operator("slow", 4, 0.6), operator("fast", 4, 0.4)]
    found = job("a", 5, 10, parts)
    a = replace(found, figures=replace(found.figures, latency=LatencyFigures(2.0)))
    assert expected_utility(view(0.0, [a, job("b", 4)]), [Tasks("a", "slow", 4, 8)]) == pytest.approx(7.5 + 4)


def test_nothing_is_said_of_more_threads_where_cores_are_short() -> None:
    assert expected_utility(view(0.0, [job("a", 5, 10)], load=9.0), [Tasks("a", "work", 4, 8)]) is None


def test_a_job_whose_models_say_what_it_needs_is_expected_to_have_it() -> None:
    fleet = view(0.0, [job("a", 5, 10), job("b", 4)])
    assert expected_utility(fleet, [Tasks("a", "work", 4, 8)], claimed={"a"}) == 14


@given(st.lists(st.tuples(st.integers(1, 9), st.floats(0.01, 9.0)), min_size=1, max_size=6))
def test_a_job_could_use_what_is_left_when_the_others_share_the_slots_by_weight(jobs: list[tuple[int, float]]) -> None:
    weights = {f"j{n}": weight for n, (weight, _) in enumerate(jobs)}
    needs = {f"j{n}": need for n, (_, need) in enumerate(jobs)}
    pool = WeightedPool.of(weights, needs, 8)
    assert all(pool.could_use(name) == pytest.approx(_slowly(name, weights, needs)) for name in weights)


def _slowly(name: str, weights: dict[str, int], needs: dict[str, float]) -> float:
    """One job after the other that needs less than its part has it; the rest is shared anew."""
    left, sharing = 8.0, dict(weights)
    while True:
        each = left / sum(sharing.values())
        enough = [other for other in sharing if other != name and needs[other] < each * weights[other]]
        if not enough:
            return each * weights[name]
        left -= needs[enough[0]]
        del sharing[enough[0]]
