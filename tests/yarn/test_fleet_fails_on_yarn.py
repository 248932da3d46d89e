"""What fails under two real drivers on YARN, and two coordinators over a PostgreSQL.

The coordinator that leads is killed while executors move, the ResourceManager stands still and an executor dies
meanwhile, the master of an application dies, the coordinator that leads stands still past its lease while a driver
dies, PostgreSQL is away, an agent is cut off meanwhile, a node dies with all that runs on it, at last the coordinators.
Whatever it was, executors are where they are needed afterwards, one leads, and every row was written once.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from signal import SIGKILL

import pytest

from penstock.engines.applications.cluster import Room
from penstock.local import processes
from penstock.local.postgres import postgres_files
from tests.governing import fleet_faults
from tests.governing.fleet_faults import Away, Ended, Frozen, Moving
from tests.governing.real_fleet import RealFleet, executors
from tests.governing.two_drivers import NAMES, check_rows
from tests.patience import eventually
from tests.yarn.drivers import on_yarn
from tests.yarn.real import CORES_EACH, NODES, RealYarn

pytestmark = [pytest.mark.yarn, pytest.mark.server, pytest.mark.sockets, pytest.mark.long]

LEFT = (NODES - 1) * CORES_EACH  # cores, once a node is gone


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
def master(fleet: RealFleet, yarn: RealYarn, manager: StoodStill) -> Room:
    return the_master_of_an_application_dies(fleet, yarn)


@pytest.fixture(scope="module")
def frozen(fleet: RealFleet, master: Room) -> Frozen:
    return fleet_faults.the_leader_stands_still_while_a_driver_dies(fleet)


@pytest.fixture(scope="module")
def away(fleet: RealFleet, frozen: Frozen) -> Away:
    return fleet_faults.postgresql_is_away_and_an_agent_cut_off(fleet, beside=nullcontext())


@pytest.fixture(scope="module")
def node(fleet: RealFleet, yarn: RealYarn, away: Away) -> Iterator[Room]:
    with yarn.without_a_node():
        yield fleet_faults.a_node_is_gone(fleet, LEFT)


@pytest.fixture(scope="module")
def ended(fleet: RealFleet, node: Room) -> Ended:
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


def the_master_of_an_application_dies(fleet: RealFleet, yarn: RealYarn) -> Room:
    """Of the one that began with one executor and has three by now: all end with it, and another one knows of one."""
    drivers = fleet.drivers
    application = fleet_faults.with_three(drivers.until(1, 3))
    (master,) = (one for one in yarn.masters() if any(application in word for word in processes.command_of(one.pid)))
    processes.send(master, SIGKILL)
    eventually(lambda: not executors(application))
    eventually(lambda: drivers.holds("fraud") == 3)
    drivers.go_on()
    return drivers.until(1, 3)


def test_executors_that_were_on_the_move_come_though_the_coordinator_that_decided_it_was_killed(moving: Moving) -> None:
    fleet_faults.check_moving(moving)


def test_while_the_resource_manager_stands_still_batches_go_on(manager: StoodStill) -> None:
    assert min(manager.rows.values()) > 0


def test_an_executor_that_died_while_the_resource_manager_stood_still_is_replaced(manager: StoodStill) -> None:
    assert manager.later.held == manager.before.held


def test_an_application_whose_master_died_has_as_many_executors_as_before(manager: StoodStill, master: Room) -> None:
    assert master.held == manager.later.held


def test_a_driver_that_dies_while_the_leader_stands_still_gets_what_it_had_from_who_takes_over(
    master: Room, frozen: Frozen
) -> None:
    fleet_faults.check_frozen(frozen, master)


def test_without_store_and_coordinator_batches_go_on(away: Away) -> None:
    assert min(away.rows.values()) > 0


def test_once_postgresql_answers_again_one_leads_in_a_later_epoch_and_goes_on_with_the_run(away: Away) -> None:
    fleet_faults.check_one_leads_again(away)


def test_who_is_cut_off_keeps_its_executors_though_the_other_one_is_seen_to_need_them(away: Away) -> None:
    assert away.cut_off.held == away.before.held


def test_once_it_is_heard_they_move(away: Away) -> None:
    fleet_faults.check_connected(away)


def test_when_a_node_is_gone_each_has_its_least_of_what_is_left(away: Away, node: Room) -> None:
    fleet_faults.check_node(node, away.connected, LEFT)


def test_without_a_coordinator_each_goes_on_with_what_it_has(node: Room, ended: Ended) -> None:
    assert ended.room.held == node.held


def test_a_real_drivers_agent_refuses_the_order_of_a_coordinator_that_is_over(frozen: Frozen, ended: Ended) -> None:
    fleet_faults.check_refused(frozen, ended.run)


def test_no_two_led_at_once_and_all_that_was_to_be_held_adds_up_and_is_within_limits(ended: Ended) -> None:
    fleet_faults.check_record(ended)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_whatever_failed(ended: Ended, name: str) -> None:
    check_rows(ended.rows[name])


def _times_unknown(fleet: RealFleet) -> int:
    """How often a coordinator has said that the cluster manager does not tell what there is."""
    return [deed.text for deed in fleet.drivers.story(fleet.store).deeds].count("what the cluster has is not known")
