"""A planned restart whose tenant's function takes its time goes on beside the rounds."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Event

import pytest

from penstock.core.levers import Trigger
from penstock.core.seen.deeds import Deed
from penstock.core.seen.figures import JobFigures
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, FakeWriter, fake_job
from tests.engines.spark.helpers import of
from tests.engines.spark.rigs import SETTINGS, turned
from tests.patience import eventually, patience_s
from tests.real_spark import patient_restarts

AGAIN = Trigger("ads", 3600.0, 5.0)


@dataclass
class Sleepy:
    """The function of ads sleeps in its second call, and fails then where there is an error; rounds wait no longer."""

    error: str = ""
    spark: FakeSpark = field(default_factory=FakeSpark)
    wakes: Event = field(default_factory=Event)
    calls: int = 0
    waited_s: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        clocks = replace(self.spark.clocks, pause=self._pause)
        jobs = fake_job("ads", self._function), fake_job("fraud", lambda session: FakeWriter())
        self.engine = SparkEngine(self.spark, jobs, SETTINGS, clocks)
        self.engine.open()
        self.engine.start(wait=True)

    def _pause(self, over: Event, seconds: float) -> bool:
        self.waited_s.append(seconds)
        self.spark.pass_time(seconds)
        return over.is_set()

    def _function(self, session: FakeSpark) -> FakeWriter:
        self.calls += 1
        if self.calls == 2:
            assert self.wakes.wait(patience_s())
            if self.error:
                raise ValueError(self.error)
        return FakeWriter(3600.0)

    def seen(self, job: str) -> JobFigures:
        """In a round, after some upkeep."""
        self.engine.tend()
        return of(self.engine.observe(self.spark.now_s), job)

    def awake(self) -> Deed:
        """What is told of ads' restart once its function has woken up."""
        self.wakes.set()

        def told() -> Deed | None:
            self.engine.tend()
            deeds = self.engine.observe(self.spark.now_s).deeds
            return next((deed for deed in deeds if deed.job == "ads"), None)

        return eventually(told)


@pytest.fixture
def sleepy() -> Iterator[Sleepy]:
    made = Sleepy()
    yield made
    made.wakes.set()


def test_a_function_that_sleeps_for_a_minute_in_a_planned_restart_holds_up_a_round_for_ten_seconds(
    sleepy: Sleepy,
) -> None:
    assert turned(sleepy.engine, AGAIN).error is None
    assert sleepy.waited_s == [10.0]
    sleepy.spark.pass_time(50.0)
    for _ in range(2):
        sleepy.spark.commit("fraud")
    assert sleepy.seen("fraud").processed_rps is not None
    ads = sleepy.seen("ads")
    assert (ads.trouble, ads.settling) == (
        "its planned restart has taken 62 s so far: its batch or function has not returned",
        False,  # so that nobody waits for it for ever
    )
    assert "its query is being started" in str(turned(sleepy.engine, Trigger("ads", 3600.0, 7.0)).error)
    assert sleepy.awake().text == "its query was started again"
    assert [job.trigger_s for job in sleepy.engine.jobs] == [5.0, None]
    assert sleepy.seen("ads").trouble is None


def test_what_does_not_start_as_changed_after_a_while_runs_as_it_was_and_that_is_told() -> None:
    sleepy = Sleepy("no such topic")
    assert turned(sleepy.engine, AGAIN).error is None
    deed = sleepy.awake()
    assert (deed.text, deed.error) == ("its query runs as it was", "ads: it continues unchanged; no such topic")
    assert [query.name for query in sleepy.spark.queries()] == ["fraud", "ads"]
    assert [job.trigger_s for job in sleepy.engine.jobs] == [None, None]


def test_a_real_application_in_this_process_lengthens_no_round_of_a_fake(monkeypatch: pytest.MonkeyPatch) -> None:
    patient_restarts(monkeypatch)
    sleepy = Sleepy()
    assert turned(sleepy.engine, AGAIN).error is None
    assert sleepy.waited_s == [10.0]
    assert sleepy.awake().text == "its query was started again"
