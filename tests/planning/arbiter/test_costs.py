"""What is learnt of batches: costs of rows and tasks, what arrives, what a job came with."""

from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.levers import Dial, Shows
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures
from penstock.planning.arbiter.arriving import steady
from penstock.planning.arbiter.columns import UNBOUNDED
from penstock.planning.arbiter.costs import JobCosts, guessed, least_of, without_start
from penstock.planning.arbiter.fitting import TASK_S as USUAL_TASK_S
from penstock.planning.arbiter.fitting import Squares
from penstock.planning.arbiter.fleet import fleet_of
from penstock.planning.arbiter.told import learnt
from tests.planning.arbiter.fleets import ASIDE_S, ROW_S, TASK_S, TASKS, batch, figures, fleet, fleet_view, job


def from_batches(*batches: BatchFigures, before: JobCosts | None = None) -> JobCosts:
    return after(figures("ads", 100.0, batches=batches), before)


def after(job: JobFigures, before: JobCosts | None = None, at_s: float = 0.0) -> JobCosts:
    return learnt({} if before is None else {job.name: before}, [job], at_s)[job.name]


def test_rows_and_tasks_are_told_apart_where_batches_differ() -> None:
    found = from_batches(*(batch(number, 40.0 * (1 + number % 4), 1.0 + number) for number in range(20)))
    task_s, row_s = Squares(*found.fit).costs()
    assert task_s == pytest.approx(TASK_S, rel=0.05)
    assert row_s == pytest.approx(ROW_S, rel=0.05)
    assert (found.tasks, found.stages) == (TASKS, 1)
    assert found.aside_s == pytest.approx(ASIDE_S)


def test_where_all_batches_are_alike_tasks_cost_what_tasks_cost_and_rows_the_rest() -> None:
    found = from_batches(*(batch(number, 100.0, 1.0 + number) for number in range(6)))
    task_s, row_s = Squares(*found.fit).costs()
    assert task_s == pytest.approx(USUAL_TASK_S, rel=0.01)
    assert TASKS * task_s + 100.0 * row_s == pytest.approx(TASKS * TASK_S + 100.0 * ROW_S)


@pytest.mark.parametrize(
    "odd", [{"left_rows": inf}, {"left_rows": nan}, {"rows": 1e308}, {"busy_s": nan}, {"waited_s": inf}]
)
def test_a_batch_that_tells_of_what_is_no_figure_teaches_nothing_and_spoils_nothing(odd: dict[str, Any]) -> None:
    good = [batch(number, 40.0 * (1 + number % 4), 1.0 + number) for number in range(10)]
    assert from_batches(*good, replace(batch(10, 100.0, 11.0), **odd)) == from_batches(*good)


def test_cold_code_is_forgotten_within_some_batches() -> None:
    cold = [replace(found, busy_s=4.0 * (found.busy_s or 0.0)) for found in (batch(n, 90.0, n) for n in range(3))]
    warm = [batch(number, 90.0, number) for number in range(3, 11)]
    _, row_s = Squares(*from_batches(*cold, *warm).fit).costs()
    assert row_s == pytest.approx(ROW_S, rel=0.2)


@pytest.mark.parametrize("times", [0.5, 0.8, 1.0, 1.3])
def test_what_new_routes_save_or_add_is_in_a_jobs_costs_five_batches_later(times: float) -> None:
    before = [batch(number, 100.0, 1.0 + number) for number in range(20)]
    was_s = before[0].busy_s or 0.0
    routed = [batch(20 + n, 100.0, 21.0 + n, busy_s=times * was_s, cpu_s=times * was_s) for n in range(5)]
    assert batch_takes_s(from_batches(*before)) == pytest.approx(was_s)
    assert batch_takes_s(from_batches(*before, *routed)) == pytest.approx(times * was_s, rel=0.1)


def batch_takes_s(costs: JobCosts) -> float:
    """On cores, a batch of a hundred rows."""
    task_s, row_s = Squares(*costs.cores_fit).costs()
    return TASKS * float(task_s) + 100.0 * float(row_s)


def test_how_long_stages_took_is_not_told_by_a_first_batch() -> None:
    # It compiles, connects and opens state: seconds of its stages are the query's own start.
    first, *others = (batch(number, 100.0, 1.0 + number) for number in range(4))
    found = from_batches(replace(first, staged_s=30.0), *others)
    assert (found.fresh, found.fresh_rows) == (3, 300.0)
    assert found.fresh_staged_s == pytest.approx(sum(one.staged_s or 0.0 for one in others))


def test_a_batch_is_learnt_from_once_however_often_it_is_told() -> None:
    told = [batch(number, 100.0, 1.0 + number) for number in range(5)]
    once = from_batches(*told)
    assert from_batches(*told[2:], before=once) == once
    assert from_batches(*told, batch(5, 100.0, 6.0), before=once).batches == 6


