"""Somebody sets the clock by which Spark begins batches: who would sleep is started again, and ages stay true."""

from dataclasses import dataclass, field

import pytest

from penstock.core.asked.real_time import RealTime
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, fake_job
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.rounds.wall import WallWatch
from penstock.engines.spark.settings import SparkSettings
from tests.engines.spark.helpers import of
from tests.patience import eventually


@dataclass
class Town:
    """Three jobs of penstock's and one of somebody else's; the driver's clock is `ahead_s` of the right one."""

    ahead_s: float = 0.0
    spark: FakeSpark = field(default_factory=lambda: FakeSpark(slots=8))

    def __post_init__(self) -> None:
        jobs = [
            fake_job("at once", lambda session: session.writer(trigger_s=0.0)),
            fake_job("live", lambda session: session.writer(), real_time=RealTime(300.0)),
            fake_job("often", lambda session: session.writer(trigger_s=5.0)),
            Job("guest"),
        ]
        clocks = Clocks(lambda: self.spark.now_s + self.ahead_s, lambda: self.spark.now_s)
        self.engine = SparkEngine(self.spark, jobs, SparkSettings(window_s=20.0, lease_s=1e9), clocks)
        self.spark.start_foreign("guest")
        self.engine.open()
        self.engine.start(wait=True)
        self.engine.tend()
        for _ in range(3):
            self.spark.commit_all()
        self.engine.tend()

    @property
    def runs(self) -> dict[str, str]:
        """Which run of each job's query runs."""
        return {query.name or "": query.runId for query in self.spark.queries()}

    def set_clock(self, ahead_s: float) -> set[str]:
        """Whose query was started again."""
        before, self.ahead_s = self.runs, ahead_s
        for _ in range(2):
            self.spark.pass_time(0.5)
            self.engine.tend()
        after = self.runs
        assert set(after) == set(before)
        return {name for name in after if after[name] != before[name]}

    def deeds(self, job: str | None) -> list[tuple[str, str]]:
        told = self.engine.observe(self.spark.now_s).deeds
        return [(deed.text, deed.why) for deed in told if deed.job == job]


def test_a_query_whose_trigger_would_sleep_for_an_hour_is_started_again_once() -> None:
    town = Town()
    assert town.set_clock(-3600.0) == {"often"}
    assert town.set_clock(-3600.0) == set()
    why = "its next batch would have waited for up to 3,600 s: the driver's clock was set back"
    assert town.deeds("often") == [("its query was started again", why)]
    assert town.deeds(None) == [("what was is reckoned anew", "the driver's clock was set by -3,600 s")]


def test_a_query_that_died_is_started_again_in_time_though_the_clock_was_set_back_meanwhile() -> None:
    town = Town()
    town.spark.fail("at once", "boom")
    town.engine.tend()
    town.ahead_s = -3600.0
    town.spark.pass_time(1.5)  # it is tried again after a second

    def runs() -> bool:
        town.engine.tend()
        return "at once" in town.runs

    eventually(runs)


def test_somebody_elses_query_is_left_alone_and_that_is_said() -> None:
    town = Town()
    town.set_clock(-3600.0)
    assert [text for text, _ in town.deeds("guest")] == ["it is left as it is"]


@pytest.mark.parametrize("ahead_s", [3600.0, -5.0, 1.0])
def test_a_clock_that_is_set_forward_or_back_by_seconds_makes_nobody_sleep(ahead_s: float) -> None:
    assert Town().set_clock(ahead_s) == set()


def test_an_hour_forward_and_back_again_is_an_hour_that_somebody_may_sleep() -> None:
    town = Town()
    town.set_clock(3600.0)
    assert town.set_clock(0.0) == {"often"}


@pytest.mark.parametrize("ahead_s", [3600.0, -3600.0])
def test_what_was_is_as_long_ago_as_before(ahead_s: float) -> None:
    town = Town()
    before = of(town.engine.observe(town.spark.now_s), "live")
    town.set_clock(ahead_s)
    after = of(town.engine.observe(town.spark.now_s), "live")
    assert (before.up_s, after.up_s) == (12.0, 13.0)
    assert after.processed_rps == before.processed_rps is not None


def test_somebodys_query_is_met_again_though_it_began_before_itself() -> None:
    town = Town()
    town.set_clock(-3600.0)
    town.spark.query("guest").stop()
    town.spark.now_s -= 3600.0  # Spark tells the time by the clock that was set
    town.ahead_s += 3600.0
    town.spark.start_foreign("guest")
    town.spark.now_s += 3600.0
    town.ahead_s -= 3600.0
    town.engine.tend()
    assert of(town.engine.observe(town.spark.now_s), "guest").trouble is None


def test_a_look_that_was_interrupted_between_its_clocks_says_nothing() -> None:
    walls, evens = iter([100.0, 160.0, 161.0]), iter([0.0, 0.0, 1.0, 60.0, 61.0, 61.0])
    watch = WallWatch(Clocks(lambda: next(walls), lambda: next(evens)))
    assert [watch.set_by() for _ in range(3)] == [0.0, 0.0, 0.0]
