"""Two drivers on a standalone cluster, an agent in each, and a coordinator: executors go to the one that needs them."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from penstock.core.seen.deeds import Deed
from penstock.engines.applications.cluster import Room
from penstock.store.open import open_store
from tests.governing.two_drivers import (
    CORES,
    NAMES,
    TwoDrivers,
    check_budget,
    check_moved,
    check_rows,
    check_story,
    on_standalone,
)
from tests.patience import eventually

pytestmark = pytest.mark.cluster


@dataclass(frozen=True, slots=True)
class Done:
    """What the cluster's master told while executors moved, and where all of it is recorded."""

    began: Room
    ended: Room
    drivers: TwoDrivers


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    with ExitStack() as stack:
        drivers, _ = stack.enter_context(on_standalone(tmp_path_factory.mktemp("fleet")))
        began = stack.enter_context(drivers.begun())
        eventually(lambda: drivers.holds("fraud") == 3)
        ended = drivers.until(1, 3)
        eventually(lambda: _seen(drivers.place, "fraud", 3))
        yield Done(began, ended, drivers)


def test_executors_moved_from_the_application_that_could_spare_them(done: Done) -> None:
    check_moved(done.began, done.ended)
    assert sum(done.ended.held.values()) <= CORES


def test_the_store_of_the_fleet_tells_the_story_that_the_master_tells(done: Done) -> None:
    run = done.drivers.story()
    check_story(run, clicks=1, fraud=3)
    assert {job.name for job in run.jobs} == {"clicks", "fraud"}


def test_each_driver_tells_in_its_own_record_what_it_was_given(done: Done) -> None:
    # The cluster's master knows of an executor before the driver's next round has told of it.
    eventually(lambda: any(deed.text.startswith("executors 1 -> ") for deed in _deeds(done.drivers.store("fraud"))))
    eventually(lambda: any(deed.text.endswith(" -> 1") for deed in _deeds(done.drivers.store("clicks"))))


def test_what_all_were_to_hold_added_up_and_was_within_limits(done: Done) -> None:
    check_budget(done.drivers.views())


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_while_executors_moved(done: Done, name: str) -> None:
    check_rows(done.drivers.rows_by_now(name))


def _deeds(store: Path) -> tuple[Deed, ...]:
    with closing(open_store(store, create=False)) as opened:
        (info,) = opened.runs()
        return opened.read_run(info.id).deeds


def _seen(place: Path, name: str, executors: int) -> bool:
    with closing(open_store(place / "fleet.sqlite", create=False)) as store:
        (*_, view) = store.views("fleet-lab")
    return any(job.name == name and job.figures.threads == executors for job in view.jobs)
