"""A real YARN from Maven's jars, for all tests that need one: six cores, in two queues that share them."""

import json
import os
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP

import pytest

from penstock.engines.applications.yarn import YarnCluster
from penstock.engines.spark.profiling import usage
from penstock.local import processes
from penstock.local.processes import Process
from penstock.local.yarn import cluster as daemons
from penstock.local.yarn.cluster import Yarn
from penstock.local.yarn.configuration import YarnShape
from tests.harness.ports import own_port
from tests.killed import killed
from tests.patience import eventually, patiently

QUEUE = "root.streams"
NODES = 3
CORES_EACH = 2
_LAUNCHER = "org.apache.spark.deploy.yarn.ExecutorLauncher"  # the master of an application in client mode


@dataclass(frozen=True, slots=True)
class RealYarn:
    """One that is up; `again` are nodes that were started anew."""

    daemons: Yarn
    again: list[Process] = field(default_factory=list)

    @property
    def page(self) -> str:
        return self.daemons.page

    @property
    def around(self) -> dict[str, str]:
        """What drivers of its applications find it by."""
        return {**self.daemons.environment, "PYSPARK_PYTHON": sys.executable}

    @contextmanager
    def lowered(self, queue: str, percent: int) -> Iterator[None]:
        """The queue may have so much of the cluster until the block ends, and then all of it again."""
        self._may_have(queue, percent)
        try:
            yield
        finally:
            self._may_have(queue, 100)

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """The ResourceManager does, until the block ends."""
        (manager,) = (part for part in self.daemons.processes if part.role == "resourcemanager")
        processes.send(manager, SIGSTOP)
        try:
            yield
        finally:
            processes.send(manager, SIGCONT)

    @contextmanager
    def without_a_node(self) -> Iterator[None]:
        """A node and all that ran on it are gone, no application's master among them; it is back after the block."""
        node = next(node for node in self._nodes() if not _masters_on(node))
        ran = usage.below(node.pid)
        lost = killed(node)
        for pid in ran:
            _kill(pid)
        try:
            yield
        finally:
            self.again.append(lost.again(Path(self.daemons.place) / f"{node.role}-again.log"))
            page = YarnCluster(self.page)
            eventually(lambda: sum(one.alive for one in page.room().workers) == NODES)

    def masters(self) -> frozenset[Process]:
        """The masters of applications that run."""
        return frozenset(master for node in self._nodes() for master in _masters_on(node))

    def _nodes(self) -> list[Process]:
        known = [*self.daemons.processes, *self.again]
        return [part for part in known if part.role.startswith("nodemanager") and part.alive]

    def _may_have(self, queue: str, percent: int) -> None:
        entry = {"key": "maximum-capacity", "value": str(percent)}
        said = {"update-queue": [{"queue-name": queue, "params": {"entry": [entry]}}]}
        headers, raw = {"Content-Type": "application/json"}, json.dumps(said).encode()
        place = f"{self.page}/ws/v1/cluster/scheduler-conf?user.name=tests"  # whoever gives a name may say so here
        with urllib.request.urlopen(urllib.request.Request(place, raw, headers, method="PUT")):
            pass


@pytest.fixture(scope="session")
def yarn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealYarn]:
    patiently(daemons)
    state = tmp_path_factory.mktemp("yarn") / "yarn.json"
    found = RealYarn(daemons.up(state, YarnShape(NODES, CORES_EACH, 3072, ("streams", "default"), _five_ports())))
    try:
        yield found
    finally:
        for node in found.again:
            processes.end(node)
        daemons.down(state)


def _masters_on(node: Process) -> list[Process]:
    """Those that run there, whose children the shells are that started them."""
    ran = usage.below(node.pid)
    return [found for found in processes.found_by("master", _LAUNCHER) if found.pid in ran]


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, SIGKILL)


def _five_ports() -> int:
    """The first of five in a row that are this run's own."""
    found = [own_port()]
    while found[-5:] != list(range(found[-1] - 4, found[-1] + 1)):
        found.append(own_port())
    return found[-5]
