"""A real YARN from Maven's jars, for all tests that need one: six cores, in two queues that share them."""

import json
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from penstock.local.yarn import cluster as daemons
from penstock.local.yarn.cluster import Yarn
from penstock.local.yarn.configuration import YarnShape
from tests.harness.ports import own_port
from tests.patience import patiently

QUEUE = "root.streams"


@dataclass(frozen=True, slots=True)
class RealYarn:
    """One that is up."""

    daemons: Yarn

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
    found = daemons.up(state, YarnShape(2, 3, 3072, ("streams", "default"), _five_ports()))
    try:
        yield RealYarn(found)
    finally:
        daemons.down(state)


def _five_ports() -> int:
    """The first of five in a row that are this run's own."""
    found = [own_port()]
    while found[-5:] != list(range(found[-1] - 4, found[-1] + 1)):
        found.append(own_port())
    return found[-5]
