"""Where masters take cores no query of `fleet_of_eight` begins before all are there; the one with the spike is last."""

import threading
from collections.abc import Callable
from pathlib import Path

import fleet_of_eight
import pytest
from fleet_clusters import Standing
from fleet_gate import Gate
from fleet_site import Length, Site
from fleet_world import SimulatedCluster

from tests.patience import eventually

NAMES = ("ads", "bots", "fraud")


class Drivers:
    """Each has its session by and by, and then a query that begins as soon as it may."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.began: list[str] = []
        self.late = threading.Event()  # until then the last one's session is not there

    def start(self, name: str) -> None:
        threading.Thread(target=self._live, args=(name,), daemon=True).start()

    def _live(self, name: str) -> None:
        if name == "bots":
            self.late.wait()
        self.gate.wait(name)
        self.began.append(name)


def begins(site: Site, start: Callable[[str], object]) -> threading.Thread:
    thread = threading.Thread(target=fleet_of_eight.begin, args=(site, start), daemon=True)
    thread.start()
    return thread


def test_no_query_begins_before_every_master_is_there_and_the_one_with_the_spike_is_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(tmp_path)
    drivers = Drivers(gate)
    monkeypatch.setattr(fleet_of_eight, "views", lambda _, name: name in drivers.began)
    standing = Standing("yarn", SimulatedCluster(8), {}, has_masters=True)
    beginning = begins(Site(tmp_path, "dynamic", Length(1, 3), NAMES, standing), drivers.start)
    eventually(lambda: gate.here(("ads", "fraud")))
    assert not drivers.began
    drivers.late.set()
    beginning.join()
    assert sorted(drivers.began[:2]) == ["ads", "bots"]
    assert drivers.began[2:] == ["fraud"]
