"""One contract for every world: simulators, Spark's engine on the fake and on Spark, a fleet, and a toy engine."""

from collections.abc import Iterator

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.plan import Step
from penstock.core.run import RunInfo
from penstock.loop import LoopSettings
from penstock.planning.registry import policy_named
from penstock.running.session import Session
from penstock.running.sim_clock import SimClock
from penstock.store.memory import MemoryStore
from tests.engines.toy.engine import ToyEngine, ToyJob
from tests.engines.worlds import WORLDS, Case, world_named


@pytest.fixture(params=WORLDS)
def made(request: pytest.FixtureRequest) -> Iterator[Case]:
    """Not opened yet."""
    with world_named(request.param, request) as case:
        yield case


@pytest.fixture
def case(made: Case) -> Case:
    """Opened, its jobs begun."""
    made.world.open()
    made.world.start()
    made.advance_to(60.0)
    made.world.tend()
    return made


def test_jobs_are_told_in_the_order_of_their_names_and_looking_takes_nothing_away(case: Case) -> None:
    first, again = case.world.observe(60.0), case.world.observe(60.0)
    assert tuple(job.name for job in first.jobs) == case.names
    assert [(job.name, job.threads) for job in again.jobs] == [(job.name, job.threads) for job in first.jobs]


def test_a_turn_shows_and_the_same_again_leaves_all_as_it_is(case: Case) -> None:
    for _ in range(2):
        assert case.turn(4) is None
        assert case.asked() == 4


def test_the_undo_of_a_turn_takes_it_back(case: Case) -> None:
    move = case.move(4)
    assert case.world.apply([Step(move.job, (move,)), Step(move.job, (move.undo,))]).failed == ()
    assert case.asked() == 2


@pytest.mark.contract
def test_what_cannot_be_done_is_told_with_why_and_the_other_steps_are_done(case: Case) -> None:
    unknown, known = Step("c", (case.move(2, 1, "c"),)), Step(case.names[0], (case.move(3),))
    outcome = case.world.apply([unknown, known])
    assert [one.error is None for one in outcome.steps] == [False, True]
    assert "c" in (outcome.steps[0].error or "")
    assert case.asked() == 3


def test_no_job_is_left_with_nothing(case: Case) -> None:
    assert case.turn(0) is not None
    assert case.asked() == 2


@pytest.mark.contract
def test_a_session_lives_through_it_from_its_opening_to_its_end(made: Case) -> None:
    store = MemoryStore(RunInfo("run", "run", "static", "a world"))
    wanted = {name: Intent(Latency("5s")) for name in made.names}
    settings = LoopSettings(interval_s=10.0, go_on=False)
    Session(lambda: wanted, policy_named("static"), store, settings, until_s=50.0).live_through(
        made.world, SimClock(made.advance_to)
    )
    assert [view.at_s for view in store.views("run")] == [10.0, 20.0, 30.0, 40.0, 50.0]
    made.world.open()  # it was let go of


def test_a_policy_helps_on_an_engine_that_it_has_never_heard_of() -> None:
    engine, store = (
        ToyEngine([ToyJob("a", 250.0, 60.0), ToyJob("b", 10.0, 60.0)]),
        MemoryStore(RunInfo("r", "r", "p", "toy")),
    )
    wanted = {name: Intent(Latency("1s")) for name in "ab"}
    settings = LoopSettings(interval_s=10.0, go_on=False)
    session = Session(lambda: wanted, policy_named("ds2"), store, settings, until_s=600.0)
    session.live_through(engine, SimClock(lambda at_s: None))
    last = tuple(store.views("r"))[-1]
    assert last.utility == last.max_utility
    assert engine.jobs[0].tasks >= 5  # of 60 rows a second each, for 250
    assert engine.tended >= 60
