"""A start that a book refuses is that job's trouble, told wherever one looks; the other jobs' queries go on."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from penstock.calls.recorded import explain, report
from penstock.cli.screen import Screen
from penstock.core.asked.intents import Intent, Juice
from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import Partitions
from penstock.core.plan import Step
from penstock.core.run import RunInfo
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, FakeWriter, fake_job
from penstock.engines.spark.jvm.local_files import LocalFiles
from penstock.engines.spark.settings import SparkSettings
from penstock.loop import LoopSettings
from penstock.planning.baselines.hands_off import HandsOff
from penstock.running.session import Session
from penstock.store.open import open_store
from penstock.web.reading import Reader
from tests.engines.spark.helpers import of
from tests.engines.spark.routing.running_count import PARTITIONS, RunningCount
from tests.patience import patience_s

RUN = RunInfo("town", "town", "nothing", "fake")
INTERVAL_S = 10.0
LOST = "holds no book: the counts would be wrong without its tables. Bring "
MENDED = " back from where it was lost, or begin with a new checkpoint"


@dataclass
class Town:
    """The queries ads and tags; tags begins with the book of its checkpoint only, which can be lost and found."""

    place: Path
    fake: FakeSpark = field(default_factory=FakeSpark)
    engine: SparkEngine = field(init=False)

    def __post_init__(self) -> None:
        self.count = RunningCount(LocalFiles(self.place))
        self.count.feed(["a", "b"])
        self.count.run()
        self.count.reroute(RoutingTable(PARTITIONS, {"left": {"a": 1}}))
        jobs = [fake_job("ads", lambda session: FakeWriter()), fake_job("tags", self._tags)]
        self.engine = SparkEngine(self.fake, jobs, SparkSettings(window_s=20.0, lease_s=1e9), self.fake.clocks)

    def _tags(self, session: FakeSpark) -> FakeWriter:
        self.count.book()
        return session.writer(partitions=PARTITIONS)

    def lose(self) -> None:
        shutil.move(self.place / "routing", self.place / "kept")

    def find(self) -> None:
        shutil.move(self.place / "kept", self.place / "routing")

    def running(self) -> set[str | None]:
        return {query.name for query in self.fake.queries()}

    def pass_time(self, seconds: float) -> None:
        """Queries commit batches, and starts that are under way end."""
        for thread in threading.enumerate():
            if thread.name.startswith("penstock-start-"):
                thread.join(patience_s())
        self.engine.tend()
        self.fake.pass_time(seconds)
        self.fake.commit_all()

    def trouble(self, job: str) -> str:
        self.pass_time(1.0)
        self.engine.tend()
        return of(self.engine.observe(self.fake.now_s), job).trouble or ""


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    made = Town(tmp_path / "tags")
    yield made
    made.engine.close(stop_jobs=True)


@dataclass
class Passing:
    """The fake's time, in which something happens at an instant."""

    town: Town
    happens: dict[float, Callable[[], None]]
    now_s: float = 0.0

    def now(self) -> float:
        return self.now_s

    def wait_until(self, at_s: float) -> bool:
        while self.now_s < at_s:
            self.now_s += 1.0
            self.town.pass_time(1.0)
            self.happens.pop(self.now_s, lambda: None)()
        return True


def governed(town: Town, path: Path, happens: dict[float, Callable[[], None]], until_s: float) -> tuple[str, str, str]:
    """What is said of the run that long: the tenant's trouble on the page, all of `top`, and the story."""
    wanted = {name: Intent(Juice(0.9)) for name in ("ads", "tags")}
    with closing(open_store(path)) as store:
        store.begin(RUN)
        session = Session(lambda: wanted, HandsOff("static"), store, LoopSettings(INTERVAL_S), until_s=until_s)
        session.live_through(town.engine, Passing(town, happens))
        reader, out = Reader(store), StringIO()
        Console(file=out, width=600).print(Screen(store, reader, RUN.id).drawn())
        shown = reader.overview(RUN.id, None, 10).present
    assert shown is not None
    tags = next(tenant for tenant in shown.tenants if tenant.name == "tags")
    return tags.why or "", out.getvalue(), explain(RUN.id, path)


def test_at_the_beginning_of_a_run_it_is_told_on_the_page_in_top_and_in_the_story(town: Town, tmp_path: Path) -> None:
    town.lose()
    page, top, story = governed(town, tmp_path / "runs.sqlite", {}, 60.0)
    assert LOST in page
    assert LOST in top
    assert " tags is in trouble: " in story
    assert LOST in (plain := " ".join(story.split()))
    assert MENDED in plain
    assert "What broke: tags at 0:00:10, not running: " in " ".join(report(RUN.id, tmp_path / "runs.sqlite").sentences)
    assert town.running() == {"ads"}


def test_a_book_that_is_back_after_ten_minutes_is_found_within_two_and_the_trouble_is_told_once(
    town: Town, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    town.lose()
    ran: list[set[str | None]] = []
    happens = {600.0: town.find, 599.0: lambda: ran.append(town.running())}
    _, _, story = governed(town, tmp_path / "runs.sqlite", happens, 740.0)
    assert (ran, town.running()) == ([{"ads"}], {"ads", "tags"})
    assert story.count("tags is in trouble: ") == 1
    assert "or now by `penstock control start tags`" in " ".join(story.split())
    assert [record.levelname for record in caplog.records if "tags could not start" in record.message] == ["WARNING"]


def test_a_book_that_is_back_is_found_at_once_by_who_asks_for_a_start(town: Town) -> None:
    town.engine.open()
    town.lose()
    town.engine.start(wait=True)
    for _ in range(200):
        town.pass_time(1.0)
    town.find()
    town.engine.start_again("tags")
    for _ in range(3):
        town.pass_time(1.0)
    assert town.running() == {"ads", "tags"}


def test_while_it_is_governed_too_and_once_the_book_is_back_the_query_is(town: Town, tmp_path: Path) -> None:
    def dies() -> None:
        town.lose()
        town.fake.fail("tags", "java.io.IOException: disk")

    ran: list[set[str | None]] = []
    happens = {25.0: dies, 34.0: lambda: ran.append(town.running()), 35.0: town.find}
    _, _, story = governed(town, tmp_path / "runs.sqlite", happens, 100.0)
    assert ran == [{"ads"}]
    assert LOST in " ".join(story.split())
    assert "tags is out of trouble" in story
    assert town.running() == {"ads", "tags"}


def test_a_planned_restart_that_it_refuses_is_not_done_and_the_job_is_tried_again(town: Town) -> None:
    town.engine.open()
    town.engine.start(wait=True)
    town.pass_time(1.0)
    town.lose()
    (step,) = town.engine.apply([Step("tags", (Partitions("tags", 3, 4),))]).steps
    assert LOST in (step.error or "")
    assert LOST in town.trouble("tags")
    assert town.trouble("ads") == ""
    town.find()
    for _ in range(10):
        town.pass_time(1.0)
    assert town.running() == {"ads", "tags"}
