"""What fails under two real drivers on a standalone cluster, and two coordinators over a PostgreSQL.

The coordinator that leads is killed while executors move, an executor and a driver die, the next one that leads stands
still past its lease and wakes, PostgreSQL and the master are away and come back, an agent is cut off meanwhile, a node
dies, at last the coordinators. Whatever it was, executors are where they are needed afterwards, one leads, and every
row was written once.
"""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from signal import SIGKILL

import pytest

from penstock.core.run import Run
from penstock.core.seen.view import View
from penstock.engines.applications.cluster import Room
from penstock.local import processes
from penstock.local.postgres import postgres_files
from penstock.local.spark.standalone import StartedCluster
from tests.governing.coordinators import check_epochs
from tests.governing.real_fleet import RealFleet, executors
from tests.governing.two_drivers import NAMES, RUN, check_budget, check_rows, on_standalone
from tests.killed import killed
from tests.patience import eventually

pytestmark = [pytest.mark.cluster, pytest.mark.server, pytest.mark.sockets, pytest.mark.long]


@dataclass(frozen=True, slots=True)
class Killed:
    """The coordinator that had decided that executors move, killed before they had come: the epochs before and after,
    and what was held when it was dead and later.
    """

    epoch: int
    later: int
    before: int | None  # by fraud, which is to have three
    room: Room


@dataclass(frozen=True, slots=True)
class Frozen:
    """A coordinator that stood still while a driver died: the epochs before and after, and what was settled then."""

    epoch: int
    later: int
    room: Room


@dataclass(frozen=True, slots=True)
class Away:
    """PostgreSQL and the master were: rows written meanwhile, what applications held before, then, and at last.

    The epochs are those before and after, the runs what PostgreSQL has at last.
    """

    rows: Mapping[str, int]
    epochs: tuple[int, int]
    runs: tuple[str, ...]
    before: Room
    cut_off: Room
    connected: Room
    clicks: int | None  # executors, at last


@dataclass(frozen=True, slots=True)
class Failed:
    """What was told once all had settled after each fault, and at last the record and the rows of each application."""

    fleet: RealFleet
    moving: Killed
    executor: Room
    frozen: Frozen
    away: Away
    node: Room
    run: Run
    views: tuple[View, ...]
    coordinators: Room
    rows: dict[str, list[int]]


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Failed]:
    with ExitStack() as stack:
        drivers, cluster = stack.enter_context(on_standalone(tmp_path_factory.mktemp("fails")))
        fleet = RealFleet(drivers, stack.enter_context(postgres_files("s3cret-Wort")), stack)
        fleet.begin("clicks")
        driver = fleet.begin("fraud")
        moving = the_leader_is_killed_while_executors_move(fleet)
        executor = an_executor_dies(fleet)
        frozen = the_leader_stands_still_while_a_driver_dies(fleet, driver)
        away = postgresql_and_the_master_are_away(fleet, cluster)
        node = a_node_dies(fleet, cluster)
        eventually(lambda: [program.leads() for program in fleet.programs].count(True) == 1)
        run, views = drivers.story(fleet.store), fleet.views()
        for program in fleet.programs:
            program.kill()
        drivers.go_on()
        rows = {name: drivers.rows(name) for name in NAMES}
        yield Failed(fleet, moving, executor, frozen, away, node, run, views, drivers.cluster.room(), rows)


def the_leader_is_killed_while_executors_move(fleet: RealFleet) -> Killed:
    drivers = fleet.drivers
    leads, other = fleet.leader()
    eventually(lambda: _decided_for(fleet, "fraud"))
    leads.kill()
    before = drivers.holds("fraud")
    eventually(lambda: drivers.holds("fraud") == 3)
    room = drivers.until(1, 3)
    eventually(other.leads)
    fleet.begin_again(leads)
    return Killed(leads.epochs()[-1], other.epochs()[-1], before, room)


def an_executor_dies(fleet: RealFleet) -> Room:
    fraud = next(name for name, cores in fleet.drivers.until(1, 3).held.items() if cores == 3)
    one = executors(fraud)[0]
    processes.send(one, SIGKILL)
    eventually(lambda: len(executors(fraud)) == 3 and one not in executors(fraud))
    return fleet.drivers.until(1, 3)


def the_leader_stands_still_while_a_driver_dies(fleet: RealFleet, driver: "subprocess.Popen[bytes]") -> Frozen:
    drivers = fleet.drivers
    leads, other = fleet.leader()
    before = next(name for name, cores in drivers.until(1, 3).held.items() if cores == 3)
    leads.freeze()
    driver.kill()
    driver.wait()
    fleet.begin("fraud")
    eventually(other.leads)
    eventually(lambda: (room := drivers.room()) and len(room.held) == 2 and before not in room.held)
    drivers.until(1, 3)
    leads.wake()
    eventually(lambda: not leads.leads())
    epoch, later = leads.epochs()[-1], other.epochs()[-1]
    fleet.hears_from_one_that_is_over(epoch, executors=1)
    eventually(lambda: any("is over" in (deed.error or "") for deed in drivers.story(fleet.store).deeds))
    return Frozen(epoch, later, drivers.until(1, 3))


