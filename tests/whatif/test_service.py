"""What batches cost is learnt from the past, and told apart: rows, tasks, batches, triggers, limits."""

from collections.abc import Sequence

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, LatencyFigures, OperatorFigures, StageFigures
from penstock.core.seen.view import JobView, View
from penstock.whatif.service import Service, learnt

WINDOW_S = 20.0
TASKS = 4
SLOTS = 8


def a_view(rps: float, every_s: float = 1.0, arrival_rps: float | None = None, overhead_s: float = 0.25) -> View:
    """Batches of two stages: reading takes 1 ms a row, and saving state 100 ms a task however few its rows."""
    rows, batches = rps * every_s, WINDOW_S / every_s
    read_s, save_s = 0.001 * rows, 0.1 * TASKS
    stages = (
        StageFigures("read", TASKS, round(rows * batches), 100, read_s * batches),
        StageFigures("save", TASKS, 100, 0, save_s * batches),
    )
    figures = JobFigures(
        "ads",
        (OperatorFigures(ALL_OPERATORS, 2),),
        latency=LatencyFigures(1.0),
        arrival_rps=arrival_rps or rps,
        processed_rps=rps,
        checkpoint_s=every_s,
        phases_s={"triggerExecution": overhead_s + (read_s + save_s) / TASKS},
        stages=stages,
    )
    return View(0.0, (JobView(figures, Intent(Latency("1s")), 1.0, True, True),), (), 1.0, 1.0)


def service(*views: View) -> Service:
    return learnt(views, SLOTS)["ads"]


@pytest.mark.parametrize("rates", [(1000.0, 2000.0, 3000.0), (2000.0, 2000.0, 2000.0)], ids=["varied", "steady"])
def test_the_cost_of_rows_is_told_from_that_of_tasks(rates: Sequence[float]) -> None:
    read, save = service(*(a_view(rps) for rps in rates)).stages
    assert [read.row_s, read.task_s] == pytest.approx([0.001, 0.0], rel=0.01, abs=1e-4)
    assert [save.row_s, save.task_s] == pytest.approx([0.0, 0.1], rel=0.01, abs=1e-6)


def test_what_a_batch_takes_beyond_its_tasks_is_what_it_took_when_slots_were_free() -> None:
    seen = [a_view(2000.0, overhead_s=overhead_s) for overhead_s in (0.25, 0.25, 0.25, 1.5, 2.0)]
    assert service(*seen).overhead_s == pytest.approx(0.25)


def test_a_query_that_pauses_between_batches_has_a_trigger_and_one_that_does_not_has_none() -> None:
    assert service(*[a_view(2000.0, every_s=2.0, overhead_s=0.2)] * 3).trigger_s == 2.0
    assert service(*[a_view(2000.0, every_s=0.8, overhead_s=0.3)] * 3).trigger_s == 0.0  # a batch takes 0.3 + 0.4 + 0.1


def test_a_limit_is_learnt_where_rows_were_held_back() -> None:
    assert service(*[a_view(2000.0)] * 3).most_rows is None
    assert service(*[a_view(2000.0, arrival_rps=3000.0)] * 3).most_rows == 2000


def test_nothing_is_learnt_from_a_few_cycles() -> None:
    assert learnt([a_view(2000.0)] * 2, SLOTS) == {}
