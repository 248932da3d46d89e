"""Two drivers on a standalone cluster, an agent in each, and a coordinator: executors go to the one that needs them."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from penstock.core.deeds import Deed
from penstock.engines.applications.cluster import Room
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.engines.spark import standalone
from penstock.store.open import open_store
from tests.governing.two_drivers import NAMES, TwoDrivers
from tests.harness.ports import own_port
from tests.patience import eventually

pytestmark = pytest.mark.cluster

CORES = 4


@dataclass(frozen=True, slots=True)
class Done:
    """What the cluster's master told while executors moved, and where all of it is recorded."""

    began: Room
    ended: Room
    drivers: TwoDrivers

    def executors(self, room: Room) -> list[int]:
        return sorted(room.held.values())


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    place = tmp_path_factory.mktemp("fleet")
    with ExitStack() as stack:
        state = place / "cluster.json"
        cluster = standalone.up(state, workers=2, cores=2, memory="1g", port=own_port())
        stack.callback(standalone.down, state)
        page = StandaloneCluster(eventually(lambda: standalone.page_of(state)))
        drivers = TwoDrivers(place, cluster.master, page, {"standalone": page.url})
        began = stack.enter_context(drivers.begun())
        eventually(lambda: drivers.holds("fraud") == 3)
        ended = drivers.until(1, 3)
        eventually(lambda: _seen(place, "fraud", 3))
        yield Done(began, ended, drivers)


def test_executors_moved_from_the_application_that_could_spare_them(done: Done) -> None:
    assert done.executors(done.began) == done.executors(done.ended) == [1, 3]
    assert {name: cores for name, cores in done.began.held.items() if done.ended.held[name] == cores} == {}
    assert sum(done.ended.held.values()) <= CORES


def test_the_store_of_the_fleet_tells_the_story_that_the_master_tells(done: Done) -> None:
    with closing(open_store(done.drivers.place / "fleet.sqlite", create=False)) as store:
        run = store.read_run("fleet-lab")
    texts = [move.text for record in run.decisions for move in record.decision.moves if move.job == "fraud"]
    assert texts[0].startswith("executors 1 -> ")
    assert any("from clicks to fraud" in record.decision.why for record in run.decisions)
    assert {job.name for job in run.jobs} == {"clicks", "fraud"}


def test_each_driver_tells_in_its_own_record_what_it_was_given(done: Done) -> None:
    # The cluster's master knows of an executor before the driver's next round has told of it.
    eventually(lambda: any(deed.text.startswith("executors 1 -> ") for deed in _deeds(done.drivers.store("fraud"))))
    eventually(lambda: any(deed.text.endswith(" -> 1") for deed in _deeds(done.drivers.store("clicks"))))


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_while_executors_moved(done: Done, name: str) -> None:
    rows = done.drivers.rows(name)
    assert rows == list(range(len(rows)))
    assert rows


def _deeds(store: Path) -> tuple[Deed, ...]:
    with closing(open_store(store, create=False)) as opened:
        (info,) = opened.runs()
        return opened.read_run(info.id).deeds


def _seen(place: Path, name: str, executors: int) -> bool:
    with closing(open_store(place / "fleet.sqlite", create=False)) as store:
        (*_, view) = store.views("fleet-lab")
    return any(job.name == name and job.figures.threads == executors for job in view.jobs)
