"""What strikes two real drivers and two coordinators on whatever cluster manager, and what holds after each fault.

The tests of each cluster manager say in which order, and add what only that one can suffer.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from signal import SIGKILL

from penstock.core.run import Run
from penstock.core.seen.view import View
from penstock.engines.applications.cluster import Room
from penstock.local import processes
from penstock.local.processes import Process
from tests.governing.coordinators import check_epochs
from tests.governing.real_fleet import RealFleet, executors
from tests.governing.two_drivers import NAMES, RUN, check_budget
from tests.patience import eventually


@dataclass(frozen=True, slots=True)
class Moving:
    """The coordinator that had decided that executors move was killed before they had come: the epochs before and
    after, and what was held when it was dead and later.
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
    """PostgreSQL was: rows written meanwhile, what applications held before, then, and at last.

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
class Ended:
    """The record, and after all coordinators were killed what is held and written."""

    fleet: RealFleet
    run: Run
    views: tuple[View, ...]
    room: Room
    rows: dict[str, list[int]]


def the_leader_is_killed_while_executors_move(fleet: RealFleet) -> Moving:
    drivers = fleet.drivers
    leads, other = fleet.leader()
    eventually(lambda: _decided_for(fleet, "fraud"))
    leads.kill()
    before = drivers.holds("fraud")
    eventually(lambda: drivers.holds("fraud") == 3)
    room = drivers.until(1, 3)
    eventually(other.leads)
    fleet.begin_again(leads)
    return Moving(leads.epochs()[-1], other.epochs()[-1], before, room)


def an_executor_dies(room: Room) -> Process:
    """One of the application that has three; that one."""
    one = executors(with_three(room))[0]
    processes.send(one, SIGKILL)
    return one


def another_comes(fleet: RealFleet, room: Room, one: Process) -> Room:
    """What is held once there is another in place of that one."""
    application = with_three(room)
    eventually(lambda: len(executors(application)) == 3 and one not in executors(application))
    return fleet.drivers.until(1, 3)


def the_leader_stands_still_while_a_driver_dies(fleet: RealFleet) -> Frozen:
    drivers, driver = fleet.drivers, fleet.running["fraud"]
    leads, other = fleet.leader()
    before = with_three(drivers.until(1, 3))
    leads.freeze()
    driver.kill()
    driver.wait()
    fleet.begin("fraud")
    eventually(other.leads)
    eventually(lambda: (room := drivers.room()) and len(room.held) == 2 and before not in room.held)
    eventually(lambda: drivers.holds("fraud") == 3)
    leads.wake()
    eventually(lambda: not leads.leads())
    epoch, later = leads.epochs()[-1], other.epochs()[-1]
    fleet.hears_from_one_that_is_over(epoch, executors=1)
    eventually(lambda: any("is over" in (deed.error or "") for deed in drivers.story(fleet.store).deeds))
    return Frozen(epoch, later, drivers.until(1, 3))


def postgresql_is_away_and_an_agent_cut_off(fleet: RealFleet, beside: AbstractContextManager[object]) -> Away:
    """`beside` is what else is away, as long as PostgreSQL is."""
    drivers = fleet.drivers
    before, rows, rounds = drivers.until(1, 3), drivers.written(), len(fleet.views())
    epoch = fleet.leader()[0].epochs()[-1]
    with beside:
        fleet.stop_database()
        fleet.cut_off()
        drivers.needs("fraud", 0.2)
        drivers.needs("clicks", 2.2)
        eventually(lambda: not any(program.leads() for program in fleet.programs))
        drivers.go_on()
        meanwhile = {name: count - rows[name] for name, count in drivers.written().items()}
    fleet.start_database()
    later = fleet.leader()[0].epochs()[-1]
    eventually(lambda: any(_short(view, "clicks") for view in fleet.views()[rounds:]))
    cut_off = eventually(drivers.room)
    fleet.connect()
    eventually(lambda: drivers.holds("clicks") == 3)
    connected = drivers.until(1, 3)
    clicks = drivers.holds("clicks")
    return Away(meanwhile, (epoch, later), fleet.runs(), before, cut_off, connected, clicks)


def with_three(room: Room) -> str:
    """The application that holds three executors."""
    return next(name for name, cores in room.held.items() if cores == 3)


def a_node_is_gone(fleet: RealFleet, left: int) -> Room:
    """What is held once the cluster manager knows; `left` are the cores of the other nodes."""
    eventually(lambda: (room := fleet.drivers.room()) and _alive(room) == left)
    return fleet.drivers.until(1, 1)


def the_coordinators_are_killed(fleet: RealFleet) -> Ended:
    drivers = fleet.drivers
    eventually(lambda: [program.leads() for program in fleet.programs].count(True) == 1)
    run, views = drivers.story(fleet.store), fleet.views()
    for program in fleet.programs:
        program.kill()
    drivers.go_on()
    room = eventually(drivers.room)
    return Ended(fleet, run, views, room, {name: drivers.rows(name) for name in NAMES})


def check_moving(found: Moving) -> None:
    """Executors came, though the coordinator that had decided it was dead, and another one leads."""
    assert (found.before or 0) < 3
    assert sorted(found.room.held.values()) == [1, 3]
    assert found.later > found.epoch


def check_frozen(found: Frozen, before: Room) -> None:
    """A driver in place of the one that died has what that one had, and another coordinator leads."""
    assert sorted(found.room.held.values()) == [1, 3]
    assert len(found.room.held.keys() & before.held.keys()) == 1
    assert found.later > found.epoch


def check_refused(found: Frozen, run: Run) -> None:
    """An agent refused what the coordinator that is over ordered."""
    said = [deed.error or "" for deed in run.deeds if deed.text == "an order was not carried out"]
    assert any(text.startswith(f"epoch {found.epoch} is over, ") for text in said), said


def check_one_leads_again(found: Away) -> None:
    """In a later epoch, and it goes on with the run."""
    before, later = found.epochs
    assert (later > before, found.runs) == (True, (RUN,))


def check_connected(found: Away) -> None:
    """Once the agent that was cut off was heard again, three executors were with the other application."""
    before, connected = found.before.held, found.connected.held
    assert (found.clicks, before.keys()) == (3, connected.keys())
    assert {name: cores for name, cores in before.items() if connected[name] == cores} == {}


def check_node(found: Room, before: Room, left: int) -> None:
    """Each application has its least of the cores that are left."""
    assert found.held == dict.fromkeys(before.held, 1)
    assert _alive(found) == left


def check_record(found: Ended) -> None:
    """No two have led at once, and in each round budgets added up, and nobody was to have more than it may."""
    check_epochs([*found.fleet.programs, *found.fleet.gone])
    check_budget(found.views)


def _alive(room: Room) -> int:
    """The cores of all living machines."""
    return sum(worker.cores for worker in room.workers if worker.alive)


def _decided_for(fleet: RealFleet, name: str) -> bool:
    """Whether it is recorded that executors are to move to that application."""
    decisions = fleet.drivers.story(fleet.store).decisions if fleet.runs() else ()
    return any(move.job == name for record in decisions for move in record.decision.moves)


def _short(view: View, name: str) -> bool:
    """Whether that application is seen to need more than it has."""
    return any(job.name == name and not job.met for job in view.jobs)
