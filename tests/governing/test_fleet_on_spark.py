"""Two drivers on a standalone cluster, an agent in each, and a coordinator: executors go to the one that needs them."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from signal import SIGINT

import pytest
import yaml

from penstock.calls.coordinated import beside
from penstock.config.coordination import CoordinationFile
from penstock.core.deeds import Deed
from penstock.engines.applications.cluster import Room
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.engines.spark import standalone
from penstock.errors import ConfigError
from penstock.governing.coordinated import TOKEN
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.store.open import open_store
from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token
from tests.cli.calling import ROOT, environment
from tests.harness.ports import own_port
from tests.patience import eventually

pytestmark = pytest.mark.cluster

CORES = 4
SETTINGS = {"penstock": {"executors": {"settle_s": 10}}}


@dataclass(frozen=True, slots=True)
class Done:
    """What the cluster's master told while executors moved, and where all of it is recorded."""

    began: Room
    ended: Room
    place: Path

    def executors(self, room: Room) -> list[int]:
        return sorted(room.held.values())


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    """Clicks begins with three executors and needs one, fraud with one and needs more than two."""
    place = tmp_path_factory.mktemp("fleet")
    with ExitStack() as stack:
        state = place / "cluster.json"
        cluster = standalone.up(state, workers=2, cores=2, memory="1g", port=own_port())
        stack.callback(standalone.down, state)
        page = StandaloneCluster(eventually(lambda: standalone.page_of(state)))
        clicks = _tenants(place, "clicks", slots=3, rows_per_second=10, utility=10)
        fraud = _tenants(place, "fraud", slots=1, rows_per_second=110, utility=40)
        coordinator = _coordinator(place, page.url)
        door = stack.enter_context(AgentsDoor(coordinator.hear, lambda: agent_tokens(place / "tokens")).open())
        # Whoever comes first has the executors: the second begins when the first has them, and all else after that.
        for file, held in ((clicks, [3]), (fraud, [1, 3])):
            stack.enter_context(_driver(file, cluster.master, door.url, new_agent_token(place / "tokens", file.stem)))
            began = eventually(partial(_when, page, held))
        stack.enter_context(beside(coordinator))
        eventually(lambda: _held(place, page, "fraud") == 3)
        ended = eventually(partial(_when, page, [1, 3]))
        eventually(lambda: _seen(place, "fraud", 3))
        yield Done(began, ended, place)


def test_executors_moved_from_the_application_that_could_spare_them(done: Done) -> None:
    assert done.executors(done.began) == done.executors(done.ended) == [1, 3]
    assert {name: cores for name, cores in done.began.held.items() if done.ended.held[name] == cores} == {}
    assert sum(done.ended.held.values()) <= CORES


def test_the_store_of_the_fleet_tells_the_story_that_the_master_tells(done: Done) -> None:
    with closing(open_store(done.place / "fleet.sqlite", create=False)) as store:
        run = store.read_run("fleet-lab")
    texts = [move.text for record in run.decisions for move in record.decision.moves if move.job == "fraud"]
    assert texts[0].startswith("executors 1 -> ")
    assert any("from clicks to fraud" in record.decision.why for record in run.decisions)
    assert {job.name for job in run.jobs} == {"clicks", "fraud"}


def test_each_driver_tells_in_its_own_record_what_it_was_given(done: Done) -> None:
    # The cluster's master knows of an executor before the driver's next round has told of it.
    eventually(lambda: any(deed.text.startswith("executors 1 -> ") for deed in _deeds(done.place / "fraud.sqlite")))
    eventually(lambda: any(deed.text.endswith(" -> 1") for deed in _deeds(done.place / "clicks.sqlite")))


def _tenants(place: Path, name: str, slots: int, rows_per_second: int, utility: int) -> Path:
    job = {
        "name": name,
        "job": "tests.governing.tenant_jobs:slow",
        "params": {"rows_per_second": rows_per_second, "row_ms": 20},
        "intent": {"latency": "5s", "utility": utility},
        "slots": slots,
    }
    file = place / f"{name}.yaml"
    conf = {"spark.executor.memory": "512m", "spark.sql.streaming.checkpoint.fileChecksum.enabled": False}
    file.write_text(
        yaml.safe_dump({"name": name, "executors": 3, "interval": "3s", "window": "15s", "conf": conf, "jobs": [job]})
    )
    return file


def _coordinator(place: Path, page: str) -> Coordinator:
    fleet = {"name": "lab", "cluster": {"standalone": page}, "interval": 3, "report": 1, "settings": SETTINGS}
    return Coordinator(CoordinationFile.model_validate(fleet), Coordination(str(place / "fleet.sqlite")))


@contextmanager
def _driver(file: Path, master: str, coordinator: str, token: str) -> Iterator[None]:
    given = [str(file), "--master", master, "--coordinator", coordinator, "--store", str(file.with_suffix(".sqlite"))]
    command = [sys.executable, "-m", "penstock.cli.main", "run", *given]
    with file.with_suffix(".log").open("wb") as said:
        driver = subprocess.Popen(command, cwd=ROOT, env={**environment(), TOKEN: token}, stdout=said, stderr=said)
    try:
        yield
        assert driver.poll() is None, file.with_suffix(".log").read_text()[-3000:]
    finally:
        driver.send_signal(SIGINT)
        try:
            driver.wait(60.0)
        finally:
            driver.kill()


def _when(page: StandaloneCluster, executors: list[int]) -> Room | None:
    room = page.room()
    return room if sorted(room.held.values()) == executors else None


def _held(place: Path, page: StandaloneCluster, name: str) -> int | None:
    """The executors of the application of that driver, as the master has it."""
    store = place / f"{name}.sqlite"
    if not store.exists():
        return None
    with closing(open_store(store, create=False)) as opened:
        try:
            return next((page.room().held.get(run.id) for run in opened.runs()), None)
        except ConfigError:
            return None  # its file is there, and its tables not yet


def _deeds(store: Path) -> tuple[Deed, ...]:
    with closing(open_store(store, create=False)) as opened:
        (info,) = opened.runs()
        return opened.read_run(info.id).deeds


def _seen(place: Path, name: str, executors: int) -> bool:
    with closing(open_store(place / "fleet.sqlite", create=False)) as store:
        (*_, view) = store.views("fleet-lab")
    return any(job.name == name and job.figures.threads == executors for job in view.jobs)
