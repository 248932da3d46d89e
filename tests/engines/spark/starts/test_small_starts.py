"""Jobs for which much waits begin with small batches, on the fake."""

from collections.abc import Iterator

import pytest

from penstock.core.levers import BatchBound, Dial
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, FakeWriter
from penstock.engines.spark.fake.writer import fake_job
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.watch.stages import StageReading
from tests.engines.spark.helpers import of
from tests.engines.spark.rigs import FakeRig, Opened, turned

SETTINGS = SparkSettings(window_s=20.0, lease_s=3600.0, small_first=frozenset({"a"}))
WAITING = 100_000
ROW_S = 1e-3  # of a slot


@pytest.fixture
def fake() -> FakeSpark:
    return FakeSpark(slots=4)


@pytest.fixture
def opened(fake: FakeSpark) -> Iterator[Opened]:
    made = Opened(FakeRig(fake))
    yield made
    made.close()


def job(name: str = "a", **fields: object) -> Job:
    return fake_job(name, lambda fake: FakeWriter(), **fields)


def tended(engine: SparkEngine, fake: FakeSpark) -> None:
    """Once Spark has told of the stages."""
    fake.now_s += 1.0
    engine.tend()


def bound_of(engine: SparkEngine, fake: FakeSpark) -> Dial | None:
    """As a policy sees it."""
    figures = of(engine.observe(fake.now_s), "a")
    return next((dial for dial in figures.levers if dial.kind == "bound"), None)


def deeds(engine: SparkEngine, fake: FakeSpark) -> list[str]:
    return [deed.text for deed in engine.observe(fake.now_s).deeds if "batch" in deed.text]


def test_batches_grow_until_nothing_waits_and_then_are_as_the_options_say(opened: Opened, fake: FakeSpark) -> None:
    engine, bounds, left = opened.engine(job(), settings=SETTINGS), [], WAITING
    for _ in range(7):
        bounds.append(fake.query("a").bound)
        taken = min(left, fake.query("a").bound or left)
        fake.commit("a", rows=left, took_s=30.0, busy_s=ROW_S * taken)  # others have most of the slots
        left -= taken
        dial = bound_of(engine, fake)
        assert dial is not None
        assert dial.now is None  # what it comes to is what a policy judges
        tended(engine, fake)
    assert bounds == [4_000, 16_000, 32_000, 32_000, 40_000, 40_000, 40_000]
    assert (left, fake.query("a").bound) == (0, None)
    assert deeds(engine, fake) == [
        "began with a small batch; each is larger than the one before",
        "batches as its options say",
    ]


def test_a_batch_tells_before_the_next_round(opened: Opened, fake: FakeSpark) -> None:
    engine = opened.engine(job(), settings=SETTINGS)
    fake.commit("a", rows=WAITING, busy_s=4.0)
    engine.tend()  # its stages are not told of yet
    assert fake.query("a").bound == 4_000
    tended(engine, fake)
    assert fake.query("a").bound == 16_000


def test_a_round_reads_stages_once_whoever_begins_small(
    opened: Opened, fake: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, read = opened.engine(job(), settings=SETTINGS), fake.stages.read
    fake.commit("a", rows=WAITING, busy_s=4.0)
    fake.now_s += 1.0
    readings: list[int] = []

    def counted() -> list[StageReading]:
        readings.append(len(found := read()))
        return found

    monkeypatch.setattr(fake.stages, "read", counted)
    engine.observe(fake.now_s)
    assert readings == [1]


def test_where_nothing_waits_nothing_is_said(opened: Opened, fake: FakeSpark) -> None:
    engine = opened.engine(job(), settings=SETTINGS)
    for _ in range(3):
        assert fake.query("a").bound == 4_000
        fake.commit("a", rows=100)
        tended(engine, fake)
    assert fake.query("a").bound is None
    assert deeds(engine, fake) == []


def test_what_comes_while_the_first_one_is_under_way_is_taken_bit_by_bit(opened: Opened, fake: FakeSpark) -> None:
    engine = opened.engine(job(), settings=SETTINGS)
    fake.commit("a", rows=100)
    tended(engine, fake)
    fake.commit("a", rows=WAITING, busy_s=4.0)
    tended(engine, fake)
    assert fake.query("a").bound == 16_000


def test_what_a_policy_sets_meanwhile_stays(opened: Opened, fake: FakeSpark) -> None:
    engine = opened.engine(job(), settings=SETTINGS)
    fake.commit("a", rows=WAITING)
    assert bound_of(engine, fake) is not None
    assert turned(engine, BatchBound("a", None, 500)).error is None
    for _ in range(3):
        fake.commit("a", rows=WAITING)
        tended(engine, fake)
    assert fake.query("a").bound == 500
    found = bound_of(engine, fake)
    assert found is not None
    assert found.now == 500


def test_a_query_that_was_bounded_is_so_from_its_next_first_batch_on(opened: Opened, fake: FakeSpark) -> None:
    engine = opened.engine(job(), settings=SETTINGS)
    fake.commit("a", rows=100)
    assert bound_of(engine, fake) is not None
    assert turned(engine, BatchBound("a", None, 500)).error is None
    fake.query("a").stop()
    assert fake.start_foreign("a").bound == 500


@pytest.mark.parametrize(
    ("started", "settings", "bound"),
    [
        pytest.param(job(max_rows_per_batch=700), SETTINGS, 700, id="its options bound it"),
        pytest.param(job(), SparkSettings(lease_s=3600.0), None, id="nobody asked for it"),
        pytest.param(fake_job("a", lambda fake: FakeWriter(unboundable="a socket")), SETTINGS, None, id="cannot be"),
    ],
)
def test_others_are_left_as_they_are(
    opened: Opened, fake: FakeSpark, started: Job, settings: SparkSettings, bound: int | None
) -> None:
    engine = opened.engine(started, settings=settings)
    assert fake.query("a").bound == bound
    fake.commit("a", rows=WAITING)
    tended(engine, fake)
    assert fake.query("a").bound == bound
    assert deeds(engine, fake) == []


def test_a_bound_that_is_given_back_is_loosened_batch_by_batch(opened: Opened, fake: FakeSpark) -> None:
    engine, bounds = opened.engine(job(), settings=SETTINGS), []
    fake.commit("a", rows=WAITING)
    for move in (BatchBound("a", None, 500), BatchBound("a", 500, None)):
        assert turned(engine, move).error is None
    for _ in range(3):
        bounds.append(fake.query("a").bound)
        fake.commit("a", rows=WAITING, busy_s=1.0)
        tended(engine, fake)
    assert bounds == [500, 8_000, 128_000]
    dial = bound_of(engine, fake)
    assert dial is not None
    assert dial.now is None


def test_a_run_begins_small_though_the_one_before_was_given_its_bound_back(opened: Opened, fake: FakeSpark) -> None:
    engine = opened.engine(job(), settings=SETTINGS)
    fake.commit("a", rows=WAITING)
    for move in (BatchBound("a", None, 500), BatchBound("a", 500, None)):
        assert turned(engine, move).error is None
    fake.query("a").stop()
    fake.start_foreign("a")
    engine.observe(fake.now_s)
    tended(engine, fake)
    assert fake.query("a").bound == 4_000