def postgresql_and_the_master_are_away(fleet: RealFleet, cluster: StartedCluster) -> Away:
    drivers = fleet.drivers
    before, rows, rounds = drivers.until(1, 3), drivers.written(), len(fleet.views())
    epoch = fleet.leader()[0].epochs()[-1]
    lost = killed(next(part for part in cluster.processes if part.role == "master"))
    fleet.stop_database()
    fleet.cut_off()
    drivers.needs("fraud", 0.2)
    drivers.needs("clicks", 2.2)
    eventually(lambda: not any(program.leads() for program in fleet.programs))
    drivers.go_on()
    meanwhile = {name: count - rows[name] for name, count in drivers.written().items()}
    lost.again(fleet.place / "cluster" / "master.log")
    fleet.start_database()
    later = fleet.leader()[0].epochs()[-1]
    eventually(lambda: any(_short(view, "clicks") for view in fleet.views()[rounds:]))
    cut_off = eventually(drivers.room)
    fleet.connect()
    eventually(lambda: drivers.holds("clicks") == 3)
    connected = drivers.until(1, 3)
    clicks = drivers.holds("clicks")
    return Away(meanwhile, (epoch, later), fleet.runs(), before, cut_off, connected, clicks)


def a_node_dies(fleet: RealFleet, cluster: StartedCluster) -> Room:
    drivers = fleet.drivers
    processes.send(next(part for part in cluster.processes if "worker" in part.role), SIGKILL)
    eventually(lambda: (room := drivers.room()) and sum(one.cores for one in room.workers if one.alive) == 2)
    return drivers.until(1, 1)


def test_executors_that_were_on_the_move_come_though_the_coordinator_that_decided_it_was_killed(failed: Failed) -> None:
    assert (failed.moving.before or 0) < 3
    assert sorted(failed.moving.room.held.values()) == [1, 3]
    assert failed.moving.later > failed.moving.epoch


def test_an_executor_that_was_killed_is_replaced(failed: Failed) -> None:
    assert sorted(failed.executor.held.values()) == [1, 3]


def test_a_driver_that_dies_while_the_leader_stands_still_gets_what_it_had_from_who_takes_over(failed: Failed) -> None:
    assert sorted(failed.frozen.room.held.values()) == [1, 3]
    assert len(failed.frozen.room.held.keys() & failed.executor.held.keys()) == 1
    assert failed.frozen.later > failed.frozen.epoch


def test_a_real_drivers_agent_refuses_the_order_of_a_coordinator_that_is_over(failed: Failed) -> None:
    said = [deed.error or "" for deed in failed.run.deeds if deed.text == "an order was not carried out"]
    assert any(text.startswith(f"epoch {failed.frozen.epoch} is over, ") for text in said), said


def test_without_master_store_and_coordinator_batches_go_on(failed: Failed) -> None:
    assert min(failed.away.rows.values()) > 0


def test_once_postgresql_answers_again_one_leads_in_a_later_epoch_and_goes_on_with_the_run(failed: Failed) -> None:
    before, later = failed.away.epochs
    assert (later > before, failed.away.runs) == (True, (RUN,))


def test_who_is_cut_off_keeps_its_executors_though_the_other_one_is_seen_to_need_them(failed: Failed) -> None:
    assert failed.away.cut_off.held == failed.away.before.held


def test_once_it_is_heard_they_move_and_the_master_that_was_started_again_gives_them(failed: Failed) -> None:
    before, connected = failed.away.before.held, failed.away.connected.held
    assert (failed.away.clicks, before.keys()) == (3, connected.keys())
    assert {name: cores for name, cores in before.items() if connected[name] == cores} == {}


def test_when_a_node_is_gone_each_has_its_least_of_what_is_left(failed: Failed) -> None:
    assert failed.node.held == dict.fromkeys(failed.away.connected.held, 1)
    assert sum(worker.cores for worker in failed.node.workers if worker.alive) == 2


def test_without_a_coordinator_each_goes_on_with_what_it_has(failed: Failed) -> None:
    assert failed.coordinators.held == failed.node.held


def test_no_two_led_at_once_and_all_that_was_to_be_held_adds_up_and_is_within_limits(failed: Failed) -> None:
    check_epochs([*failed.fleet.programs, *failed.fleet.gone])
    check_budget(failed.views)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_whatever_failed(failed: Failed, name: str) -> None:
    check_rows(failed.rows[name])


def _decided_for(fleet: RealFleet, name: str) -> bool:
    """Whether it is recorded that executors are to move to that application."""
    decisions = fleet.drivers.story(fleet.store).decisions if fleet.runs() else ()
    return any(move.job == name for record in decisions for move in record.decision.moves)


def _short(view: View, name: str) -> bool:
    """Whether that application is seen to need more than it has."""
    return any(job.name == name and not job.met for job in view.jobs)
