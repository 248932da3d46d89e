"""Eight applications on a standalone cluster, two of them urgent, with a spike in one: who divides the executors best?

    python benchmarks/fleet_of_eight.py --seconds 240 [--ways penstock dynamic equal hand] [--out FILE]

Ways: `equal` gives each as many executors as any other, `hand` what a person would give who knows of the spike,
`dynamic` is Spark's own dynamic allocation on each application, `penstock` a coordinator over their agents. Each has
a cluster, eight drivers and a run of its own: about six minutes and 8 GB with the defaults. Within the applications
nobody governs but with `penstock`: each has one tenant. Utility is what each driver's own record says of its
tenant, from a minute after the last query began. Prints one JSON document a way.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGINT
from statistics import mean
from threading import Event, Thread
from typing import Any

import yaml

from penstock.calls.coordinated import beside
from penstock.config.coordination import CoordinationFile
from penstock.core.view import View
from penstock.engines import processes
from penstock.engines.applications.standalone import StandaloneCluster
from penstock.engines.spark import standalone
from penstock.errors import PenstockError
from penstock.governing.coordinated import TOKEN
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.governing.demo_tenants import spike
from penstock.store.open import open_store
from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token

WORKERS, SLOTS = 4, 4  # 16 executors of one slot
MOST = 9  # that one application may come to
WAYS = ("penstock", "dynamic", "equal", "hand")
WARM_S = 60.0
INTERVAL_S = 5.0
BESIDES = 20.0  # rows a second of those that want little
NAMES = ("clicks", "ads", "bots", "geo", "audit", "reports", "payments", "fraud")
URGENT = ("payments", "fraud")
BY_HAND = {**dict.fromkeys(NAMES, 1), "payments": 3, "fraud": 7}
_STARTS_WITHIN_S = 300.0
_SMALL = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.cores": 1,
    "spark.sql.shuffle.partitions": 2,
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": False,
}


@dataclass
class Site:
    """A way's cluster, drivers and records; `held` is who held how many executors when, by the master."""

    place: Path
    way: str
    seconds: float
    master: str
    page: StandaloneCluster
    held: list[tuple[float, Mapping[str, int]]] = field(default_factory=list)

    def store(self, name: str) -> Path:
        return self.place / f"{name}.sqlite"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    for way in given.ways:
        with tempfile.TemporaryDirectory(prefix="penstock-eight-") as place:
            told = json.dumps(measured(way, given.seconds, Path(place)))
        print(told, flush=True)
        if given.out is not None:
            with given.out.open("a", encoding="utf-8") as out:
                out.write(f"{told}\n")


def measured(way: str, seconds: float, place: Path) -> dict[str, Any]:
    """One way, from its cluster's start to its end."""
    with ExitStack() as stack:
        state = place / "cluster.json"
        cluster = standalone.up(state, WORKERS, SLOTS, memory="4g", port=processes.free_port())
        stack.callback(standalone.down, state)
        page = StandaloneCluster(_until(lambda: standalone.page_of(state), "the master's page"))
        site = Site(place, way, seconds, cluster.master, page)
        door = stack.enter_context(_coordinated(site)) if way == "penstock" else None
        for name in NAMES:  # the one with the spike last: its clock is everybody's
            stack.enter_context(_driver(site, name, door))
            _until(lambda name=name: _views(site, name), f"a view of {name}")
        began_s = time.time()
        stack.enter_context(_watching(site))
        load = os.getloadavg()[0]
        time.sleep(WARM_S + seconds)
        found = _told(site, began_s + WARM_S)
        return {"way": way, "seconds": seconds, **found, "load_before": load, "load_after": os.getloadavg()[0]}


# What runs


def curve(name: str, seconds: float) -> tuple[tuple[float, float], ...]:
    """Rows a second; the spike lasts the middle third."""
    if name == "fraud":
        return spike(60.0, 4.5, WARM_S + seconds / 3, WARM_S + 2 * seconds / 3)
    return ((0.0, 90.0 if name in URGENT else BESIDES),)


def _file(site: Site, name: str) -> Path:
    latency, utility = ("4s", 40) if name in URGENT else ("20s", 10)
    params = {"name": name, "curve": [list(point) for point in curve(name, site.seconds)], "place": str(site.place)}
    job = {
        "name": name,
        "job": "fleet_jobs:waiting",
        "params": params,
        "intent": {"latency": latency, "utility": utility},
    }
    told: dict[str, Any] = {"name": name, "interval": f"{INTERVAL_S:g}s", "window": "20s", "jobs": [job]}
    conf: dict[str, Any] = dict(_SMALL)
    if site.way == "penstock":
        told["executors"] = MOST
    elif site.way == "dynamic":
        conf |= {"spark.cores.max": MOST} | {
            f"spark.dynamicAllocation.{key}": value
            for key, value in {
                "enabled": True,
                "shuffleTracking.enabled": True,
                "minExecutors": 1,
                "initialExecutors": 1,
                "executorIdleTimeout": "10s",
                "schedulerBacklogTimeout": "1s",
            }.items()
        }
    else:
        conf["spark.cores.max"] = WORKERS * SLOTS // len(NAMES) if site.way == "equal" else BY_HAND[name]
    file = site.place / f"{name}.yaml"
    file.write_text(yaml.safe_dump({**told, "conf": conf}))
    return file


