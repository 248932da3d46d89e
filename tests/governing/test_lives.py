"""What one life of an application hands to the next, and what a driver finds of one that died."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from penstock.core.cycle import Cycle
from penstock.core.levers import WHOLE, Dial, Memory
from penstock.core.plan import Decision, Outcome, Plan, Reason, Step, StepOutcome
from penstock.errors import EngineError
from penstock.governing.lives import Applications, Life, MemoryWish
from penstock.governing.remembering import Left, left_behind
from penstock.store.open import open_store
from tests.recorded import RUN, a_cycle, a_job, a_view


def a_cycle_with_memory(at_s: float, now: int, asked: int | None = None) -> Cycle:
    dial = Dial("memory", WHOLE, now, 512, asked=asked)
    return a_cycle(at_s, replace(a_view(at_s, (a_job("ads", threads=5),)), levers=(dial,)))


def that_turns(cycle: Cycle, after: int, error: str | None = None) -> Cycle:
    """The cycle with a decision to give executors other memory, and what came of it."""
    move = Memory(1024, after)
    decision = Decision(Reason.RESCALED, (move,), "they are short of it", cycle.at_s, 1.0)
    outcome = Outcome((StepOutcome(Step(WHOLE, (move,)), error),))
    return replace(cycle, plan=Plan((decision,)), outcome=outcome)


def left(place: Path, cycles: Sequence[Cycle]) -> Left:
    with closing(open_store(place)) as store:
        store.begin(RUN)
        for cycle in cycles:
            store.append(cycle)
    return left_behind(place, RUN.id)


@pytest.mark.parametrize(
    ("cycles", "memory_mib"),
    [
        ([a_cycle(10.0)], None),  # no such lever
        ([a_cycle_with_memory(10.0, 1024), a_cycle_with_memory(20.0, 2048)], 2048),
        ([a_cycle_with_memory(10.0, 1024, asked=2048)], 2048),
        ([that_turns(a_cycle_with_memory(10.0, 1024), 2048)], 2048),  # it died before the next life told
        ([that_turns(a_cycle_with_memory(10.0, 1024), 2048, "no worker has that")], 1024),
        ([that_turns(a_cycle_with_memory(10.0, 1024), 2048), a_cycle_with_memory(20.0, 1024)], 1024),  # none came
    ],
)
def test_a_driver_begins_with_the_memory_that_the_one_before_had_or_was_about_to_have(
    cycles: list[Cycle], memory_mib: int | None, tmp_path: Path
) -> None:
    assert left(tmp_path / "runs.sqlite", cycles).memory_mib == memory_mib


def test_a_driver_begins_with_the_slots_that_the_one_before_had(tmp_path: Path) -> None:
    assert left(tmp_path / "runs.sqlite", [a_cycle_with_memory(10.0, 1024)]).slots == {"ads": 5}


def test_nothing_is_left_where_nothing_was_recorded(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"
    assert left_behind(place, "first life") == left_behind(place, None) == left_behind(None, "x") == Left()
    assert not place.exists()
    left(place, [])
    assert left_behind(place, "another") == Left()


def test_a_wish_ends_the_life_once_and_is_refused_where_it_was_in_vain() -> None:
    ended = list[str]()
    wish = MemoryWish({9000}, lambda: ended.append("ended"))
    with pytest.raises(EngineError, match="no executor of 9,000 MiB came when this run asked for it last"):
        wish.ask(9000)
    assert (wish.mib, ended) == (None, [])
    wish.ask(2048)
    assert (wish.mib, ended) == (2048, ["ended"])


@pytest.mark.parametrize(
    ("wanted", "before", "told"), [(None, None, "512m"), (512, None, "512m"), (2048, 2048, "2048m")]
)
def test_the_slots_of_the_life_before_are_waited_for_once_the_run_is_ours(
    wanted: int | None, before: int | None, told: str
) -> None:
    """Another driver may hold them yet, until the run is taken from it: nothing can come before."""
    conf = {"spark.executor.memory": "512m"}
    began = list[Any]()
    applications = Applications(lambda said: cast(Any, began.append(said["spark.executor.memory"])), conf, 5.0)
    application = applications._started(Life((), wanted, before, slots=8))
    assert (began, application.awaited, application.instead) == ([told], 8, None)
    assert application.within_s == 5.0  # all that it waits for, it waits for so long
    assert applications.not_given == set()
