"""What fails under two real drivers on YARN, and two coordinators over a PostgreSQL.

The coordinator that leads is killed while executors move, the ResourceManager stands still and an executor dies
meanwhile, at last the coordinators.
Whatever it was, executors are where they are needed afterwards, one leads, and every row was written once.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from penstock.engines.applications.cluster import Room
from penstock.local.postgres import postgres_files
from tests.governing import fleet_faults
from tests.governing.fleet_faults import Ended, Moving
from tests.governing.real_fleet import RealFleet
from tests.governing.two_drivers import NAMES, check_rows
from tests.patience import eventually
from tests.yarn.drivers import on_yarn
from tests.yarn.real import RealYarn

pytestmark = [pytest.mark.yarn, pytest.mark.server, pytest.mark.sockets]


@dataclass(frozen=True, slots=True)
class StoodStill:
    """The ResourceManager did: what was held before and later, and rows written meanwhile."""

    before: Room
    rows: Mapping[str, int]
    later: Room


@pytest.fixture(scope="module")
def fleet(yarn: RealYarn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealFleet]:
    with ExitStack() as stack:
        files = stack.enter_context(postgres_files("s3cret-Wort"))
        found = RealFleet(on_yarn(yarn, tmp_path_factory.mktemp("fails")), files, stack)
        found.begin("clicks")
        found.begin("fraud")
        yield found


# One fault after the other: each begins once all has settled after the one before.


@pytest.fixture(scope="module")
def moving(fleet: RealFleet) -> Moving:
    return fleet_faults.the_leader_is_killed_while_executors_move(fleet)


@pytest.fixture(scope="module")
def manager(fleet: RealFleet, yarn: RealYarn, moving: Moving) -> StoodStill:
    return the_resource_manager_stands_still_and_an_executor_dies(fleet, yarn)


@pytest.fixture(scope="module")
def ended(fleet: RealFleet, manager: StoodStill) -> Ended:
    return fleet_faults.the_coordinators_are_killed(fleet)


def the_resource_manager_stands_still_and_an_executor_dies(fleet: RealFleet, yarn: RealYarn) -> StoodStill:
    drivers = fleet.drivers
    before, rows, unknown = drivers.until(1, 3), drivers.written(), _times_unknown(fleet)
    with yarn.standing_still():
        eventually(lambda: _times_unknown(fleet) > unknown)
        eventually(lambda: all(len(drivers.rows(name)) > rows[name] for name in NAMES))
        meanwhile = {name: count - rows[name] for name, count in drivers.written().items()}
        # Now, for a batch waits for the ResourceManager's word of an executor that it ran on.
        one = fleet_faults.an_executor_dies(before)
    return StoodStill(before, meanwhile, fleet_faults.another_comes(fleet, before, one))


def test_executors_that_were_on_the_move_come_though_the_coordinator_that_decided_it_was_killed(moving: Moving) -> None:
    fleet_faults.check_moving(moving)


def test_while_the_resource_manager_stands_still_batches_go_on(manager: StoodStill) -> None:
    assert min(manager.rows.values()) > 0


def test_an_executor_that_died_while_the_resource_manager_stood_still_is_replaced(manager: StoodStill) -> None:
    assert manager.later.held == manager.before.held


def test_without_a_coordinator_each_goes_on_with_what_it_has(manager: StoodStill, ended: Ended) -> None:
    assert ended.room.held == manager.later.held


def test_no_two_led_at_once_and_all_that_was_to_be_held_adds_up_and_is_within_limits(ended: Ended) -> None:
    fleet_faults.check_record(ended)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_whatever_failed(ended: Ended, name: str) -> None:
    check_rows(ended.rows[name])


def _times_unknown(fleet: RealFleet) -> int:
    """How often a coordinator has said that the cluster manager does not tell what there is."""
    return [deed.text for deed in fleet.drivers.story(fleet.store).deeds].count("what the cluster has is not known")