def test_another_checkpoint_counts_from_zero() -> None:
    once = from_batches(*(batch(number, 100.0, 1.0 + number) for number in range(5)))
    assert from_batches(batch(0, 100.0, 20.0), before=once).batches == 6


def test_what_waited_and_what_was_left_say_what_arrived() -> None:
    # From one batch's begin to the next, two seconds: 100 rows were left, 300 are taken and 200 left: 400 came.
    first = batch(0, 50.0, 1.0, left_rows=100.0, took_s=0.5)
    found = from_batches(first, batch(1, 300.0, 3.5, left_rows=200.0, took_s=1.0))
    assert found.arrival_rps == pytest.approx(400.0 / 2.0)


def aged(number: int, waited_s: float | None, left_rows: float | None = 0.0) -> BatchFigures:
    """One of each second, whose rows had waited so long when it began."""
    return replace(batch(number, 100.0, number), waited_s=waited_s, left_rows=left_rows)


def test_rows_that_are_older_than_they_can_have_waited_came_old_to_their_source() -> None:
    # They wait half a second in the mean: batches take a second's rows each.
    assert from_batches(*(aged(number, 3.5) for number in range(5))).older_s == pytest.approx(3.0)
    assert from_batches(*(aged(number, 0.1) for number in range(5))).older_s == 0.0
    assert from_batches(*(aged(number, None) for number in range(5))).older_s == 0.0


def test_some_late_rows_of_one_batch_do_not_make_all_rows_old() -> None:
    known = from_batches(*(aged(number, 700.0 if number == 3 else 1.5) for number in range(5)))
    assert known.older_s == pytest.approx(1.0)
    assert from_batches(*(aged(number, 700.0) for number in (5, 6)), before=known).older_s == pytest.approx(1.0)
    assert from_batches(*(aged(number, 700.0) for number in (5, 6, 7)), before=known).older_s == pytest.approx(699.5)


@pytest.mark.parametrize("left_rows", [50.0, None])
def test_rows_of_a_backlog_or_of_what_may_be_one_tell_nothing_of_their_source(left_rows: float | None) -> None:
    assert from_batches(*(aged(number, 30.0, left_rows) for number in range(5))).older_s == 0.0


def test_the_first_batch_alone_leaves_the_engines_word_for_what_arrives() -> None:
    assert from_batches(batch(0, 50.0, 1.0)).arrival_rps == 100.0


@pytest.mark.parametrize(
    ("at_s", "waiting", "arrives"),
    [
        (40.0, 0.0, 0.0),  # its source has run dry, and no batch will ever say so
        (40.0, 30.0, 1.0),
        (40.0, 600.0, 100.0),  # rows wait: a batch is under way, and how many came is known when it has ended
        (40.0, 3000.0, 100.0),  # a batch of thirty seconds' rows is under way
        (40.0, None, 100.0),
        (14.0, 0.0, 100.0),  # the next one may only just begin
    ],
)
def test_a_source_that_runs_dry_is_told_by_what_waits(at_s: float, waiting: float | None, arrives: float) -> None:
    # The last of its batches, each of a second's rows, began at 9.5 s.
    ten = [batch(number, 100.0, float(number), took_s=0.5) for number in range(1, 11)]
    found = after(figures("ads", 100.0, batches=ten, backlog_rows=waiting), None, at_s)
    assert found.arrival_rps == pytest.approx(arrives, rel=0.05)
    assert after(figures("ads", 100.0, batches=ten, backlog_rows=waiting), found, at_s) == found


def test_a_rise_is_followed_within_some_seconds() -> None:
    slow = [batch(number, 100.0, 1.0 + number, took_s=0.5) for number in range(10)]
    fast = [batch(number, 600.0, 1.0 + number, took_s=0.5) for number in range(10, 16)]
    assert 500.0 < (from_batches(*slow, *fast).arrival_rps or 0.0) <= 600.0


def test_batches_without_rows_or_without_their_stages_say_nothing_of_costs() -> None:
    unknown = batch(0, 100.0, 1.0, busy_s=None, tasks=None, stages=None, cpu_s=None, staged_s=None)
    assert not from_batches(unknown, batch(1, 0.0, 2.0)).known
    assert from_batches(unknown, batch(1, 100.0, 2.0)).known


def test_the_bound_that_a_job_came_with_is_remembered_when_it_is_turned() -> None:
    came = figures("ads", 100.0)
    first = after(replace(came, levers=(replace(came.levers[0], now=5000.0), came.levers[1])))
    later = after(replace(came, levers=(replace(came.levers[0], now=200.0), came.levers[1])), first)
    assert (first.own_bound, later.own_bound) == (5000.0, 5000.0)


