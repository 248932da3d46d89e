"""A query whose end nobody told of is found out by asking it."""

from dataclasses import dataclass, field

import pytest

from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, fake_job
from penstock.engines.spark.fake.query import FakeQuery
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.helpers import of


@dataclass
class Town:
    """A job of penstock's and one of somebody else's; events may be lost."""

    spark: FakeSpark = field(default_factory=lambda: FakeSpark(slots=8))

    def __post_init__(self) -> None:
        now = Clocks(lambda: self.spark.now_s, lambda: self.spark.now_s)
        jobs = [fake_job("ours", lambda session: session.writer()), Job("guest")]
        self.engine = SparkEngine(self.spark, jobs, SparkSettings(window_s=20.0, lease_s=1e9), now)
        self.spark.start_foreign("guest")
        self.engine.open()
        self.engine.start(wait=True)
        self.engine.tend()

    def query(self, name: str) -> FakeQuery:
        (found,) = [query for query in self.spark.queries() if query.name == name]
        assert isinstance(found, FakeQuery)
        return found

    def dies_unheard(self, name: str, error: str | None) -> None:
        """Spark's one word of it is lost."""
        self.query(name).ends = lambda query, why: self.spark._queries.remove(query)
        self.query(name)._end(error)

    def minute(self) -> None:
        for _ in range(60):
            self.spark.pass_time(1.0)
            self.engine.tend()


@pytest.mark.parametrize(("error", "told"), [("boom", "its query failed: boom"), (None, "its query was stopped")])
def test_a_query_that_ended_without_a_word_is_told_to_be_over(error: str | None, told: str) -> None:
    town = Town()
    town.dies_unheard("guest", error)
    town.minute()
    trouble = of(town.engine.observe(town.spark.now_s), "guest").trouble
    assert trouble is not None
    assert told in trouble


def test_one_that_died_without_a_word_is_started_again() -> None:
    town = Town()
    before = town.query("ours").runId
    town.dies_unheard("ours", "boom")
    for _ in range(2):
        town.minute()
    assert town.query("ours").runId != before
    deeds = town.engine.observe(town.spark.now_s).deeds
    assert "its query is over" in [deed.text for deed in deeds if deed.job == "ours"]
