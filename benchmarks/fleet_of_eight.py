"""Eight applications on one cluster, two of them urgent, with a spike in one: who divides the executors best?

    python benchmarks/fleet_of_eight.py --seconds 240 [--on yarn] [--ways penstock dynamic equal hand] [--out FILE]
    python benchmarks/fleet_of_eight.py --applications 2 --seconds 45 --warm 15      # whether all of it runs

The cluster is this machine's: a standalone master, or what `penstock cluster up --yarn` and `--kubernetes` start
(`--on`). Ways: `equal` gives each as many executors as any other, `hand` what a person would give who knows of the
spike, `dynamic` is Spark's own dynamic allocation on each application, `penstock` a coordinator over their agents. Each
has a cluster, eight drivers and a run of its own: about six minutes and 8 GB with the defaults, more with YARN, whose
masters have a process each: there queries begin once every application has its master, whatever then takes all cores.
Within the applications nobody governs but with `penstock`: each has one tenant. Utility is what each driver's own
record says of its tenant, from a minute after the last query began (`--warm`). Prints one JSON document a way as soon
as that has ended, and in the end how many times the utility of each other way penstock had. Where a way fails its logs
and records are kept, where is said, and the next way goes on; with `--keep` they are kept of every way.

`rounds_until_moved` are the coordinator's rounds from the spike until the cluster manager tells of one more executor of
the application that has it: the executor's own start is among them. `after_spike` is utility from the spike's end on.
`rounds_until_decided` are those until the coordinator's record has a decision that gives it one.
`told_as_held`: of what the coordinator's record says that applications held, the share that the cluster manager told of
them within the seconds before; each of its `orders` says how soon the cluster manager told that it had come.
`rows`: each application numbers its rows, so that a twin knows which were to come through every batch.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from signal import SIGTERM, signal
from threading import Event, Thread
from typing import Any

import yaml
from fleet_clusters import KINDS, Cores
from fleet_driver import begin_driver, end_driver
from fleet_gate import Gate
from fleet_rows import source_began_s
from fleet_site import NAMES, URGENT, Length, Site, curve, views
from fleet_told import came_of
from machine_use import MachineUse, read_machine, use_between

from penstock.calls.coordinated import beside
from penstock.config.coordination import CoordinationFile
from penstock.errors import PenstockError
from penstock.governing.coordinated import TOKEN
from penstock.governing.coordinating import Coordination, Coordinator
from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token

SLOTS = 4  # of a worker, with an executor of one slot each
WAYS = ("penstock", "dynamic", "equal", "hand")
WARM_S = 60.0
UTILITY = (10, 40)  # of an application, and of an urgent one
IN_THE_SPIKE = 6  # executors that the application with the spike then needs
FOR_PAYMENTS = 3  # that it needs for its 90 rows a second, beside what batches cost
_STARTS_WITHIN_S = 900.0  # a driver, on a machine that is busy otherwise
# Sixteen executors and eight drivers share a machine: code is compiled once, and quickly, in each of them.
_QUICKLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_SMALL = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.cores": 1,
    "spark.executor.extraJavaOptions": _QUICKLY,
    "spark.sql.shuffle.partitions": 2,
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": False,
}


def main() -> None:
    signal(SIGTERM, lambda number, _: sys.exit(128 + number))  # drivers and clusters end with it
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--applications", type=int, default=len(NAMES), choices=range(2, len(NAMES) + 1))
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--warm", type=float, default=WARM_S)
    parser.add_argument("--on", choices=list(KINDS), default="standalone")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--keep", action="store_true", help="logs and records stay, and where is said")
    given = parser.parse_args()
    found: dict[str, Mapping[str, Any]] = {}
    for way in given.ways:
        try:
            with _kept_or_removed(way, given.keep) as place:
                told = measured(given.on, way, Length(given.warm, given.seconds), NAMES[-given.applications :], place)
        except Exception as error:  # of whatever kind: the other ways are worth their time all the same
            told = {"on": given.on, "way": way, "failed": f"{type(error).__name__}: {error}"}
        else:
            found[way] = told
        _say(told, given.out)
    _say({"penstock_over": _over(found, "utility_share"), "after_spike": _over(found, "after_spike")}, given.out)
    sys.exit(0 if len(found) == len(given.ways) else 1)


def _over(found: Mapping[str, Mapping[str, Any]], figure: str) -> dict[str, float]:
    """How many times the figure of each other way penstock had; empty where it was not among them."""
    ours = found.get("penstock", {}).get(figure)
    others = {way: told[figure] for way, told in found.items() if way != "penstock" and told[figure]}
    return {} if ours is None else {way: round(ours / share, 3) for way, share in others.items()}


def _say(told: Mapping[str, Any], out: Path | None) -> None:
    print(json.dumps(told), flush=True)
    if out is not None:
        with out.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(told)}\n")


@contextmanager
def _kept_or_removed(way: str, keep: bool) -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix=f"penstock-eight-{way}-"))
    try:
        yield place
        if not keep:
            shutil.rmtree(place)
    finally:
        if place.exists():
            print(f"what its drivers said and recorded is in {place}", file=sys.stderr)


def measured(on: str, way: str, length: Length, names: Sequence[str], place: Path) -> dict[str, Any]:
    """One way, from its cluster's start to its end."""
    with ExitStack() as stack:
        standing = stack.enter_context(KINDS[on](place, Cores(_workers(names), SLOTS, len(names))))
        site = Site(place, way, length, names, standing)
        door = stack.enter_context(_coordinated(site)) if way == "penstock" else None
        begin(site, lambda name: stack.enter_context(_driver(site, name, door)))
        began_s = _until(lambda: source_began_s(place / names[-1]), f"rows of {names[-1]}")
        stack.enter_context(_watching(site))
        load, before = os.getloadavg()[0], read_machine({os.getpid(): "ours"})
        time.sleep(max(0.0, began_s + length.warm + length.counted - time.time()))
        use = use_between(before, read_machine({os.getpid(): "ours"}))
        told = {"on": on, "way": way, "applications": len(names), "seconds": length.counted, **came_of(site, began_s)}
        return {**told, "load_before": load, "load_after": use.load, "steal": round(use.steal, 4), **_cores(use)}


