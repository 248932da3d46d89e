"""A controller that is taken over in the midst of a planned restart starts nothing: that is left to the next one."""

import pytest

from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Move, Partitions, Table, Trigger
from penstock.engines.spark.fake import FakeSpark, FakeWriter, fake_job
from penstock.engines.spark.fake.query import FakeQuery
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.port import Route
from penstock.errors import LeaseLostError
from tests.engines.spark.rigs import FakeRig, Opened, turned
from tests.governing.spoilt import TownRoute

TABLE = RoutingTable(2, {"left": {"Asia": 0}})
RESTARTS: dict[str, Move] = {
    "a trigger's": Trigger("ads", 3600.0, 5.0),
    "a state's": Partitions("ads", 2, 3),
    "a table's": Table("ads", "tags", TABLE, TABLE, 1),
}


class RestartingRoute(TownRoute):
    """One whose operators keep state without windows."""

    def __init__(self, spark: "Asleep", job: Job) -> None:
        self._spark = spark
        self._job = job

    def carry_out(self, move: Table, query: Query, wall_s: float) -> Query:
        query.stop()
        return self._spark.start(self._job)


class Asleep(FakeSpark):
    """Once it has stopped a query, the controller is stopped itself for so long that another one takes over."""

    def route(self, job: Job, window_s: float, memory_s: float, since_s: float) -> Route | None:
        return RestartingRoute(self, job)

    def _ended(self, query: FakeQuery, error: str | None) -> None:
        super()._ended(query, error)
        self.taken_over()


@pytest.mark.parametrize("restart", RESTARTS)
def test_who_is_taken_over_between_a_querys_stop_and_its_start_leaves_the_start_to_the_next_one(restart: str) -> None:
    spark = Asleep()
    opened = Opened(FakeRig(spark))
    running = opened.engine(fake_job("ads", lambda session: FakeWriter(3600.0, partitions=2)))
    outcome = turned(running, RESTARTS[restart])
    assert (outcome.error, list(spark.queries())) == (
        "another controller took this application over; this one stops acting",
        [],
    )
    with pytest.raises(LeaseLostError):
        running.tend()
