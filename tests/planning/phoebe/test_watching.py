"""What a look at a job adds to what is remembered of it."""

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.seen.evidence import Observation
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, LatencyFigures, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.phoebe.memory import JobMemory, PhoebeMemory
from penstock.planning.phoebe.watching import watched


def view(at_s: float, **figures: object) -> View:
    """A job of three executors with 100 rows/s arriving."""
    usual: dict[str, object] = {"up_s": 500.0, "backlog_rows": 5000.0, "processed_rps": 80.0, "working_rps": 140.0}
    unit = OperatorFigures(ALL_OPERATORS, 3)
    job = JobFigures("a", (unit,), arrival_rps=100.0, latency=LatencyFigures(1.0), **{**usual, **figures})  # type: ignore[arg-type]
    return View(at_s, (JobView(job, Intent(Latency("2s")), 1.0, True, True),), (), 1.0, 1.0, None)


def learnt(**figures: object) -> tuple[Observation, ...]:
    """From the first look at it."""
    after = watched(view(60.0, **figures), PhoebeMemory(), step_s=10.0, history_s=600.0, quiet_after_s=300.0)
    return after.jobs["a"].evidence


def test_a_job_with_rows_waiting_shows_what_it_can_do_while_it_works() -> None:
    assert learnt() == (Observation(3, 140.0, None, saturated=True, at_s=60.0),)


@pytest.mark.parametrize(
    "figures",
    [
        {"working_rps": None},  # its first batch after a restart is not over: a backlog, and nothing done
        {"up_s": 20.0},
        {"settling": True},
        {"backlog_rows": 1000.0},  # ten seconds of arrivals: neither catching up nor quiet
    ],
)
def test_what_does_not_tell_of_capacity_is_not_learnt(figures: dict[str, object]) -> None:
    assert learnt(**figures) == ()


def test_rows_that_wait_for_the_next_batch_are_no_backlog() -> None:
    waiting = {"backlog_rows": 1000.0, "checkpoint_s": 6.0}
    assert learnt(**waiting) == ()
    quiet = Observation(3, 80.0, 1.0, at_s=60.0)
    assert learnt(**waiting, phases_s={"triggerExecution": 2.0}) == (quiet,)


@pytest.mark.parametrize(("downtime_s", "disturbances_s"), [(None, (60.0,)), (8.0, ())])
def test_what_a_failure_held_up_is_not_put_down_to_the_reconfiguration_before_it(
    downtime_s: float | None, disturbances_s: tuple[float, ...]
) -> None:
    memory = PhoebeMemory({"a": JobMemory(disturbed_since_s=0.0)})
    after = watched(view(60.0, downtime_s=downtime_s, backlog_rows=0.0), memory, 10.0, 600.0, 300.0).jobs["a"]
    assert (after.disturbances_s, after.disturbed_since_s) == (disturbances_s, None)


@pytest.mark.parametrize(
    ("later_s", "learnt_rps"),
    [(70.0, [140.0, 140.0]), (200.0, [30.0, 140.0])],  # the same catch-up; another one
)
def test_of_one_catch_up_the_most_that_was_done_is_the_capacity(later_s: float, learnt_rps: list[float]) -> None:
    memory = PhoebeMemory()
    for at_s, done_rps in ((60.0, 30.0), (later_s, 140.0)):  # cold at first
        memory = watched(view(at_s, working_rps=done_rps), memory, 10.0, 600.0, 300.0)
    assert [seen.rate_rps for seen in memory.jobs["a"].evidence] == learnt_rps