def begin(site: Site, start: Callable[[str], object]) -> None:
    """All queries, the one with the spike last: its clock is everybody's. Where masters take cores all have theirs."""
    gate, names, together = Gate(site.place), site.names, site.on.has_masters
    if together:
        for name in names:
            start(name)
        _until(lambda: gate.here(names), "session of every driver")
    for some in (names[:-1], names[-1:]):
        gate.let(some)
        for name in () if together else some:
            start(name)
        for name in some:
            _until(lambda name=name: views(site, name), f"a view of {name}")


def _cores(use: MachineUse) -> dict[str, float]:
    """Clusters are not children of ours everywhere: what they use counts among others."""
    return {"cores_busy": round(sum(use.cores.values()) + use.others, 2), "cores_idle": round(use.idle, 2)}


def _workers(names: Sequence[str]) -> int:
    """Two executors for each application, or a few more."""
    return (len(names) + 1) // 2


def _most(names: Sequence[str]) -> int:
    """That one application may come to: one executor is left to each other."""
    return _workers(names) * SLOTS - (len(names) - 1)


def by_hand(names: Sequence[str]) -> dict[str, int]:
    """What a person gives who knows of the spike: to the urgent ones what they need then, to others what is left.

    >>> by_hand(NAMES)["payments"], by_hand(NAMES)["fraud"], by_hand(NAMES)["clicks"], by_hand(NAMES)["reports"]
    (3, 6, 2, 1)
    """
    others = [name for name in names if name not in URGENT]
    left = _workers(names) * SLOTS - len(others)
    payments = max(1, min(FOR_PAYMENTS, left - IN_THE_SPIKE))
    fraud = min(IN_THE_SPIKE, left - payments)
    left -= payments + fraud
    more = {name: 1 + int(place < left) for place, name in enumerate(others)}
    return {**more, "payments": payments, "fraud": fraud}


def _file(site: Site, name: str) -> Path:
    latency, utility = "10s" if name in URGENT else "40s", UTILITY[name in URGENT]
    params = {
        "name": name,
        "curve": [list(point) for point in curve(name, site.length)],
        "place": str(site.place),
        "together": site.on.has_masters,
    }
    job = {
        "name": name,
        "job": "fleet_jobs:waiting",
        "params": params,
        "intent": {"latency": latency, "utility": utility},
    }
    told: dict[str, Any] = {"name": name, "window": "20s", "jobs": [job]}
    conf: dict[str, Any] = dict(_SMALL)
    if site.way == "penstock":
        told["executors"] = _most(site.names)
    elif site.way == "dynamic":
        most = _most(site.names)
        conf |= {"spark.cores.max": most, "spark.dynamicAllocation.maxExecutors": most} | {
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
        equal = _workers(site.names) * SLOTS // len(site.names)
        executors = equal if site.way == "equal" else by_hand(site.names)[name]
        conf |= {"spark.cores.max": executors, "spark.executor.instances": executors}  # standalone, and all others
    file = site.place / f"{name}.yaml"
    file.write_text(yaml.safe_dump({**told, "conf": conf}))
    return file


@contextmanager
def _driver(site: Site, name: str, door: AgentsDoor | None) -> Iterator[None]:
    given = [str(_file(site, name)), "--master", site.on.master, "--store", str(site.store(name))]
    here = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    environment = {**os.environ, **site.on.around, "PYTHONPATH": here, "JAVA_TOOL_OPTIONS": _QUICKLY}
    if door is None:
        given.append("--dry-run")
    else:
        given += ["--coordinator", door.url]
        environment[TOKEN] = new_agent_token(site.place / "tokens", name)
    driver = begin_driver(given, environment, site.place / f"{name}.log")
    try:
        yield
    finally:
        if not end_driver(driver):  # what was measured counts all the same
            print(f"{name} did not end within a minute of being told to", file=sys.stderr)


@contextmanager
def _coordinated(site: Site) -> Iterator[AgentsDoor]:
    listed = {name: {"utility": UTILITY[name in URGENT]} for name in site.names}
    fleet = {"name": "eight", "cluster": site.on.fleet, "applications": listed}
    how = Coordination(str(site.store("fleet")))
    coordinator = Coordinator(CoordinationFile.model_validate(fleet), how, cluster=site.on.cluster)
    with AgentsDoor(coordinator.hear, lambda: agent_tokens(site.place / "tokens")).open() as door, beside(coordinator):
        yield door


@contextmanager
def _watching(site: Site) -> Iterator[None]:
    over = Event()

    def watch() -> None:
        while not over.wait(1.0):
            try:
                site.held.append((time.time(), dict(site.on.cluster.room().held)))
            except PenstockError:
                continue

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _until(found: Any, what: str) -> Any:
    until_s = time.monotonic() + _STARTS_WITHIN_S
    while not (there := found()):
        if time.monotonic() > until_s:
            raise TimeoutError(f"no {what} within {_STARTS_WITHIN_S:.0f} s")
        time.sleep(0.5)
    return there


if __name__ == "__main__":
    main()