def test_of_a_job_without_batches_the_others_say_what_its_rows_cost_unless_it_was_profiled() -> None:
    others = [from_batches(*(batch(number, 90.0 + number, 1.0 + number) for number in range(5)))]
    new = replace(job("new", 200.0), figures=figures("new", 200.0, batches=()))
    _, row_s = Squares(*guessed(least_of(others), new, 10.0, JobCosts()).fit).costs()
    assert row_s == pytest.approx(ROW_S, rel=0.1)
    profiled = replace(new, modelled_threads={ALL_OPERATORS: 6})
    _, row_s = Squares(*guessed(least_of(others), profiled, 10.0, JobCosts()).fit).costs()
    assert row_s == pytest.approx(6 / 200.0, rel=0.1)


@pytest.mark.parametrize(
    ("rows", "busy_s", "ms"),
    [
        pytest.param(213.0, 3.9, 0.5, id="a query's own start, nearly all of it"),
        pytest.param(1_000.0, 24.0, 20.0, id="what is more than a start takes is its rows'"),
        pytest.param(2_000.0, 0.2, 0.06, id="as cheap as it is"),
    ],
)
def test_a_single_first_batch_is_not_taken_for_what_its_rows_cost(rows: float, busy_s: float, ms: float) -> None:
    """Beside others whose rows take half a millisecond each: 213 rows that took 3.9 s of slots were 18 ms each."""
    alike = (batch(number, 900.0, 1.0 + number, tasks=8, busy_s=0.53, cpu_s=0.2) for number in range(5))
    known = [from_batches(*alike)]
    new = from_batches(batch(0, rows, 5.0, tasks=8, busy_s=busy_s, cpu_s=0.1, took_s=4.0, staged_s=2.0))
    new = new._replace(arrivals=steady(600.0))
    _, row_s = Squares(*without_start(new, least_of(known)).fit).costs()
    assert 1e3 * row_s == pytest.approx(ms, rel=0.25)


def test_what_a_profile_says_of_a_job_without_batches_is_no_start() -> None:
    known, new = job("known", 100.0), job("new", 200.0, batches=())
    profiled = replace(new, modelled_threads={ALL_OPERATORS: 6})
    dear, cheap = (fleet(known, one) for one in (profiled, new))
    assert dear.row_cpu_s[1] == pytest.approx(6 / 200.0, rel=0.1)
    assert cheap.row_cpu_s[1] == pytest.approx(ROW_S, rel=0.1)


def test_of_a_first_batch_that_took_no_time_nothing_is_taken() -> None:
    known = [from_batches(*(batch(number, 90.0, 1.0 + number) for number in range(5)))]
    for nothing in (JobCosts(), from_batches(batch(0, 10.0, 5.0, busy_s=0.0, cpu_s=0.0))):
        assert without_start(nothing, least_of(known)) == nothing


def test_a_job_without_batches_keeps_the_bound_that_it_came_with() -> None:
    silent = job("new", 200.0, batches=(), levers=(Dial("bound", "new", 150.0, 1, shows=Shows.NEXT_BATCH),))
    known = job("ads", 100.0)
    found = fleet_of(fleet_view(known, silent), learnt({}, [known.figures, silent.figures]))
    assert found is not None
    assert found.own_bounds.tolist() == [UNBOUNDED, 150.0]


@st.composite
def many_batches(draw: st.DrawFn) -> list[BatchFigures]:
    """Of a query, some without rows or without their stages, some missed, and some of another checkpoint."""
    found, number, at_s = [], 0, 0.0
    seconds = st.floats(0.01, 9.0)
    unknown_or_seconds = st.one_of(st.none(), seconds)
    for step in draw(st.lists(st.sampled_from((0, 1, 1, 1, 1, 2)), min_size=1, max_size=9)):
        number, at_s = (number + step, at_s + draw(seconds)) if step else (0, at_s + 20.0)
        figures_of_it: dict[str, Any] = {
            "took_s": draw(seconds),
            "left_rows": draw(st.sampled_from((None, 0.0, 70.0))),
            "busy_s": draw(unknown_or_seconds),
            "cpu_s": draw(unknown_or_seconds),
            "staged_s": draw(unknown_or_seconds),
            "waited_s": draw(unknown_or_seconds),
        }
        found.append(replace(batch(number, 0.0, at_s), rows=draw(st.sampled_from((0.0, 40.0, 300.0))), **figures_of_it))
    return found


@given(many_batches())
def test_batches_that_are_told_together_teach_what_they_teach_one_by_one(told: list[BatchFigures]) -> None:
    one_by_one = None
    for one in told:
        one_by_one = from_batches(one, before=one_by_one)
    assert from_batches(*told) == one_by_one


@given(st.lists(many_batches(), min_size=2, max_size=4))
def test_what_is_learnt_of_a_job_is_the_same_whoever_is_learnt_of_beside_it(told: list[list[BatchFigures]]) -> None:
    jobs = [figures(f"job-{place}", 100.0, batches=tuple(batches)) for place, batches in enumerate(told)]
    assert learnt({}, jobs) == {job.name: after(job) for job in jobs}
