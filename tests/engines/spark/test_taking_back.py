"""A step that fails half-way is taken back and says so; a controller that was taken over touches nothing."""

import pytest
from pyspark.sql import SparkSession

from penstock.core.levers import Slots, Tasks
from penstock.core.plan import Step, StepOutcome
from penstock.engines.spark.elastic import Elastic
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.jvm.lock import KEY
from penstock.engines.spark.jvm.pools import FairPools
from penstock.engines.spark.shares import PoolShare
from penstock.errors import EngineError, LeaseLostError
from tests.engines.spark.helpers import quick
from tests.real_spark import OpenEngine


def tried(engine: SparkEngine, job: str, *moves: Slots) -> StepOutcome:
    """What came of moves that end with one that nobody can do."""
    nobody = Tasks(job, "nonsense", 0, 1)
    (outcome,) = engine.apply([Step(job, (*moves, nobody))]).steps
    return outcome


def test_what_was_done_of_a_step_that_fails_is_taken_back(spark: SparkSession, engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, quick, slots=1))
    outcome = tried(running, name, Slots(name, 1, 2))
    assert (outcome.undone, "undone:" in (outcome.error or "")) == (True, True)
    assert FairPools(spark.sparkContext).share(name) == PoolShare(1, 1)


def test_what_cannot_be_taken_back_is_said_with_why(engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, quick, slots=1))
    outcome = tried(running, name, Slots(name, 99, 2))
    assert outcome.undone is False
    error = outcome.error or ""
    assert f"not undone: {name} weight 99 -> 2, because {name}: 99 slots are more than the slots there are, 4" in error


class Refusing:
    """A cluster manager that gives no other number of executors."""

    def count(self) -> int:
        return 1

    def aim(self, wanted: int) -> None:
        raise EngineError("the cluster manager did not acknowledge the new number of executors")

    def let_go(self, count: int) -> None:
        """Nothing ends."""


def test_steps_are_done_and_told_also_where_executors_cannot_follow(engine: OpenEngine, name: str) -> None:
    running = engine(Job(name, quick, slots=1))
    running._elastic = Elastic(Refusing(), most=4)
    (outcome,) = running.apply([Step(name, (Slots(name, 1, 2),))]).steps
    assert outcome.error is None
    (deed,) = running.observe(1.0).deeds
    assert (deed.text, deed.error) == (
        "executors stay as they are",
        "the cluster manager did not acknowledge the new number of executors",
    )


def test_a_step_of_which_nothing_was_done_has_nothing_to_take_back(engine: OpenEngine, name: str) -> None:
    assert tried(engine(Job(name, quick, slots=1)), name).undone is None


def test_a_controller_that_was_taken_over_does_nothing_more_and_says_so(
    spark: SparkSession, engine: OpenEngine, name: str
) -> None:
    running = engine(Job(name, quick, slots=1))
    properties = spark.sparkContext._jvm.java.lang.System.getProperties()  # type: ignore[union-attr]
    key = f"{KEY}.{spark.sparkContext.applicationId}"
    properties.put(key, "another@9999999999.0")
    try:
        outcome = tried(running, name, Slots(name, 1, 2))
        assert (outcome.error, outcome.undone) == (
            "another controller took this application over; this one stops acting",
            None,
        )
        assert FairPools(spark.sparkContext).share(name) == PoolShare(1, 1)
        with pytest.raises(LeaseLostError):
            running.observe(1.0)
    finally:
        properties.remove(key)
