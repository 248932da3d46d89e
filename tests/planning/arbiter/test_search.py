"""The search: what it finds for fleets of which one can say what is best."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.planning.arbiter.candidates import present
from penstock.planning.arbiter.columns import UNBOUNDED
from penstock.planning.arbiter.outcome import CandidateOutcomes, foretell
from penstock.planning.arbiter.search import Found, bound_steps, search
from penstock.planning.arbiter.sharing import paced
from tests.planning.arbiter.fleets import fleet, job


def test_who_matters_most_is_served_where_not_all_can_be() -> None:
    others = [job(name, 200.0, intent=Intent(Juice(0.9, utility=10.0))) for name in ("a", "b", "c")]
    found = search(fleet(*others, job("urgent", 150.0, target="2s", worth=40.0)))
    assert found.outcome.utility[0, -1] > 0.8 * 40.0 > found.now.utility[0, -1]
    assert float(found.outcome.total[0] - found.now.total[0]) > 5.0


def test_where_everybody_has_enough_nothing_is_turned() -> None:
    calm = fleet(job("a", 40.0), job("b", 40.0))
    found = search(calm)
    assert (found.best.weights[0] == calm.weights).all()
    assert (found.best.bounds[0] == calm.bounds).all()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(20.0, 300.0), min_size=2, max_size=4), st.integers(0, 3))
def test_no_other_weight_of_one_job_would_have_been_better(rates: list[float], urgent: int) -> None:
    jobs = [
        job(name, rate, target="2s", worth=40.0 if place == urgent else 10.0)
        for place, (name, rate) in enumerate(zip("abcd", rates, strict=False))
    ]
    few = fleet(*jobs)
    found = search(few)
    for place in range(few.size):
        for weight in (found.best.weights[0, place] - 1.0, found.best.weights[0, place] + 1.0):
            other = replace(found.best, weights=found.best.weights.copy())
            other.weights[0, place] = min(max(weight, few.least[place]), few.most[place])
            better = float(foretell(few, other).total[0] - found.outcome.total[0])
            assert better <= 0.003 * few.max_utility  # what one more turn of a lever is to bring, and what it costs


def test_batches_are_made_smaller_only_for_more_than_that_is_worth() -> None:
    others = [job(name, 200.0, intent=Intent(Juice(0.9, utility=10.0))) for name in ("a", "b", "c")]
    crowded = fleet(*others, job("urgent", 150.0, target="2s", worth=40.0))
    found = search(crowded)
    held = int((found.best.bounds < crowded.bounds).sum())
    loose = replace(found.best, bounds=crowded.bounds[None, :])
    brings = float(found.outcome.total[0] - foretell(crowded, loose).total[0])
    assert held > 0
    assert brings >= 0.03 * held / crowded.size * crowded.max_utility


def test_a_backlog_is_not_taken_at_once() -> None:
    behind = fleet(job("a", 50.0), backlog=np.array([100_000.0]))
    steps = bound_steps(behind, 40.0)[0]
    assert np.isfinite(steps).all()
    assert np.isinf(bound_steps(fleet(job("a", 50.0)), 40.0)[0]).any()


def test_what_is_long_for_want_of_a_slot_is_not_bounded_to_next_to_nothing() -> None:
    alone = bound_steps(fleet(job("z", 100.0), slots=1), 40.0)[0]
    others = [job(name, 300.0) for name in ("a", "b", "c")]
    starved = bound_steps(fleet(*others, job("z", 100.0), slots=2, tasks=np.full(4, 4.0)), 40.0)[-1]
    assert starved.min() >= 0.5 * alone.min()


def test_bounded_batches_are_not_for_the_most_part_overhead() -> None:
    slow = fleet(job("a", 100.0), aside_s=np.array([2.0]))
    took = paced(slow, present(slow), 40.0)
    rows_s = took.row_s[0] * bound_steps(slow, 40.0)[0].min()
    assert rows_s >= 0.9 * took.fixed_s[0]  # but for rounding


def test_a_job_is_never_bounded_beyond_what_it_came_with_nor_where_it_cannot_be() -> None:
    own = fleet(job("a", 100.0), own_bounds=np.array([120.0]), bounds=np.array([120.0]))
    assert bound_steps(own, 40.0).max() == 120.0
    fixed = fleet(job("a", 100.0), can_bound=np.array([False]))
    assert set(bound_steps(fixed, 40.0)[0]) == {UNBOUNDED}


def outcome(utility: list[float], founded: list[float]) -> CandidateOutcomes:
    rows = np.array([utility]), np.array([founded])
    return CandidateOutcomes(*rows, settled=rows[0], latency_s=np.zeros_like(rows[0]), juice=np.ones_like(rows[0]))


@pytest.mark.parametrize(
    ("best", "missed", "gain"),
    [
        (outcome([9.0, 8.0], [5.0, 5.0]), [False, False], 0.0),  # only feared, and nobody misses anything
        (outcome([9.0, 8.0], [8.0, 6.0]), [False, False], 4.0),  # as much of it as something speaks for
        (outcome([9.0, 8.0], [5.0, 5.0]), [True, False], 0.6 * 4.0),  # what was feared has come to the one who misses
        (outcome([9.0, 8.0], [5.0, 3.0]), [True, False], 0.6 * 4.0 - 2.0),  # the other pays
        (outcome([9.0, 8.0], [9.0, 9.0]), [False, False], 7.0),  # never more than over all futures
    ],
)
def test_what_is_only_feared_counts_for_those_alone_who_miss_something(
    best: CandidateOutcomes, missed: list[bool], gain: float
) -> None:
    now, as_they_stand = outcome([5.0, 5.0], [5.0, 5.0]), present(fleet(job("a", 40.0), job("b", 40.0)))
    assert Found(as_they_stand, best, now).gain(np.array(missed)) == pytest.approx(gain)


@pytest.mark.parametrize(
    ("best", "missed", "untold", "gain"),
    [
        (outcome([9.0, 8.0], [9.0, 8.0]), [False, False], [True, False], 3.0),
        (outcome([9.0, 8.0], [9.0, 8.0]), [True, False], [True, False], 7.0),  # what it misses has come
        (outcome([9.0, 2.0], [9.0, 2.0]), [False, False], [False, True], 4.0 - 3.0),  # what it would lose counts
    ],
)
def test_what_one_batch_foretells_counts_for_those_alone_who_miss_something(
    best: CandidateOutcomes, missed: list[bool], untold: list[bool], gain: float
) -> None:
    now, as_they_stand = outcome([5.0, 5.0], [5.0, 5.0]), present(fleet(job("a", 40.0), job("b", 40.0)))
    found = Found(as_they_stand, best, now)
    assert found.gain(np.array(missed), np.array(untold)) == pytest.approx(gain)


@pytest.mark.parametrize(
    ("best", "missed", "seen"),
    [
        (outcome([9.0, 8.0], [9.0, 8.0]), [True, True], 7.0),
        (outcome([9.0, 8.0], [9.0, 8.0]), [True, False], 4.0),  # the other has what it asked for, and would lose that
        (outcome([9.0, 2.0], [9.0, 2.0]), [True, False], 4.0 - 3.0),  # the other pays
        (outcome([9.0, 8.0], [9.0, 8.0]), [False, False], 0.0),
    ],
)
def test_only_what_helps_those_who_miss_something_is_for_what_is_seen(
    best: CandidateOutcomes, missed: list[bool], seen: float
) -> None:
    now, as_they_stand = outcome([5.0, 5.0], [5.0, 5.0]), present(fleet(job("a", 40.0), job("b", 40.0)))
    assert Found(as_they_stand, best, now).seen(np.array(missed)) == pytest.approx(seen)


Rates = st.lists(st.floats(5.0, 600.0), min_size=1, max_size=4)


@settings(deadline=None, max_examples=25)
@given(rates=Rates, targets=st.lists(st.sampled_from(["1s", "4s", "20s"]), min_size=4, max_size=4))
def test_what_is_found_is_within_limits_and_no_worse_than_what_is(rates: list[float], targets: list[str]) -> None:
    jobs = [
        job(f"job-{place}", rate, intent=Intent(Latency(targets[place], utility=10.0)))
        for place, rate in enumerate(rates)
    ]
    one = fleet(*jobs)
    found = search(one)
    assert float(found.outcome.total[0] - found.now.total[0]) >= -1e-9
    assert ((found.best.weights >= one.least) & (found.best.weights <= np.maximum(one.most, one.weights))).all()
    assert (found.best.bounds >= 1.0).all()
    outcome = foretell(one, present(one))
    assert (outcome.utility >= -1e-9).all()
    assert (outcome.utility <= 10.0 + 1e-9).all()
    assert ((outcome.juice >= 0.0) & (outcome.juice <= 1.0)).all()


@pytest.mark.parametrize("count", [12, 40])
def test_fleets_of_any_size_are_solved(count: int) -> None:
    jobs = [job(f"job-{place:02d}", 20.0 + place, target="3s", worth=1.0 + place % 5) for place in range(count)]
    found = search(fleet(*jobs, slots=8, cores=8))
    assert float(found.outcome.total[0] - found.now.total[0]) >= 0.0
