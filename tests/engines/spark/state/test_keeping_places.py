"""State partitions of routed jobs go back after the batch that moved them; a dry run only looks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import pytest

from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, FakeWriter
from penstock.engines.spark.jobs.job import Job, JobFunction
from penstock.engines.spark.port import Route
from penstock.engines.spark.routing.damage import DamagedError
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.watch.machines import Executor
from penstock.errors import told

STAGES = (("Scan", 3), ("StateStoreSave", 3), ("StateStoreSave", 3))
SENT = "state partitions sent to their executors"


@dataclass
class TagsRoute:
    """A route that only remembers where its partitions are."""

    loads: tuple[float, ...] = ()
    told: None = None
    placements: tuple[()] = ()
    homes: dict[int, str] = field(default_factory=dict)

    def housed(self, homes: Mapping[int, Executor]) -> None:
        self.homes = {partition: home.id for partition, home in homes.items()}

    def add(self, batch: object) -> None:
        """It counts no pairs."""

    def close_window(self, wall_s: float, key_bytes: float | None) -> None:
        """So no window ends."""


@dataclass
class Cluster:
    """Three executors, and a routed job on them."""

    fake: FakeSpark
    route: TagsRoute
    engine: SparkEngine

    def batch(self) -> list[str]:
        """One is committed and looked at; the deeds so far."""
        self.fake.commit("tags")
        self.engine.tend()
        return [deed.text for deed in self.engine.observe(self.fake.now_s).deeds]

    def ran(self) -> list[str]:
        """Where the last batch's tasks ran, partition by partition of one operator after the other."""
        query = self.fake.query("tags")
        return [task.executor for task in self.fake.places.ran(query, query.committed[-1]) or ()]


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Cluster:
    fake, route = FakeSpark(executors=3), TagsRoute()
    fake.executors.aim(3)
    fake.routes["tags"] = cast(Route, route)
    made = cast(JobFunction, lambda session: FakeWriter(partitions=3, stages=STAGES))
    pins = getattr(request, "param", True)
    engine = SparkEngine(fake, [Job("tags", made)], SparkSettings(pin_routes=pins, lease_s=3600.0), fake.clocks)
    engine.open()
    engine.start(wait=True)
    return Cluster(fake, route, engine)


def test_from_the_second_batch_on_equal_partitions_are_neighbours(cluster: Cluster) -> None:
    assert cluster.batch() == [f"3 {SENT}"]
    assert cluster.ran() == ["0", "1", "2", "1", "2", "0"]
    assert cluster.route.homes == {}  # its operators had each partition elsewhere
    cluster.batch()
    assert cluster.ran() == ["0", "1", "2"] * 2
    assert cluster.route.homes == {0: "0", 1: "1", 2: "2"}


def test_what_ran_elsewhere_in_one_batch_is_back_in_the_next(cluster: Cluster) -> None:
    cluster.batch()
    cluster.fake.places.busy = {"1"}
    assert cluster.batch() == [f"3 {SENT}", f"1 {SENT}"]
    cluster.batch()
    assert cluster.ran() == ["0", "1", "2"] * 2


def test_the_share_of_tasks_astray_is_told_with_what_was_sent(cluster: Cluster) -> None:
    for _ in range(9):
        cluster.batch()
    cluster.fake.places.busy = {"1"}
    cluster.batch()
    why = cluster.engine.observe(cluster.fake.now_s).deeds[-1].why
    assert why.endswith("; 4% of the last batches' tasks ran elsewhere")  # 2 of 9 batches of 6: the first placed them


def test_without_a_batch_nothing_is_asked_or_sent(cluster: Cluster) -> None:
    cluster.batch()
    ran, asked = cluster.fake.places.ran, []
    cluster.fake.places.ran = lambda query, batch: asked.append(batch) or ran(query, batch)  # type: ignore[method-assign,func-returns-value]
    for _ in range(5):
        cluster.fake.pass_time(60.0)
        cluster.engine.tend()
        cluster.engine.observe(cluster.fake.now_s)
    assert asked == []


@pytest.mark.parametrize("cluster", [False], indirect=True)
def test_a_dry_run_sees_places_and_moves_nothing(cluster: Cluster) -> None:
    assert [cluster.batch(), cluster.batch()] == [[], []]
    assert cluster.ran() == ["0", "1", "2", "1", "2", "0"]


def test_an_executor_that_is_lost_leaves_its_partitions_to_the_others(cluster: Cluster) -> None:
    cluster.batch()
    cluster.fake.executors.lose("2")
    cluster.batch()
    cluster.batch()
    assert set(cluster.ran()) == {"0", "1"}
    assert cluster.ran()[:3] == cluster.ran()[3:]


@dataclass
class BookRoute(TagsRoute):
    """A route whose book is read where windows end and partitions are placed, and may be no book any more."""

    fault: Exception | None = None
    ended: int = 0

    def housed(self, homes: Mapping[int, Executor]) -> None:
        self._read()
        super().housed(homes)

    def close_window(self, wall_s: float, key_bytes: float | None) -> None:
        self._read()
        self.ended += 1

    def _read(self) -> None:
        if self.fault is not None:
            raise self.fault


@pytest.mark.parametrize(
    "fault",
    [DamagedError("changes/000001.json is damaged"), IndexError("no change"), PermissionError(13, "denied", "/book")],
    ids=lambda fault: type(fault).__name__,
)
def test_a_book_that_cannot_be_read_while_governing_is_told_of_its_job_and_the_other_jobs_are_looked_after(
    fault: Exception,
) -> None:
    fake, broken, whole = FakeSpark(executors=3), BookRoute(fault=fault), BookRoute()
    fake.executors.aim(3)
    fake.routes |= {"ads": cast(Route, broken), "tags": cast(Route, whole)}
    made = cast(JobFunction, lambda session: FakeWriter(partitions=3, stages=STAGES))
    jobs = [Job("ads", made), Job("tags", made)]
    engine = SparkEngine(fake, jobs, SparkSettings(pin_routes=True, lease_s=3600.0), fake.clocks)
    engine.open()
    engine.start(wait=True)
    for _ in range(2):
        for job in ("ads", "tags"):
            fake.commit(job)
        engine.tend()
    deeds = engine.observe(fake.now_s).deeds
    assert (whole.ended, whole.homes) == (2, {0: "0", 1: "1", 2: "2"})
    assert {deed.text for deed in deeds if deed.job == "ads" and deed.error == told(fault)} >= {
        "its window of key pairs was to end"
    }
    assert [deed.error for deed in deeds if deed.job != "ads"] == [None] * sum(deed.job != "ads" for deed in deeds)
