"""All worlds, each with the jobs a and b: three simulators, Spark's engine on the fake and on Spark, a fleet, a toy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from fleet_world import SimulatedCluster, of_one

from penstock.core.levers import Executors, Slots, Tasks, thread_move
from penstock.core.plan import Step
from penstock.core.ports import World
from penstock.core.seen.figures import Snapshot
from penstock.engines.sim.continuous import ContinuousCluster
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchEngine, MicroBatchJob, MicroBatchStage
from penstock.engines.sim.scaleout.engine import ScaleOutCluster
from penstock.engines.sim.scaleout.spec import ScaleOutJob
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, fake_job
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from tests.engines.applications.fleet import Fleet
from tests.engines.sim.cases import QUIET, line
from tests.engines.spark.rigs import SETTINGS, Opened, spark_rig
from tests.engines.toy.engine import ToyEngine, ToyJob
from tests.patience import eventually


@dataclass(frozen=True)
class Case:
    """A world with two jobs, how its time passes, and what of the first can be turned: 2 of it, up to 4."""

    world: World
    advance_to: Callable[[float], None]
    unit: str = "*"
    names: tuple[str, str] = ("a", "b")

    def move(self, after: int, before: int = 2, job: str | None = None) -> Slots | Tasks | Executors:
        """Of the first job, if of no other."""
        return thread_move(job or self.names[0], self.unit, before, after)

    def turn(self, after: int) -> str | None:
        """Why it could not be."""
        return self.world.apply([Step(self.names[0], (self.move(after),))]).steps[0].error

    def asked(self) -> float | None:
        """How much of it the first job has, or is to have."""
        self.advance_to(100.0)
        return self._told(self.world.observe(100.0))

    def _told(self, seen: Snapshot) -> float | None:
        unit = seen.jobs[0].operator(self.unit)
        return unit.threads if unit.asked is None else unit.asked


class OfExecutors(Case):
    """Where executors are what moves."""

    def move(self, after: int, before: int = 2, job: str | None = None) -> Executors:
        return Executors(before, after, job=job or self.names[0])

    def _told(self, seen: Snapshot) -> float | None:
        dial = next(dial for dial in seen.levers if dial.job == self.names[0])
        return dial.now if dial.asked is None else dial.asked


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


def fleet() -> Case:
    """Two applications of a tenant each, whose agents report."""
    made = Fleet(SimulatedCluster(8))
    applications = [of_one(name, made.cluster, 100.0, wanted=2) for name in "ba"]

    def advance_to(at_s: float) -> None:
        made.now = at_s
        made.engine.tend()
        made.report(*applications)

    return OfExecutors(made.engine, advance_to)


def on_the_fake() -> Case:
    spark = FakeSpark(slots=8)
    jobs = [fake_job(name, lambda session: session.writer(), slots=2) for name in "ab"]
    engine = SparkEngine(spark, jobs, SparkSettings(window_s=20.0, lease_s=1e9), spark.clocks)
    return Case(engine, lambda at_s: spark.commit_all())


def on_spark(opened: Opened, name: str) -> Case:
    """Queries and pools have names that no other test has."""
    names = (f"{name}_a", f"{name}_b")
    jobs = [Job(one, opened.rig.quick, slots=2) for one in reversed(names)]
    engine = SparkEngine(opened.rig.spark, jobs, SETTINGS, opened.rig.clocks)
    opened.engines.append(engine)

    def advance_to(at_s: float) -> None:
        eventually(lambda: all(job.processed_rps for job in engine.observe(at_s).jobs))

    return Case(engine, advance_to, names=names)


def toy() -> Case:
    jobs = [ToyJob(name, 100.0, 60.0, tasks=2) for name in "ba"]
    return Case(ToyEngine(jobs), lambda at_s: None, "map")


IN_PYTHON = {made.__name__: made for made in (continuous, micro_batch, scale_out, fleet, on_the_fake, toy)}
WORLDS = (*IN_PYTHON, on_spark.__name__)  # the latter by the name that has a test marked for its JVM


@contextmanager
def world_named(name: str, request: pytest.FixtureRequest) -> Iterator[Case]:
    """Made, and not opened yet."""
    if name in IN_PYTHON:
        yield IN_PYTHON[name]()
        return
    with spark_rig(request.getfixturevalue("spark"), request.getfixturevalue("checkpoint")) as opened:
        yield on_spark(opened, request.getfixturevalue("name"))
