"""The number of executors where it is a lever of its own: it is asked for, and no round waits for an executor."""

from collections.abc import Iterator

import pytest

from penstock.core.levers import WHOLE, Executors
from penstock.core.seen.deeds import Deed
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jobs.job import Job
from tests.engines.spark.rigs import fake_rig, turned


class Cluster:
    """An application with four executors on a cluster that gives six."""

    def __init__(self, spark: FakeSpark, engine: SparkEngine) -> None:
        self.spark = spark
        self.engine = engine
        self.executors = spark.executors
        self.executors.gives = 6

    def stands(self) -> tuple[float | None, float | None]:
        """How many there are, and how many were asked for and have not come."""
        (dial,) = (dial for dial in self.engine.observe(self.spark.now_s).levers if dial.kind == "executors")
        return dial.now, dial.asked

    def after(self, seconds: float) -> list[Deed]:
        """What is told of executors after so long."""
        self.spark.pass_time(seconds)
        self.engine.tend()
        return [deed for deed in self.engine.observe(self.spark.now_s).deeds if "executors" in deed.text]


@pytest.fixture
def cluster(name: str) -> Iterator[Cluster]:
    spark = FakeSpark(executors=4)
    with fake_rig(spark) as fake:
        yield Cluster(spark, fake.engine(Job(name, fake.rig.quick)))


def test_what_has_not_come_in_a_minute_is_taken_back_and_told(cluster: Cluster) -> None:
    assert turned(cluster.engine, Executors(4, 8)).error is None
    assert cluster.stands() == (6, 8)
    assert cluster.after(59.0) == []
    assert turned(cluster.engine, Executors(6, 8)).error is None  # as a policy may that asks again in each round
    (deed,) = cluster.after(2.0)
    assert (deed.job, deed.text) == (None, "4 executors are asked for as before")
    assert deed.error == (
        "executors 4 -> 8 failed, the target is 4 again: no 8 executors within 60 s; "
        "the cluster may lack free cores or memory"
    )
    assert (cluster.executors.target, cluster.stands()) == (4, (6, None))
    assert cluster.after(100.0) == [deed]


def test_nothing_is_told_of_those_that_come(cluster: Cluster) -> None:
    cluster.executors.gives = 4
    assert turned(cluster.engine, Executors(4, 5)).error is None
    assert (cluster.after(30.0), cluster.stands()) == ([], (4, 5))
    cluster.executors.there = 5
    assert (cluster.after(1.0), cluster.stands()) == ([], (5, None))
    assert (cluster.after(100.0), cluster.executors.target) == ([], 5)


def test_those_that_are_too_many_are_let_go_of_between_rounds(cluster: Cluster) -> None:
    assert turned(cluster.engine, Executors(4, 2)).error is None
    assert (cluster.executors.target, cluster.stands()) == (2, (4, 2))
    assert (cluster.after(1.0), cluster.stands()) == ([], (2, None))


def test_a_number_that_no_cluster_gives_is_refused_at_once(cluster: Cluster) -> None:
    outcome = turned(cluster.engine, Executors(4, 0))
    assert (outcome.step.job, outcome.error) == (WHOLE, "0 executors cannot run a query; ask for at least 1")
    assert cluster.stands() == (4, None)


def test_what_cannot_be_taken_back_now_is_taken_back_later(cluster: Cluster) -> None:
    assert turned(cluster.engine, Executors(4, 8)).error is None
    cluster.executors.refuses = True
    with pytest.raises(Exception, match="executors: the cluster manager did not acknowledge"):
        cluster.after(61.0)
    cluster.executors.refuses = False
    assert [deed.text for deed in cluster.after(1.0)] == ["4 executors are asked for as before"]
