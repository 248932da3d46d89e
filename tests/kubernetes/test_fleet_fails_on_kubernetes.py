"""What fails under two real drivers whose executors are pods of a real Kubernetes, and two coordinators.

The coordinator that leads is killed while executors move, a pod is deleted, an executor dies, the next one that leads
stands still past its lease while a driver dies, API server and PostgreSQL are away, an agent is cut off meanwhile, a
node is gone, the quota is lowered, at last the coordinators are killed. Each begins when the one before is over.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from penstock.engines.applications.cluster import Room
from tests.governing import fleet_faults
from tests.governing.fleet_faults import Away, Ended, Frozen, Moving
from tests.governing.two_drivers import NAMES, asked_last, check_rows
from tests.kubernetes import drivers
from tests.kubernetes.drivers import Deleted, PodFleet

pytestmark = [pytest.mark.kubernetes, pytest.mark.server, pytest.mark.sockets, pytest.mark.long]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PodFleet]:
    with ExitStack() as stack:
        yield drivers.begun(tmp_path_factory.mktemp("drivers"), stack)


@pytest.fixture(scope="module")
def moving(site: PodFleet) -> Moving:
    return fleet_faults.the_leader_is_killed_while_executors_move(site.fleet)


@pytest.fixture(scope="module")
def deleted(site: PodFleet, moving: Moving) -> Deleted:
    return drivers.a_pod_is_deleted(site)


@pytest.fixture(scope="module")
def replaced(site: PodFleet, deleted: Deleted) -> Room:
    return fleet_faults.another_comes(site.fleet, deleted.room, fleet_faults.an_executor_dies(deleted.room))


@pytest.fixture(scope="module")
def frozen(site: PodFleet, replaced: Room) -> Frozen:
    return fleet_faults.the_leader_stands_still_while_a_driver_dies(site.fleet)


@pytest.fixture(scope="module")
def away(site: PodFleet, frozen: Frozen) -> Away:
    return fleet_faults.postgresql_is_away_and_an_agent_cut_off(site.fleet, site.up.standing_still())


@pytest.fixture(scope="module")
def node(site: PodFleet, away: Away) -> Room:
    return drivers.a_node_is_gone(site)


@pytest.fixture(scope="module")
def lowered(site: PodFleet, node: Room) -> Room:
    return drivers.the_quota_is_lowered(site)


@pytest.fixture(scope="module")
def ended(site: PodFleet, lowered: Room) -> Ended:
    return fleet_faults.the_coordinators_are_killed(site.fleet)


def test_executors_move_to_who_needs_them_though_the_coordinator_that_decided_it_was_killed(moving: Moving) -> None:
    fleet_faults.check_moving(moving)


def test_another_comes_in_place_of_a_pod_that_was_deleted(deleted: Deleted, moving: Moving) -> None:
    assert (deleted.pod in deleted.pods, len(deleted.pods)) == (False, 3)
    assert deleted.room.held == moving.room.held


def test_an_executor_that_was_killed_is_replaced(replaced: Room, deleted: Deleted) -> None:
    assert replaced.held == deleted.room.held


def test_a_driver_that_dies_while_the_leader_stands_still_gets_what_it_had_from_who_takes_over(
    frozen: Frozen, replaced: Room
) -> None:
    fleet_faults.check_frozen(frozen, replaced)


def test_while_the_api_server_stands_still_batches_go_on_and_nobody_loses_an_executor(away: Away) -> None:
    assert min(away.rows.values()) > 0
    assert away.cut_off.held == away.before.held


def test_once_it_answers_one_leads_in_a_later_epoch_and_goes_on_with_the_run(away: Away) -> None:
    fleet_faults.check_one_leads_again(away)


def test_once_the_agent_that_was_cut_off_is_heard_executors_move(away: Away) -> None:
    fleet_faults.check_connected(away)


def test_who_lost_its_only_executor_with_a_node_has_one_of_what_is_left(node: Room, away: Away) -> None:
    assert node.held == {name: 1 if cores == 1 else 2 for name, cores in away.connected.held.items()}
    assert node.cores == 3


def test_under_a_quota_that_was_lowered_below_its_use_each_keeps_its_least(lowered: Room, node: Room) -> None:
    assert lowered.held == dict.fromkeys(node.held, 1)


def test_without_a_coordinator_each_goes_on_with_what_it_has(ended: Ended, lowered: Room) -> None:
    assert ended.room.held == lowered.held


def test_an_agent_refused_the_order_of_a_coordinator_that_was_over(ended: Ended, frozen: Frozen) -> None:
    fleet_faults.check_refused(frozen, ended.run)


def test_the_store_of_the_fleet_tells_the_story_that_the_api_server_tells(ended: Ended) -> None:
    assert asked_last(ended.run) == {"clicks": 1, "fraud": 1}


def test_no_two_led_at_once_and_all_that_was_to_be_held_adds_up_and_is_within_limits(ended: Ended) -> None:
    fleet_faults.check_record(ended)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_whatever_failed(ended: Ended, name: str) -> None:
    check_rows(ended.rows[name])
