"""What dies under two real drivers on a standalone cluster: an executor, a driver, a node, at last their coordinator.

Whatever it was, executors are where they are needed afterwards, and every row was written once.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from signal import SIGKILL

import pytest

from penstock.calls.coordinated import beside
from penstock.engines import processes
from penstock.engines.applications.cluster import Room
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.engines.processes import Process
from penstock.engines.spark import standalone
from tests.governing.two_drivers import NAMES, TwoDrivers
from tests.harness.ports import own_port
from tests.patience import eventually

pytestmark = [pytest.mark.cluster, pytest.mark.long]


@dataclass(frozen=True, slots=True)
class Died:
    """What the master told once all had settled after each death, and the rows of each application at last."""

    executor: Room
    driver: Room
    node: Room
    coordinator: Room
    rows: dict[str, list[int]]


@pytest.fixture(scope="module")
def died(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Died]:
    place = tmp_path_factory.mktemp("fails")
    with ExitStack() as stack:
        state = place / "cluster.json"
        cluster = standalone.up(state, workers=2, cores=2, memory="1g", port=own_port())
        stack.callback(standalone.down, state)
        page = StandaloneCluster(eventually(lambda: standalone.page_of(state)))
        drivers = TwoDrivers(place, cluster.master, page, {"standalone": page.url})
        governs = ExitStack()
        stack.callback(governs.close)
        door, coordinator = governs.enter_context(drivers.coordinator())
        stack.enter_context(drivers.driver("clicks", door))
        drivers.until(3)
        first = stack.enter_context(drivers.driver("fraud", door))
        began = drivers.until(1, 3)
        governs.enter_context(beside(coordinator))
        eventually(lambda: drivers.holds("fraud") == 3)
        fraud = next(name for name, cores in began.held.items() if cores == 1)

        one = executors(fraud)[0]
        processes.send(one, SIGKILL)
        eventually(lambda: len(executors(fraud)) == 3 and one not in executors(fraud))
        executor = drivers.until(1, 3)

        first.kill()
        first.wait()
        stack.enter_context(drivers.driver("fraud", door))
        eventually(lambda: len(page.room().held) == 2 and fraud not in page.room().held)
        driver = drivers.until(1, 3)

        worker = next(part for part in cluster.processes if "worker" in part.role)
        processes.send(worker, SIGKILL)
        eventually(lambda: sum(one.cores for one in page.room().workers if one.alive) == 2)
        node = drivers.until(1, 1)

        governs.close()
        before = {name: len(drivers.rows(name)) for name in NAMES}
        eventually(lambda: all(len(drivers.rows(name)) > before[name] for name in NAMES))
        yield Died(executor, driver, node, page.room(), {name: drivers.rows(name) for name in NAMES})


def test_an_executor_that_was_killed_is_replaced(died: Died) -> None:
    assert sorted(died.executor.held.values()) == [1, 3]


def test_a_driver_that_was_killed_and_begins_anew_gets_what_it_was_to_have(died: Died) -> None:
    assert sorted(died.driver.held.values()) == [1, 3]
    assert len(died.driver.held.keys() & died.executor.held.keys()) == 1


def test_when_a_node_is_gone_each_has_its_least_of_what_is_left(died: Died) -> None:
    assert died.node.held == dict.fromkeys(died.driver.held, 1)
    assert sum(worker.cores for worker in died.node.workers if worker.alive) == 2


def test_without_a_coordinator_each_goes_on_with_what_it_has(died: Died) -> None:
    assert died.coordinator.held == died.node.held


@pytest.mark.parametrize("name", NAMES)
def test_every_row_was_written_once_whatever_died(died: Died, name: str) -> None:
    assert died.rows[name] == list(range(len(died.rows[name])))


def executors(application: str) -> tuple[Process, ...]:
    """Those of it that run, by what stands on their command line."""
    found = processes.found_by("executor", application)
    return tuple(one for one in found if "--executor-id" in processes.command_of(one.pid))
