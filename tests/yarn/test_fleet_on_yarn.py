"""One application on a real YARN, and a coordinator: its executors go up and down, and YARN tells the same story.

Beside it there is a simulated neighbour, whose agent claims cores: so that the coordinator has a reason to take some.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGINT

import pytest
import yaml
from fleet_world import SimulatedCluster, of_one

from penstock.calls.coordinated import beside
from penstock.config.coordination import CoordinationFile
from penstock.engines.applications.agent import Agent
from penstock.engines.applications.link import Link
from penstock.engines.applications.yarn import YarnCluster
from penstock.engines.yarn import cluster as daemons
from penstock.engines.yarn.cluster import Yarn
from penstock.engines.yarn.configuration import YarnShape
from penstock.governing.coordinated import TOKEN
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token
from tests.cli.calling import ROOT, environment
from tests.harness.ports import own_port
from tests.patience import eventually, patiently

pytestmark = pytest.mark.yarn

QUEUE = "root.streams"
SETTINGS = {"penstock": {"executors": {"settle_s": 10}}}


@dataclass(frozen=True, slots=True)
class Done:
    """The executors' cores of the application, as YARN told them each time that they were as many as was waited for."""

    yarn: Yarn
    seen: list[int] = field(default_factory=list)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    patiently(daemons)
    place = tmp_path_factory.mktemp("yarn")
    with ExitStack() as stack:
        state = place / "yarn.json"
        yarn = daemons.up(state, YarnShape(2, 3, 3072, ("streams", "other"), _five_ports()))
        stack.callback(daemons.down, state)
        found, cluster = Done(yarn), YarnCluster(yarn.page, QUEUE)
        door = stack.enter_context(_coordinator(place, yarn.page))
        neighbour = of_one("neighbour", SimulatedCluster(64), 40.0, utility=100.0)
        agent = Agent("neighbour", neighbour, Link([door.url], new_agent_token(place / "tokens", "neighbour")))
        agent.start()
        stack.callback(agent.stop)
        stack.enter_context(_driver(place, yarn, door.url))
        for rate, executors in ((40.0, 3), (350.0, 1)):  # what the neighbour has to do, and what is left to the other
            neighbour.rates["neighbour"] = rate
            eventually(lambda wanted=executors: list(cluster.room().held.values()) == [wanted])  # type: ignore[misc]
            found.seen.append(executors)
        yield found


def test_executors_come_up_and_go_as_the_coordinator_says(done: Done) -> None:
    assert done.seen == [3, 1]


def test_the_master_of_the_application_is_not_counted_with_its_executors(done: Done) -> None:
    page = YarnCluster(done.yarn.page)
    assert page.room().used == 1
    # A node offers an executor's cores again when its process has ended: 3 + 3, but 1 and the master's 1.
    eventually(lambda: sum(worker.free_cores for worker in page.room().workers) == 4)


def _five_ports() -> int:
    """The first of five in a row that are this run's own."""
    found = [own_port()]
    while found[-5:] != list(range(found[-1] - 4, found[-1] + 1)):
        found.append(own_port())
    return found[-5]


@contextmanager
def _coordinator(place: Path, page: str) -> Iterator[AgentsDoor]:
    fleet = {"name": "lab", "cluster": {"yarn": page, "queue": QUEUE}, "interval": 3, "report": 1, "settings": SETTINGS}
    coordinator = Coordinator(CoordinationFile.model_validate(fleet), Coordination(str(place / "fleet.sqlite")))
    with AgentsDoor(coordinator.hear, lambda: agent_tokens(place / "tokens")).open() as door, beside(coordinator):
        yield door


@contextmanager
def _driver(place: Path, yarn: Yarn, coordinator: str) -> Iterator[None]:
    job = {
        "name": "fraud",
        "job": "tests.governing.tenant_jobs:slow",
        "params": {"rows_per_second": 110, "row_ms": 20},
        "intent": {"latency": "5s", "utility": 40},
        "slots": 1,
    }
    conf = {"spark.executor.memory": "512m", "spark.yarn.queue": "streams", "spark.driver.memory": "512m"}
    said = {"name": "fraud", "executors": 3, "interval": "3s", "window": "15s", "conf": conf, "jobs": [job]}
    file = place / "fraud.yaml"
    file.write_text(yaml.safe_dump(said))
    given = [str(file), "--master", "yarn", "--coordinator", coordinator, "--store", str(place / "fraud.sqlite")]
    token = new_agent_token(place / "tokens", "fraud")
    around = {**environment(), **yarn.environment, TOKEN: token, "PYSPARK_PYTHON": sys.executable}
    archives = Path(os.environ.get("SPARK_HOME") or _spark_home(), "python", "lib")
    around["PYSPARK_ARCHIVES_PATH"] = ",".join(f"local:{one}" for one in sorted(archives.glob("*.zip")))
    command = [sys.executable, "-m", "penstock.cli.main", "run", *given]
    with (place / "fraud.log").open("wb") as log:
        driver = subprocess.Popen(command, cwd=ROOT, env=around, stdout=log, stderr=log)
    try:
        yield
        assert driver.poll() is None, (place / "fraud.log").read_text()[-3000:]
    finally:
        driver.send_signal(SIGINT)
        try:
            driver.wait(60.0)
        finally:
            driver.kill()


def _spark_home() -> str:
    import pyspark

    return str(Path(pyspark.__file__).parent)
