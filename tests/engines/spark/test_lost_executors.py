"""An executor that is lost on the fake: who ran on tells of it, and the next loss is foretold by it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from penstock.analysis.assess import assess
from penstock.core.asked.intents import Intent, Latency
from penstock.core.known.outlook import RecoveryForetold
from penstock.core.seen.evidence import Observation
from penstock.core.seen.failures import Failure, FailureKind
from penstock.core.seen.figures import JobFigures, Snapshot
from penstock.engines.lost_executors import Departed
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, fake_job
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.watch.machines import departed_of
from penstock.planning.phoebe.memory import JobMemory
from penstock.planning.phoebe.policy import Phoebe
from penstock.planning.phoebe.settings import PhoebeSettings
from tests.engines.spark.helpers import of

PROFILE = tuple(Observation(executors, 100.0 * executors, None, saturated=True) for executors in (1, 2, 4))
NUMBERS = {"interval_s": 30.0, "bin_s": 30.0, "step_s": 5.0}
POLICY = Phoebe(PhoebeSettings(**NUMBERS, profiles={"ads": PROFILE, "clicks": PROFILE}))  # type: ignore[arg-type]
ASKED = Intent(Latency("20s"), recovery="180s")


class Life:
    """Two jobs on four executors of two slots each, a batch of each every two seconds."""

    def __init__(self, settings: SparkSettings = SparkSettings(20.0)) -> None:
        self.spark = FakeSpark(executors=4)
        jobs = [fake_job(name, lambda spark: spark.writer(), slots=4) for name in ("ads", "clicks")]
        self.engine = SparkEngine(self.spark, jobs, settings, self.spark.clocks)
        self.engine.open()
        self.engine.start(wait=True)
        self.spark.executors.gives = 4
        self.spark.executors.aim(4)
        self.memory = POLICY.start()
        self.foretold: tuple[RecoveryForetold, ...] = ()

    def pass_batches(self, rounds: int, took_s: float = 0.1) -> Snapshot:
        for _ in range(rounds):
            for query in self.spark.queries():
                self.spark.commit(str(query.name), took_s=took_s, busy_s=took_s)
            seen = self.look()
        return seen

    def look(self) -> Snapshot:
        self.engine.tend()
        seen = self.engine.observe(self.spark.now_s)
        plan, self.memory = POLICY.decide(assess(seen, {"ads": ASKED, "clicks": ASKED}), self.memory)
        self.foretold = next((one.by_kind for one in plan.outlooks if one.job == "ads"), self.foretold)
        return seen

    def lose(self, one: str, takes_s: float | None = 9.0) -> Snapshot:
        """One is lost, and another comes after so many seconds, in which batches take three times as long."""
        self.spark.executors.lose(one)
        before_s = self.spark.now_s
        if takes_s is not None:
            while self.spark.now_s < before_s + takes_s - 2.0:
                self.pass_batches(1, took_s=0.3)
            self.spark.pass_time(before_s + takes_s - self.spark.now_s)
            self.spark.executors.there += 1
            self.spark.executors.listed()  # it comes now
            self.spark.pass_time(1.0)
        return self.look()

    def ads(self) -> JobMemory:
        return self.memory.jobs["ads"]


@pytest.fixture
def life() -> Iterator[Life]:
    made = Life()
    yield made
    made.engine.close(stop_jobs=True)


def told(figures: JobFigures) -> tuple[object, ...]:
    return figures.lost, figures.downtime_s, figures.short_s, figures.short_of


def test_a_loss_is_told_to_every_job_that_ran_on_once_as_many_executors_run_again(life: Life) -> None:
    life.pass_batches(10)
    lost_s = life.spark.now_s
    seen = life.lose("1")
    for name in ("ads", "clicks"):
        figures = of(seen, name)
        assert told(figures) == (FailureKind.EXECUTOR, 0.0, pytest.approx(9.0), 1.0)  # four threads on four executors
        assert figures.failed_at_s == pytest.approx(lost_s)
        assert figures.slowed == pytest.approx(4 / 9)  # a third of the pace, by three quarters of the executors


def test_while_none_has_come_nothing_is_claimed(life: Life) -> None:
    life.pass_batches(10)
    assert told(of(life.lose("1", takes_s=None), "ads")) == (FailureKind.EXECUTOR, None, None, None)
    assert life.ads().failures == ()


def test_who_is_let_go_of_was_not_lost() -> None:
    life = Life(SparkSettings(20.0, executors=4))
    life.pass_batches(10)
    life.engine.capacity.hold(3)
    assert told(of(life.pass_batches(5), "ads")) == (None, None, None, None)
    life.engine.capacity.hold(4)
    assert told(of(life.pass_batches(5), "ads")) == (None, None, None, None)


def test_a_query_that_did_not_survive_the_loss_tells_of_its_own_failure(life: Life) -> None:
    life.pass_batches(10)
    life.spark.pass_time(1.0)
    life.spark.executors.lose("1")
    life.look()
    life.spark.pass_time(1.0)
    life.spark.fail("ads", "org.apache.spark.SparkException: Job aborted due to stage failure")
    life.spark.pass_time(5.0)
    life.look()
    life.pass_batches(3)
    life.spark.executors.there += 1
    seen = life.pass_batches(3)
    assert (of(seen, "ads").lost, of(seen, "ads").short_s) == (FailureKind.QUERY, None)
    assert of(seen, "clicks").lost is FailureKind.EXECUTOR


def test_each_loss_is_remembered_though_none_is_a_downtime(life: Life) -> None:
    life.pass_batches(10)
    life.lose("1")
    life.pass_batches(10)
    (first,) = life.ads().failures
    assert first == Failure(FailureKind.EXECUTOR, 0.0, short_s=first.short_s, slowed=first.slowed)
    assert (first.short_s, first.slowed) == pytest.approx((9.0, 4 / 9))
    life.lose("2", takes_s=13.0)
    life.pass_batches(10)
    assert [failure.short_s for failure in life.ads().failures] == pytest.approx([9.0, 13.0])


def test_the_next_loss_is_foretold_by_the_last_and_compared_with_what_it_cost(life: Life) -> None:
    life.pass_batches(40)
    guessed = life.foretold[0]
    assert guessed.lost is FailureKind.EXECUTOR
    assert guessed.seconds >= POLICY.settings.executor_downtime_s
    life.lose("1")
    life.pass_batches(40)
    assert life.foretold[0].seconds < guessed.seconds / 2  # three of four do all that comes
    assert life.ads().misses == ()  # a guess is not compared
    life.lose("2")
    life.pass_batches(20)
    (miss,) = life.ads().misses
    assert miss.kind is FailureKind.EXECUTOR
    assert miss.took_s <= 4.0  # the second batch after it at the latest, though that was told nine seconds later


ENTRY = {"id": "3", "isActive": False, "removeTime": "2026-11-22T08:00:00.125GMT"}


@pytest.mark.parametrize(
    ("reason", "asked"),
    [
        ("Executor killed by driver.", True),
        ("Executor decommission: penstock lets go of it", True),
        ("Executor decommission: spark scale down", True),
        ("Command exited with code 137", False),
        ("worker lost: Not receiving heartbeat for 60 seconds", False),
        ("Container from a bad node, or pre-empted by the scheduler", False),
        ("Executor heartbeat timed out after 120000 ms", False),
    ],
)
def test_spark_says_why_an_executor_is_gone(reason: str, asked: bool) -> None:
    assert departed_of({**ENTRY, "removeReason": reason}) == Departed("3", 1795334400.125, asked)


def test_one_that_runs_has_not_departed() -> None:
    assert departed_of({"id": "3", "isActive": True}) is None


def test_what_was_heard_of_a_loss_is_as_long_ago_after_the_clock_was_set(life: Life) -> None:
    life.pass_batches(10)
    life.lose("1")
    state = life.engine._parts.shared.state
    before = state.named("ads").loss
    assert before is not None
    state.clock_set(3600.0)
    assert state.named("ads").loss == replace(before, since_s=before.since_s + 3600.0)
