"""What fails under two real drivers on a standalone cluster, and two coordinators over a PostgreSQL.

The coordinator that leads is killed while executors move, an executor and a driver die, the next one that leads stands
still past its lease and wakes, PostgreSQL and the master are away and come back, an agent is cut off meanwhile, a node
dies, at last the coordinators. Whatever it was, executors are where they are needed afterwards, one leads, and every
row was written once.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from signal import SIGKILL

import pytest

from penstock.engines.applications.cluster import Room
from penstock.local import processes
from penstock.local.postgres import postgres_files
from penstock.local.spark.standalone import StartedCluster
from tests.governing import fleet_faults
from tests.governing.fleet_faults import Away, Ended, Frozen, Moving
from tests.governing.real_fleet import RealFleet
from tests.governing.two_drivers import CORES, NAMES, check_rows, on_standalone
from tests.killed import killed

pytestmark = [pytest.mark.cluster, pytest.mark.server, pytest.mark.sockets, pytest.mark.long]

LEFT = CORES // 2  # cores, once one of the two nodes is gone


@dataclass(frozen=True, slots=True)
class Failed:
    """What was told once all had settled after each fault, and at last."""

    moving: Moving
    executor: Room
    frozen: Frozen
    away: Away
    node: Room
    ended: Ended


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Failed]:
    with ExitStack() as stack:
        drivers, cluster = stack.enter_context(on_standalone(tmp_path_factory.mktemp("fails")))
        fleet = RealFleet(drivers, stack.enter_context(postgres_files("s3cret-Wort")), stack)
        fleet.begin("clicks")
        fleet.begin("fraud")
        moving = fleet_faults.the_leader_is_killed_while_executors_move(fleet)
        before = drivers.until(1, 3)
        executor = fleet_faults.another_comes(fleet, before, fleet_faults.an_executor_dies(before))
        frozen = fleet_faults.the_leader_stands_still_while_a_driver_dies(fleet)
        away = fleet_faults.postgresql_is_away_and_an_agent_cut_off(fleet, _the_master_away(fleet, cluster))
        processes.send(next(part for part in cluster.processes if "worker" in part.role), SIGKILL)
        node = fleet_faults.a_node_is_gone(fleet, LEFT)
        yield Failed(moving, executor, frozen, away, node, fleet_faults.the_coordinators_are_killed(fleet))


@contextmanager
def _the_master_away(fleet: RealFleet, cluster: StartedCluster) -> Iterator[None]:
    lost = killed(next(part for part in cluster.processes if part.role == "master"))
    yield
    lost.again(fleet.place / "cluster" / "master.log")


def test_executors_that_were_on_the_move_come_though_the_coordinator_that_decided_it_was_killed(failed: Failed) -> None:
    fleet_faults.check_moving(failed.moving)


def test_an_executor_that_was_killed_is_replaced(failed: Failed) -> None:
    assert sorted(failed.executor.held.values()) == [1, 3]


def test_a_driver_that_dies_while_the_leader_stands_still_gets_what_it_had_from_who_takes_over(failed: Failed) -> None:
    fleet_faults.check_frozen(failed.frozen, failed.executor)


def test_a_real_drivers_agent_refuses_the_order_of_a_coordinator_that_is_over(failed: Failed) -> None:
    fleet_faults.check_refused(failed.frozen, failed.ended.run)


def test_without_master_store_and_coordinator_batches_go_on(failed: Failed) -> None:
    assert min(failed.away.rows.values()) > 0


def test_once_postgresql_answers_again_one_leads_in_a_later_epoch_and_goes_on_with_the_run(failed: Failed) -> None:
    fleet_faults.check_one_leads_again(failed.away)


def test_who_is_cut_off_keeps_its_executors_though_the_other_one_is_seen_to_need_them(failed: Failed) -> None:
    assert failed.away.cut_off.held == failed.away.before.held


def test_once_it_is_heard_they_move_and_the_master_that_was_started_again_gives_them(failed: Failed) -> None:
    fleet_faults.check_connected(failed.away)


def test_when_a_node_is_gone_each_has_its_least_of_what_is_left(failed: Failed) -> None:
    fleet_faults.check_node(failed.node, failed.away.connected, LEFT)


def test_without_a_coordinator_each_goes_on_with_what_it_has(failed: Failed) -> None:
    assert failed.ended.room.held == failed.node.held


def test_no_two_led_at_once_and_all_that_was_to_be_held_adds_up_and_is_within_limits(failed: Failed) -> None:
    fleet_faults.check_record(failed.ended)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_whatever_failed(failed: Failed, name: str) -> None:
    check_rows(failed.ended.rows[name])