@contextmanager
def _driver(site: Site, name: str, door: AgentsDoor | None) -> Iterator[None]:
    given = [str(_file(site, name)), "--master", site.master, "--store", str(site.store(name))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])}
    if door is None:
        given.append("--dry-run")
    else:
        given += ["--coordinator", door.url]
        environment[TOKEN] = new_agent_token(site.place / "tokens", name)
    with (site.place / f"{name}.log").open("wb") as said:
        command = [sys.executable, "-m", "penstock.cli.main", "run", *given]
        driver = subprocess.Popen(command, env=environment, stdout=said, stderr=said, start_new_session=True)
    try:
        yield
    finally:
        driver.send_signal(SIGINT)
        try:
            driver.wait(60.0)
        finally:
            driver.kill()


@contextmanager
def _coordinated(site: Site) -> Iterator[AgentsDoor]:
    fleet = {"name": "eight", "cluster": {"standalone": site.page.url}, "interval": INTERVAL_S, "report": 1}
    coordinator = Coordinator(CoordinationFile.model_validate(fleet), Coordination(str(site.store("fleet"))))
    with AgentsDoor(coordinator.hear, lambda: agent_tokens(site.place / "tokens")).open() as door, beside(coordinator):
        yield door


@contextmanager
def _watching(site: Site) -> Iterator[None]:
    over = Event()

    def watch() -> None:
        while not over.wait(1.0):
            try:
                site.held.append((time.time(), dict(site.page.room().held)))
            except PenstockError:
                continue

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


# What came of it


def _told(site: Site, from_s: float) -> dict[str, Any]:
    shares = {name: _share(_views(site, name), from_s) for name in NAMES}
    weights = {name: 40.0 if name in URGENT else 10.0 for name in NAMES}
    known = {name: share for name, share in shares.items() if share is not None}
    return {
        "utility_share": round(sum(known[name] * weights[name] for name in known) / sum(weights.values()), 4),
        "shares": {name: None if share is None else round(share, 3) for name, share in shares.items()},
        "executors_moved_s": _moved_s(site, from_s + site.seconds / 3),
        "held_at_most": max((sum(held.values()) for _, held in site.held), default=None),
        "orders": _orders(site),
    }


def _share(views: Sequence[tuple[float, View]], from_s: float) -> float | None:
    counted = [view.utility / view.max_utility for at_s, view in views if at_s >= from_s and view.max_utility > 0]
    return mean(counted) if counted else None


def _moved_s(site: Site, spike_s: float) -> float | None:
    """How long after the spike began the application with it held more executors than then."""
    ours = _id(site, "fraud")
    then = next((held.get(ours, 0) for at_s, held in site.held if at_s >= spike_s), 0)
    later = (at_s - spike_s for at_s, held in site.held if at_s >= spike_s and held.get(ours, 0) > then)
    return next((round(seconds, 1) for seconds in later), None)


def _orders(site: Site) -> list[str]:
    """What the coordinator decided, as its own store tells."""
    if site.way != "penstock":
        return []
    with closing(open_store(site.store("fleet"), create=False)) as store:
        return [record.decision.why for record in store.read_run("fleet-eight").decisions]


def _id(site: Site, name: str) -> str:
    with closing(open_store(site.store(name), create=False)) as store:
        (info,) = store.runs()
    return info.id


def _views(site: Site, name: str) -> list[tuple[float, View]]:
    """Those recorded so far, at seconds since the epoch."""
    if not site.store(name).exists():
        return []
    with closing(open_store(site.store(name), create=False)) as store:
        try:
            return [
                ((info.started_at_s or 0.0) + view.at_s, view) for info in store.runs() for view in store.views(info.id)
            ]
        except PenstockError:  # its file is there, and its tables not yet
            return []


def _until(found: Any, what: str) -> Any:
    until_s = time.monotonic() + _STARTS_WITHIN_S
    while not (there := found()):
        if time.monotonic() > until_s:
            raise TimeoutError(f"no {what} within {_STARTS_WITHIN_S:.0f} s")
        time.sleep(0.5)
    return there


if __name__ == "__main__":
    main()
