"""Two applications with real drivers, an agent in each, and a coordinator: what tests on each cluster manager share.

Clicks begins with three executors and needs one, fraud with one and needs more than two; there is room for four.
"""

import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from fleet_driver import begin_driver, end_driver

from penstock.calls.coordinated import beside
from penstock.config.coordination import CoordinationFile
from penstock.core.run import Run
from penstock.core.seen.view import View
from penstock.engines.applications.cluster import Cluster, Room
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.errors import ConfigError, OutageError
from penstock.governing.coordinated import TOKEN
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.local.spark import standalone
from penstock.local.spark.standalone import StartedCluster
from penstock.store.open import open_store
from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token
from tests.cli.calling import environment
from tests.harness.ports import own_port
from tests.patience import eventually

NAMES = ("clicks", "fraud")
CORES = 4
RUN = "fleet-lab"  # the coordinator's, in its store
MOST = 3  # executors of one application
_SETTINGS = {"penstock": {"executors": {"settle_s": 10}}}


@dataclass(frozen=True)
class TwoDrivers:
    """Where they run; `fleet` is the cluster in the coordinator's file, `around` and `conf` are what drivers need."""

    place: Path
    master: str
    cluster: Cluster
    fleet: Mapping[str, Any]
    around: Mapping[str, str] = field(default_factory=dict)
    conf: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _tenants(self, "clicks", slots=3, rows_per_second=10, utility=10)
        _tenants(self, "fraud", slots=1, rows_per_second=110, utility=40)

    @property
    def tokens(self) -> Path:
        """The hashes of agents' tokens."""
        return self.place / "tokens"

    def governed(self, **more: Any) -> dict[str, Any]:
        """What the coordinator's file says."""
        return {"name": "lab", "cluster": self.fleet, "interval": 3, "report": 1, "settings": _SETTINGS, **more}

    @contextmanager
    def coordinator(self) -> Iterator[tuple[AgentsDoor, Coordinator]]:
        """Its door is open, and it does not govern yet."""
        how = Coordination(str(self.place / "fleet.sqlite"))
        coordinator = Coordinator(CoordinationFile.model_validate(self.governed()), how)
        with AgentsDoor(coordinator.hear, lambda: agent_tokens(self.tokens)).open() as door:
            yield door, coordinator

    @contextmanager
    def driver(self, name: str, *coordinators: str) -> "Iterator[subprocess.Popen[bytes]]":
        """It runs until the block ends, and must not have ended before, unless by a test that waited for that."""
        given = [str(self.place / f"{name}.yaml"), "--master", self.master, "--coordinator", ",".join(coordinators)]
        token = {TOKEN: new_agent_token(self.tokens, name)}
        driver = begin_driver(
            [*given, "--store", str(self.store(name))],
            {**environment(), **self.around, **token},
            self.place / f"{name}.log",
        )
        try:
            yield driver
            assert driver.returncode is not None or driver.poll() is None, self.said(name)
        finally:
            assert end_driver(driver), f"{name} did not end: {self.said(name)}"

    @contextmanager
    def begun(self) -> Iterator[Room]:
        """Whoever comes first has the executors: the second when the first has them, all else after that."""
        with self.coordinator() as (door, coordinator), self.driver("clicks", door.url):
            self.until(3)
            with self.driver("fraud", door.url):
                room = self.until(1, 3)
                with beside(coordinator):
                    yield room

    def until(self, *held: int) -> Room:
        """What the cluster manager says once applications hold so many executors, the fewest first."""
        return eventually(lambda: _when(self.room(), list(held)))

    def room(self) -> Room | None:
        """What the cluster manager says; None while it says nothing."""
        try:
            return self.cluster.room()
        except OutageError:
            return None

    def holds(self, name: str) -> int | None:
        """The executors of that driver's application, as the cluster manager has it."""
        room = self.room()
        if room is None or not self.store(name).exists():
            return None
        with closing(open_store(self.store(name), create=False)) as store:
            try:
                return next((room.held[run.id] for run in store.runs() if run.id in room.held), None)
            except ConfigError:
                return None  # its file is there, and its tables not yet

    def needs(self, name: str, slots: float) -> None:
        """From now on what comes for that application keeps so many slots busy; on this machine only."""
        rate = {"clicks": 10, "fraud": 110}[name]
        whole = self.place / name / "row_ms.new"
        whole.write_text(str(1000.0 * slots / rate))
        whole.replace(self.place / name / "row_ms")

    def store(self, name: str) -> Path:
        """Where the driver records."""
        return self.place / f"{name}.sqlite"

    def story(self, store: str | Path | None = None) -> Run:
        """What the coordinator's store tells, there or beside the drivers."""
        with closing(open_store(store or self.place / "fleet.sqlite", create=False)) as opened:
            return opened.read_run(RUN)

    def views(self) -> list[View]:
        """The rounds that the coordinator has recorded, beside the drivers."""
        with closing(open_store(self.place / "fleet.sqlite", create=False)) as opened:
            return list(opened.views(RUN))

    def said(self, name: str) -> str:
        """The end of what the driver said."""
        return (self.place / f"{name}.log").read_text()[-3000:]

    def rows(self, name: str) -> list[int]:
        """All that the application has written in batches that are over, in order; its source counts from 0."""
        own = self.place / name
        over = [int(commit.name) for commit in (own / "checkpoint" / "commits").glob("*") if commit.name.isdigit()]
        batches = (own / "out" / f"batch={number}" for number in range(max(over, default=-1) + 1))
        parts = (part for batch in batches for part in batch.glob("part-*"))
        return sorted(int(line) for part in parts for line in part.read_text().split())

    def rows_by_now(self, name: str) -> list[int]:
        """The same, once there are any: executors may come before its first batch is over."""
        return eventually(lambda: self.rows(name))

    def written(self) -> dict[str, int]:
        """How many rows each has."""
        return {name: len(self.rows(name)) for name in NAMES}

    def go_on(self) -> None:
        """Wait until each has written more than now."""
        before = self.written()
        eventually(lambda: all(len(self.rows(name)) > before[name] for name in NAMES))


