"""One contract for every world: the simulators, Spark's engine on the fake, and an engine that nobody here knows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import penstock as ps
from penstock.core.asked.intents import Intent, Latency
from penstock.core.levers import ThreadMove, thread_move
from penstock.core.plan import Step
from penstock.core.run import RunInfo
from penstock.engines.sim.continuous import ContinuousCluster
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchEngine, MicroBatchJob, MicroBatchStage
from penstock.engines.sim.scaleout.engine import ScaleOutCluster
from penstock.engines.sim.scaleout.spec import ScaleOutJob
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, fake_job
from penstock.engines.spark.settings import SparkSettings
from penstock.loop import LoopSettings
from penstock.planning.registry import policy_named
from penstock.running.session import Session
from penstock.running.sim_clock import SimClock
from penstock.store.memory import MemoryStore
from tests.engines.sim.cases import QUIET, line
from tests.engines.toy.engine import ToyEngine, ToyJob


@dataclass(frozen=True)
class Case:
    """A world with the jobs a and b, how its time passes, and what of a can be turned."""

    world: ps.World
    advance_to: Callable[[float], None]
    unit: str = "*"

    def turn(self, after: int, before: int = 2, job: str = "a") -> str | None:
        """Why it could not be."""
        return self.world.apply([Step(job, (thread_move(job, self.unit, before, after),))]).steps[0].error

    def threads(self) -> int:
        self.advance_to(100.0)
        unit = self.world.observe(100.0).jobs[0].operator(self.unit)
        return unit.threads if unit.asked is None else unit.asked

    def move(self, after: int) -> ThreadMove:
        return thread_move("a", self.unit, 2, after)


def continuous() -> Case:
    made = ContinuousCluster([line("a", 100.0), line("b", 100.0)], QUIET)
    return Case(made, made.advance_to, unit="work")


def micro_batch() -> Case:
    stage = MicroBatchStage("count", partitions=4, cpu_s_per_row=0.01)
    jobs = [MicroBatchJob(name, (stage,), arrivals=np.full(300, 50.0), threads=2) for name in "ab"]
    made = MicroBatchEngine(MicroBatchCluster(slots=8, cores=8), jobs)
    return Case(made, made.advance_to)


def scale_out() -> Case:
    jobs = [ScaleOutJob(name, {1: 100.0, 4: 400.0}, np.full(300, 50.0), executors=2) for name in "ab"]
    made = ScaleOutCluster(jobs, 8)
    return Case(made, made.advance_to)


def spark_on_the_fake() -> Case:
    spark = FakeSpark(slots=8)
    jobs = [fake_job(name, lambda session: session.writer(), slots=2) for name in "ab"]
    engine = SparkEngine(spark, jobs, SparkSettings(window_s=20.0, lease_s=1e9), spark.clocks)
    return Case(engine, lambda at_s: spark.commit_all())


def toy() -> Case:
    return Case(
        ToyEngine([ToyJob("b", 100.0, 60.0, tasks=2), ToyJob("a", 100.0, 60.0, tasks=2)]), lambda at_s: None, "map"
    )


@pytest.fixture(params=[continuous, micro_batch, scale_out, spark_on_the_fake, toy], ids=lambda made: made.__name__)
def case(request: pytest.FixtureRequest) -> Case:
    """Opened, its jobs begun."""
    made: Case = request.param()
    made.world.open()
    made.world.start()
    made.advance_to(60.0)
    made.world.tend()
    return made


def test_jobs_are_told_in_the_order_of_their_names_and_looking_takes_nothing_away(case: Case) -> None:
    first, again = case.world.observe(60.0), case.world.observe(60.0)
    assert [job.name for job in first.jobs] == ["a", "b"]
    assert [(job.name, job.threads) for job in again.jobs] == [(job.name, job.threads) for job in first.jobs]


def test_a_turn_shows_and_the_same_again_leaves_all_as_it_is(case: Case) -> None:
    for _ in range(2):
        assert case.turn(4) is None
        assert case.threads() == 4


def test_the_undo_of_a_turn_takes_it_back(case: Case) -> None:
    move = case.move(4)
    assert case.world.apply([Step("a", (move,)), Step("a", (move.undo,))]).failed == ()
    assert case.threads() == 2


def test_what_cannot_be_done_is_told_with_why_and_the_other_steps_are_done(case: Case) -> None:
    unknown, known = Step("c", (thread_move("c", case.unit, 1, 2),)), Step("a", (case.move(3),))
    outcome = case.world.apply([unknown, known])
    assert [one.error is None for one in outcome.steps] == [False, True]
    assert "c" in (outcome.steps[0].error or "")
    assert case.threads() == 3


def test_no_job_is_left_without_threads(case: Case) -> None:
    assert case.turn(0) is not None
    assert case.threads() == 2


@pytest.mark.parametrize("made", [continuous, micro_batch, scale_out, spark_on_the_fake, toy])
def test_a_session_lives_through_it_from_its_opening_to_its_end(made: Callable[[], Case]) -> None:
    case, store = made(), MemoryStore(RunInfo("run", "run", "static", "a world"))
    wanted = {name: Intent(Latency("5s")) for name in "ab"}
    settings = LoopSettings(interval_s=10.0, go_on=False)
    Session(lambda: wanted, policy_named("static"), store, settings, until_s=50.0).live_through(
        case.world, SimClock(case.advance_to)
    )
    assert [view.at_s for view in store.views("run")] == [10.0, 20.0, 30.0, 40.0, 50.0]
    case.world.open()  # it was let go of


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
