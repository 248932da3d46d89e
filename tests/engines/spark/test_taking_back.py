"""A step that fails half-way: what cannot be taken back is said, and what was not done need not be."""

from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Slots, Table, Tasks
from penstock.engines.spark.fake import FakeSpark
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.rigs import Opened, fake_rig, turned


def test_what_cannot_be_taken_back_is_said_with_why(fake: Opened, name: str) -> None:
    running = fake.engine(Job(name, fake.rig.quick, slots=1))
    outcome = turned(running, Slots(name, 99, 2), Tasks(name, "nonsense", 0, 1))
    assert outcome.undone is False
    error = outcome.error or ""
    refused = f"{name}: a weight of 99 is more than 4, which is enough for all slots that it can have"
    assert f"not undone: {name} weight 99 -> 2, because {refused}" in error


def test_a_step_of_which_nothing_was_done_has_nothing_to_take_back(fake: Opened, name: str) -> None:
    outcome = turned(fake.engine(Job(name, fake.rig.quick)), Tasks(name, "nonsense", 0, 1))
    assert (outcome.error is None, outcome.undone) == (False, None)


def test_steps_are_done_and_told_also_where_executors_cannot_follow(name: str) -> None:
    spark = FakeSpark(executors=4)
    with fake_rig(spark) as fake:
        running = fake.engine(Job(name, fake.rig.quick, slots=1), settings=SparkSettings(20.0, executors=4))
        spark.executors.refuses = True
        assert turned(running, Slots(name, 1, 6)).error is None
        deed = running.observe(1.0).deeds[-1]
    assert (deed.text, deed.error) == (
        "executors stay as they are",
        "the cluster manager did not acknowledge the new number of executors",
    )


def test_a_job_without_a_route_refuses_a_re_routing(fake: Opened, name: str) -> None:
    table = RoutingTable(2, {"left": {"r0": 1}})
    assert "with a route" in str(turned(fake.engine(Job(name)), Table(name, name, None, table, 1)).error)
