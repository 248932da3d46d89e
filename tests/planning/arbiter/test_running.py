"""What a batch that runs tells of a job's costs, where too few have ended."""

from dataclasses import replace

import pytest

from penstock.core.seen.batches import RunningBatch
from penstock.core.seen.figures import JobFigures
from penstock.planning.arbiter.costs import JobCosts
from penstock.planning.arbiter.fitting import Squares
from penstock.planning.arbiter.running import as_it_runs
from penstock.planning.arbiter.told import learnt
from penstock.planning.combined import Combined
from tests.planning.arbiter.fleets import batch, figures, fleet_view, job

# The first batch began at 4 s, had hardly any rows and took 46 s: the second one has those of 50 s, 50 a second.
FIRST = batch(0, 50.0, 50.0, took_s=46.0)
RUNS = RunningBatch(1, staged_from_s=54.0, tasks=10, ended=2, busy_s=10.0, cpu_s=0.1, rows=2_500.0)
AT_S = 64.0


def seen(*ended_batches: object, running: RunningBatch | None = RUNS) -> JobFigures:
    """A job at 64 s."""
    return figures("ads", 50.0, batches=ended_batches, running=running, arrival_rps=None, up_s=AT_S)


def costs_of(one: JobFigures) -> JobCosts:
    """By the batches that ended."""
    return learnt({}, [one], AT_S)["ads"]


def test_its_tasks_that_ended_tell_what_rows_cost_its_rows_what_comes_and_its_other_tasks_what_waits() -> None:
    one = seen(FIRST)
    found = as_it_runs(costs_of(one), one, AT_S)
    assert found.arrival_rps == 50.0  # 2,500 rows since 4 s
    assert found.left_rows == 2_000.0  # 8 of its 10 tasks
    assert found.took_s == 10.0  # whose rows wait behind it
    task_s, row_s = Squares(*found.fit).costs()
    assert round(float(10 * task_s + 2_500 * row_s), 2) == 50.0  # 10 tasks of 5 s
    assert (found.cpu_share, found.known) == (0.01, True)


def test_what_the_start_of_the_query_took_off_the_slots_is_not_told_of_later_batches() -> None:
    one = seen(FIRST)
    assert costs_of(one).aside_s > 40.0
    assert as_it_runs(costs_of(one), one, AT_S).aside_s == 0.5


def test_a_first_batch_without_rows_says_since_when_those_of_the_second_came() -> None:
    one = seen(replace(FIRST, rows=0.0, busy_s=0.1))
    assert costs_of(one).known is False
    assert as_it_runs(costs_of(one), one, AT_S).arrival_rps == 50.0


@pytest.mark.parametrize(
    ("ended", "running", "why"),
    [
        ((), replace(RUNS, number=0), "nobody knows since when the rows of a first batch came"),
        ((FIRST,), None, "no task of it has ended"),
        ((FIRST,), replace(RUNS, number=2), "the figures of the batch before it are not there yet"),
        ((FIRST, batch(1, 50.0, 52.0)), replace(RUNS, number=2), "two batches have ended, and tell more"),
        ((FIRST,), replace(RUNS, busy_s=0.0), "what its tasks took was too little to measure"),
    ],
)
def test_else_it_tells_nothing(ended: tuple[object, ...], running: RunningBatch | None, why: str) -> None:
    one = seen(*ended, running=running)
    costs = costs_of(one)
    assert as_it_runs(costs, one, AT_S) is costs, why


def test_so_an_application_says_what_slots_are_worth_to_it_while_its_second_batch_lasts() -> None:
    policy = Combined()
    runs, silent = (
        job("ads", 50.0, "40s", batches=(FIRST,), running=running, arrival_rps=None, up_s=59.0, utility=0.0)
        for running in (replace(RUNS, busy_s=14.0), None)
    )
    for one, told in ((runs, 3), (silent, 0)):
        view = fleet_view(one, at_s=AT_S)
        _, memory = policy.decide(view, policy.start())
        assert len(worth := policy.by_slots(view, memory, (1, 2, 4))) == told
        if told:  # 50 rows a second keep 1.4 slots busy
            assert worth[0] < 4.0 < worth[1] < worth[2]
