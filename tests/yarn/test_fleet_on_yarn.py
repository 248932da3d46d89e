"""Two applications on a real YARN, and a coordinator: who needs executors has them, and YARN tells the same story."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from penstock.engines.applications.cluster import Room
from tests.governing.two_drivers import NAMES, TwoDrivers, check_budget, check_moved, check_rows, check_story
from tests.patience import eventually
from tests.yarn.drivers import on_yarn
from tests.yarn.real import QUEUE, RealYarn

pytestmark = pytest.mark.yarn


@dataclass(frozen=True, slots=True)
class Done:
    """What YARN told before and after executors moved, and once the queue may have two thirds of what it had."""

    began: Room
    moved: Room
    lowered: Room
    drivers: TwoDrivers


@pytest.fixture(scope="module")
def done(yarn: RealYarn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    with ExitStack() as stack:
        drivers = on_yarn(yarn, tmp_path_factory.mktemp("fleet"))
        began = stack.enter_context(drivers.begun())
        eventually(lambda: drivers.holds("fraud") == 3)
        moved = drivers.until(1, 3)
        stack.enter_context(yarn.lowered(QUEUE, percent=67))
        yield Done(began, moved, drivers.until(1, 1), drivers)


def test_executors_moved_to_the_application_that_needs_them(done: Done) -> None:
    check_moved(done.began, done.moved)


def test_masters_of_applications_are_not_counted_with_their_executors(done: Done) -> None:
    assert (done.moved.used, sum(worker.free_cores for worker in done.moved.workers)) == (2, 0)


def test_in_a_queue_that_may_have_less_than_it_has_each_keeps_its_least(done: Done) -> None:
    assert done.lowered.held.keys() == done.moved.held.keys()
    assert done.lowered.cores_for(set(done.lowered.held)) == 2


def test_the_store_of_the_fleet_tells_the_story_that_yarn_tells(done: Done) -> None:
    check_story(done.drivers.story(), clicks=1, fraud=1)


def test_what_all_were_to_hold_added_up_and_was_within_limits(done: Done) -> None:
    check_budget(done.drivers.views())


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_while_executors_came_and_went(done: Done, name: str) -> None:
    check_rows(done.drivers.rows_by_now(name))
