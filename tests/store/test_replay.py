"""A policy judged on what was recorded."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from penstock.core.figures import Snapshot
from penstock.core.plan import Plan
from penstock.core.view import View, snapshot_of
from penstock.simulation.replay import replay
from penstock.store.open import open_store
from tests.recorded import RUN, a_cycle, a_decision, a_view


@dataclass(frozen=True, slots=True)
class Counted:
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class EverySecond:
    """Acts in every second round."""

    name: str = "every-second"

    def start(self) -> Counted:
        return Counted()

    def decide(self, view: View, memory: Counted) -> tuple[Plan, Counted]:
        acts = memory.rounds % 2 == 1
        return Plan((a_decision(view.at_s),) if acts else ()), Counted(memory.rounds + 1)


def test_a_policy_sees_the_recorded_views_with_a_memory_of_its_own(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
        for at_s in (10.0, 20.0, 30.0, 40.0):
            store.append(a_cycle(at_s))
        told = list(replay(EverySecond(), store.views(RUN.id)))
    assert [turn.view.at_s for turn in told if turn.plan.decisions] == [20.0, 40.0]
    assert told[-1].memory == Counted(4)


def test_a_run_that_only_watched_at_first_is_judged_from_where_it_governed() -> None:
    views = [a_view(at_s) for at_s in (10.0, 20.0, 30.0)]
    assert [turn.memory for turn in replay(EverySecond(), views, govern_from_s=20.0)] == [Counted(1), Counted(2)]


def test_a_view_gives_back_the_figures_that_the_engine_gave() -> None:
    view = a_view(10.0)
    expected = Snapshot(10.0, tuple(job.figures for job in view.jobs), view.machines, max_threads=40)
    assert snapshot_of(view) == expected