@contextmanager
def on_standalone(place: Path) -> Iterator[tuple[TwoDrivers, StartedCluster]]:
    """Drivers yet to begin, on a standalone cluster of two workers that is up until the block ends."""
    state = place / "cluster.json"
    started = standalone.up(state, workers=2, cores=CORES // 2, memory="1g", port=own_port())
    try:
        page = StandaloneCluster(eventually(lambda: standalone.page_of(state)))
        yield TwoDrivers(place, started.master, page, {"standalone": page.url}), started
    finally:
        standalone.down(state)


def check_moved(began: Room, moved: Room) -> None:
    """Executors went from the one that had three to the other one, and there are no more than before."""
    assert sorted(began.held.values()) == sorted(moved.held.values()) == [1, 3]
    assert {name: cores for name, cores in began.held.items() if moved.held[name] == cores} == {}


def check_story(run: Run, **last: int) -> None:
    """The store tells of that move as the cluster manager does, and of the last that each was to have."""
    assert asked_last(run) == last
    # By what both claim, or lent before fraud's first batch has ended.
    told = ("from clicks to fraud", "to fraud, whose first batches have not ended, some lent by clicks")
    assert any(words in record.decision.why for record in run.decisions for words in told)


def asked_last(run: Run) -> dict[str, int]:
    """The executors that each was to have, by the last decision about it."""
    moves = (move for record in run.decisions for move in record.decision.moves)
    return {move.job: int(move.text.split()[-1]) for move in moves}


def check_budget(views: Iterable[View]) -> None:
    """In each round all were to hold no more together than there is, and nobody more than it may."""
    rounds = 0
    for view in views:
        wanted = [dial.now if dial.asked is None else dial.asked for dial in view.levers]
        assert all(executors is not None and executors <= MOST for executors in wanted)
        assert sum(filter(None, wanted)) <= CORES
        rounds += 1
    assert rounds


def check_rows(rows: list[int]) -> None:
    """Each was written once."""
    assert rows == list(range(len(rows)))
    assert rows


def _tenants(site: TwoDrivers, name: str, slots: int, rows_per_second: int, utility: int) -> None:
    place = site.place / name
    place.mkdir()
    job = {
        "name": name,
        "job": "tests.governing.tenant_jobs:kept",
        "params": {"rows_per_second": rows_per_second, "row_ms": 20, "place": str(place)},
        "intent": {"latency": "5s", "utility": utility},
        "slots": slots,
    }
    conf = {"spark.executor.memory": "512m", "spark.sql.streaming.checkpoint.fileChecksum.enabled": False, **site.conf}
    said = {"name": name, "executors": MOST, "interval": "3s", "window": "15s", "conf": conf, "jobs": [job]}
    (site.place / f"{name}.yaml").write_text(yaml.safe_dump(said))


def _when(room: Room | None, held: list[int]) -> Room | None:
    return room if room is not None and sorted(room.held.values()) == held else None
