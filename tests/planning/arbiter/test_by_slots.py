"""What more slots would be worth, as an agent tells it to a coordinator."""

from dataclasses import replace

import pytest

from penstock.core.levers import Dial, Disturbs, Shows
from penstock.core.seen.view import JobView
from penstock.planning.arbiter.memory import ArbiterMemory
from penstock.planning.combined import Combined
from tests.builders import pressed
from tests.planning.arbiter.fleets import batch, fleet_view, job


def worth(rate_rps: float, counts: tuple[int, ...] = (1, 2, 4, 8)) -> tuple[float, ...]:
    """Of one job that needs some slots, seen for long enough to know what its batches cost."""
    return worth_of(job("ads", rate_rps), counts)


def worth_of(one: JobView, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Of any job."""
    policy, seen = Combined(), fleet_view(one)
    _, memory = policy.decide(seen, policy.start())
    return policy.by_slots(seen, memory, counts)


def test_nobody_foretells_what_was_never_seen() -> None:
    policy = Combined()
    assert policy.by_slots(fleet_view(), policy.start(), (1, 2)) == ()
    assert policy.start().arbiter == ArbiterMemory()


@pytest.mark.parametrize(
    ("batches", "up_s", "tells"), [(1, 20.0, False), (2, 20.0, True), (1, 60.0, True), (1, None, True)]
)
def test_a_first_batch_alone_tells_nothing_in_the_first_minute_for_the_querys_own_start_is_in_it(
    batches: int, up_s: float | None, tells: bool
) -> None:
    ended = tuple(batch(number, 250.0, float(number)) for number in range(batches))
    assert bool(worth_of(job("ads", 250.0, batches=ended, up_s=up_s), (1, 4))) is tells


def test_who_begins_beside_one_that_is_known_keeps_nobody_from_telling() -> None:
    policy, begun = Combined(), job("new", 50.0, batches=(batch(0, 50.0, 1.0),), up_s=20.0)
    seen = fleet_view(job("ads", 250.0), begun)
    _, memory = policy.decide(seen, policy.start())
    assert len(policy.by_slots(seen, memory, (1, 4))) == 2


def test_more_slots_are_worth_more_up_to_what_the_job_needs_and_nothing_beyond() -> None:
    few, two, four, eight = worth(rate_rps=250.0)
    assert few < 5.0 < four <= eight <= 10.0
    assert few <= two <= four


def test_a_job_that_has_enough_with_one_slot_gains_nothing_by_more() -> None:
    one, *more = worth(rate_rps=30.0)
    assert one > 9.0
    assert all(abs(utility - one) < 0.5 for utility in more)


def test_it_is_told_in_the_worth_that_was_stated_whatever_an_error_budget_makes_of_it() -> None:
    one = job("ads", 250.0)
    assert worth_of(pressed(one, bad=10), (1, 4)) == pytest.approx(worth_of(one, (1, 4)))


@pytest.mark.parametrize("late_s", [20.0, 320.0, 1280.0])
def test_to_an_application_that_is_minutes_late_what_works_that_off_is_worth_most_of_its_utility(late_s: float) -> None:
    batches = tuple(batch(second, 250.0, second, left_rows=250.0 * late_s) for second in range(1, 11))
    late = job("ads", 250.0, utility=0.0, backlog_rows=250.0 * late_s, batches=batches)
    too_few, enough = worth_of(late, counts=(2, 4))  # 200 and 400 rows/s, of 250 that arrive
    assert too_few < 1.5 < 2.5 < enough


def two_slots(at_s: float, waiting: float, left_rows: float | None = 0.0) -> float:
    """What they are worth to one to which 165 rows/s came until its last batch began, at 9.4 s."""
    policy = Combined()
    ended = tuple(replace(batch(second, 165.0, second), left_rows=left_rows) for second in range(1, 11))
    one = job("ads", 165.0, batches=ended, backlog_rows=waiting)
    _, memory = policy.decide(fleet_view(one), policy.start())
    (found,) = policy.by_slots(fleet_view(one, at_s=at_s), memory, (2,))
    return found


@pytest.mark.parametrize(("waiting", "at_s", "less"), [(265.0, 11.0, 0.0), (8350.0, 60.0, 7.1), (0.0, 60.0, 0.0)])
def test_what_waits_behind_a_batch_that_drags_on_counts_before_it_has_ended(
    waiting: float, at_s: float, less: float
) -> None:
    assert two_slots(10.0, 0.0) - two_slots(at_s, waiting) == pytest.approx(less, abs=1.0)


@pytest.mark.parametrize(("waiting", "at_s", "less"), [(300.0, 10.5, 0.0), (500.0, 10.5, 8.1), (1000.0, 13.0, 7.4)])
def test_what_comes_counts_before_a_batch_tells_of_it_where_it_is_more_than_a_portion_more(
    waiting: float, at_s: float, less: float
) -> None:
    assert two_slots(10.0, 0.0) - two_slots(at_s, waiting) == pytest.approx(less, abs=1.0)


def test_where_nobody_knows_what_the_last_batch_left_what_waits_may_have_waited_long() -> None:
    assert two_slots(10.5, 500.0, left_rows=None) == two_slots(10.0, 0.0, left_rows=None)


@pytest.mark.parametrize(("disturbs", "helps"), [(Disturbs.NOTHING, True), (Disturbs.QUERY, False)])
def test_batches_bounded_for_want_of_slots_do_not_keep_more_slots_from_being_worth_anything(
    disturbs: Disturbs, helps: bool
) -> None:
    batches = tuple(batch(second, 100.0, second, left_rows=50.0 * second) for second in range(1, 11))
    as_it_came, bounded = (
        job("ads", 150.0, utility=0.0, batches=batches, levers=levers(bound, disturbs)) for bound in (None, 100)
    )
    policy = Combined()
    _, memory = policy.decide(fleet_view(as_it_came), policy.start())
    one, four = policy.by_slots(fleet_view(bounded), memory, (1, 4))
    assert (four > 2.0 * one) is helps


def levers(bound: int | None, disturbs: Disturbs) -> tuple[Dial, ...]:
    """A bound, and a trigger that cannot be turned."""
    return (
        Dial("bound", "ads", bound, 1, disturbs=disturbs, shows=Shows.NEXT_BATCH),
        Dial("trigger", "ads", 1.0, 0.0, disturbs=Disturbs.QUERY),
    )
