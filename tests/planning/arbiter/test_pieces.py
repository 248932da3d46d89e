"""Rows a task: batches that are cut have as many more tasks, and whoever waits for these waits less."""

from dataclasses import replace

import numpy as np
import pytest

from penstock.core.levers import Dial, Piece
from penstock.core.plan import Decision, Plan, Reason
from penstock.planning.arbiter.candidates import present, tasks_of
from penstock.planning.arbiter.outcome import HORIZON_S, foretell
from penstock.planning.arbiter.search import search
from penstock.planning.arbiter.sharing import conditions
from penstock.planning.combined import as_planned
from tests.planning.arbiter.fleets import TASKS, as_seen, fleet, fleet_view, job

UNCUT = np.inf


@pytest.mark.parametrize(
    ("piece", "bound", "tasks"),
    [
        (UNCUT, UNCUT, TASKS),
        (10.0, UNCUT, 20),  # of 200 rows that wait
        (10.0, 100.0, 10),
        (10.0, 20.0, TASKS),  # as many as there are partitions
        (500.0, UNCUT, TASKS),
    ],
)
def test_a_batch_has_as_many_tasks_as_its_rows_take(piece: float, bound: float, tasks: int) -> None:
    cut = fleet(job("a", 100.0), pieces=np.array([piece]), backlog=np.array([200.0]), bounds=np.array([bound]))
    assert tasks_of(cut, present(cut)) == pytest.approx(tasks)


def test_whoever_waits_for_long_tasks_waits_less_once_they_are_cut() -> None:
    jobs = job("a", 100.0, target="1s", weight=3), job("b", 300.0, target="60s")
    waiting = np.array([100.0, 4000.0])
    uncut = fleet(*jobs, slots=4, cores=4, backlog=waiting)
    cut = fleet(*jobs, slots=4, cores=4, backlog=waiting, pieces=np.array([UNCUT, 50.0]))
    long, short = (conditions(one, present(one), HORIZON_S) for one in (uncut, cut))
    assert short.wait_s[0, 0] < 0.8 * long.wait_s[0, 0]
    assert foretell(cut, present(cut)).latency_s[0, 0] < foretell(uncut, present(uncut)).latency_s[0, 0]


@pytest.mark.parametrize(("rate", "target"), [(150.0, "4s"), (250.0, "20s"), (400.0, "60s")])
def test_who_can_be_cut_is_bounded_only_where_that_gains_far_more(rate: float, target: str) -> None:
    def bound(*levers: Dial) -> float:
        seen = fleet_view(
            job("a", 50.0, target="2s", worth=40.0), job("b", rate, target=target, levers=levers), slots=4, cores=2
        )
        return float(search(as_seen(seen)).best.bounds[0, 1])

    bounded, cut = Dial("bound", "b", None, 1), Dial("piece", "b", None, 1)
    assert bound(bounded) < UNCUT
    assert bound(bounded, cut) == UNCUT
    assert bound(bounded, replace(cut, by_people=True)) < UNCUT


def test_a_cut_that_is_decided_on_is_seen_by_whoever_decides_next() -> None:
    one = job("a", 100.0, levers=(Dial("bound", "a", None, 1), Dial("piece", "a", None, 1)))
    decision = Decision(Reason.RECONFIGURED, (Piece("a", None, 50),), "because", 10.0, 5.0)
    before = fleet_view(one, job("b", 100.0))
    after = as_planned(before, Plan((decision,)))
    assert as_seen(before).pieces.tolist() == [UNCUT, UNCUT]
    assert as_seen(after).pieces.tolist() == [50.0, UNCUT]
