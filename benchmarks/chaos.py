"""A nemesis: tenants on Kafka and a standalone cluster, and pairs of faults drawn from a seed; then laws are checked.

    python benchmarks/chaos.py --seed 7 [--minutes 10] [--out docs/results/chaos.md]     # make chaos SEED=7 MINUTES=10

A pair of faults strikes, and the next one once the utility is back, or three minutes later. What happened is kept as a
history, which `chaos_history` judges. Exit code 1 when a law was broken. Needs PostgreSQL and a Maven registry. As root
the workers are on two hosts of their own (Linux namespaces), whose links can be cut; else both are on this one.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any

import chaos_routes
import yaml
from chaos_acts import LATENCY_S, worth
from chaos_apart import live_apart, reached_at, removed
from chaos_batches import Batches
from chaos_clock import COMPILER
from chaos_faults import ALL, APART, CLOCK, ROUTED, Fault, Kind, drawn
from chaos_history import RECOVERS_WITHIN_S, WELL, History, Rows, Struck, judged, recovered_s, settled
from chaos_portions import Asked, commit_here, keep, portion_of
from chaos_postgres import Postgres
from chaos_record import Watched
from chaos_rows import UnjudgedError, check_delivered, left_of, load, read_rows
from chaos_told import report
from chaos_world import BROKER_ADDRESS, DATABASE, World, tell
from confluent_kafka import KafkaException

from penstock.engines.kafka.topics import make_topics
from penstock.errors import EngineError
from penstock.local import processes
from penstock.local.kafka import broker
from penstock.local.spark import standalone
from penstock.local.spark.hosts import Net
from penstock.local.spark.standalone import StartedCluster

HOSTS = 2
CHECKPOINTS_MIB = 128  # of eight tenants that count 50 keys take a fifth of that
DATABASE_MIB = 384  # a new one takes a fifth of that, and its log up to half
INTERVAL_S = 5.0
LINK = "1gbit"  # of each host
PARTITIONS = 2
QUIET_S = 30.0  # governed with all its utility before the first pair
WELL_WITHIN_S = 240.0
STARTS_WITHIN_S = 420.0
DELIVERED_WITHIN_S = 330.0  # `penstock load` gives up after 300 s
DONE_WITHIN_S = 900.0
LOOK_EVERY_S = 1.0
PAIR_AT_MOST_S = 600.0  # seven minutes until a second driver has the run, and three until utility is back
SURE_AFTER_S = 20.0  # several triggers without a change: no result is on its way any more
HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10.0, help="in which pairs begin; the rest comes on top")
    parser.add_argument("--skip", type=int, default=0, help="so many pairs of the seed, which another run had")
    parser.add_argument("--pairs", type=int, help="so many and no more, each until utility is back, instead of minutes")
    parser.add_argument("--untimed", action="store_true", help="how soon utility is back is told and breaks no law")
    parser.add_argument("--tenants", type=int, default=8)
    parser.add_argument("--only", default="", help="words, with commas: of all faults those are drawn that have one")
    parser.add_argument("--rate", type=float, default=20.0, help="rows a second of each tenant")
    parser.add_argument(
        "--place", type=Path, help="where logs and history stay; else they are removed, but for a breach"
    )
    parser.add_argument("--out", type=Path, help="the page that the result is added to, beside standard output")
    parser.add_argument("--portions", type=Path, help="the file that keeps what came of it, to be added up")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # also of a program in the background: everything is taken down
        signal.signal(number, lambda *_: sys.exit(130))
    place = options.place or Path(tempfile.mkdtemp(prefix="penstock-chaos-"))
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o755)  # PostgreSQL, which does not run as root, has its folder there
    disks = {place / "checkpoints": CHECKPOINTS_MIB, place / DATABASE: DATABASE_MIB}
    refused = live_apart(disks)
    if refused is not None:
        tell(f"no disk to fill, no link to cut, no hosts of their own: {refused}")
    stays = options.place is not None
    try:
        well = _lived(place.resolve(), refused is None, options)
        stays = stays or not well
    finally:
        if stays:
            tell(f"its logs and its history are in {place}")
        else:
            removed(place, disks)
    sys.exit(0 if well else 1)


def _lived(place: Path, apart: bool, options: argparse.Namespace) -> bool:
    """Whether all laws held. It is told before anything is taken down, which may fail too."""
    routed = ROUTED[: max(1, options.tenants - 1)]  # one tenant at least has no route
    names = [*(f"tenant{number}" for number in range(options.tenants - len(routed))), *routed]
    with ExitStack() as stack:
        postgres = Postgres(stack, place / DATABASE if apart else None)
        stack.callback(standalone.down, place / "cluster.json")
        cluster = _cluster(place / "cluster.json", (len(names) + 1) // HOSTS, apart)
        stack.callback(broker.down, place / "kafka.json")
        address = _broker_address(cluster.net, apart)
        bootstrap = _broker(place / "kafka.json", address)
        make_topics(bootstrap, [f"{name}_{end}" for name in names for end in ("in", "out")], PARTITIONS)
        for module in ("soak_jobs.py", "chaos_jobs.py"):
            (place / module).write_bytes((HERE / module).read_bytes())
        chaos_routes.install(place)
        tenants = _tenants_file(place, names, cluster, bootstrap)
        (place / "tenants.yaml").write_text(yaml.safe_dump(tenants), encoding="utf-8")
        world = World(place, names, postgres, apart, cluster.net, broker_address=address)
        stack.callback(world.end)
        world.start()
        _until_ready(world)
        history = _struck(world, bootstrap, options)
        if options.portions is not None:
            _keep(history, cluster.net, options)
        return _told(history, cluster.net, options)


def _keep(history: History, net: Net | None, options: argparse.Namespace) -> None:
    at, hosts = time.strftime("%Y-%m-%d %H:%M", time.gmtime()), 1 if net is None else len(net.hosts)
    asked = Asked(at, commit_here(), options.seed, options.skip, options.tenants, hosts, options.only)
    keep(portion_of(history, judged(history), asked), options.portions)


def _told(history: History, net: Net | None, options: argparse.Namespace) -> bool:
    laws = judged(history)
    where = "both workers on one host" if net is None else f"workers on {len(net.hosts)} hosts of their own"
    length = f"{options.minutes:g} minutes" if options.pairs is None else f"pairs: {options.pairs}"
    skipped = f", without the first {options.skip} pairs" if options.skip else ""
    text = report(history, laws, options.seed, f"{length}{skipped}", f"{options.tenants} tenants, {where}")
    print(text, flush=True)
    if options.out is not None:
        with options.out.open("a", encoding="utf-8") as page:
            page.write(f"\n{text}\n")
    return not any(law.breaches for law in laws if not (options.untimed and law.timed))


def _cluster(state: Path, cores: int, apart: bool) -> StartedCluster:
    """Each worker on a host of its own where that can be had; what stands against it is told."""
    port = processes.free_port()
    try:
        cluster = standalone.up(state, HOSTS, cores, port=port, bandwidth=LINK if apart else None)
    except EngineError as error:
        if not apart:
            raise
        tell(f"both workers on one host: {error}")
        return standalone.up(state, HOSTS, cores, port=port)
    if cluster.net is not None:
        tell(f"workers on hosts of their own: {', '.join(host.address for host in cluster.net.hosts)} ({LINK})")
    return cluster


def _broker_address(net: Net | None, apart: bool) -> str:
    """An address of the broker's alone, which can be cut off; hosts of their own reach it as they do this one."""
    if not apart:
        return "127.0.0.1"
    if net is None:
        return BROKER_ADDRESS
    return reached_at(net)


def _broker(state: Path, address: str) -> str:
    """Where its clients find it."""
    port = processes.free_port()
    listeners = f"PLAINTEXT://0.0.0.0:{port},CONTROLLER://127.0.0.1:{broker.CONTROLLER_PORT}"
    if address == "127.0.0.1":
        return broker.up(state, port, PARTITIONS).bootstrap
    reached = {"listeners": listeners, "advertised.listeners": f"PLAINTEXT://{address}:{port}"}
    broker.up(state, port, PARTITIONS, broker.BrokerExtras(reached))
    return f"{address}:{port}"


def _tenants_file(place: Path, names: Sequence[str], cluster: StartedCluster, bootstrap: str) -> dict[str, Any]:
    jobs = [
        {
            "name": name,
            **(
                {"job": "chaos_jobs:counts", "route": f"chaos_jobs:{name.upper()}"}
                if name in ROUTED
                else {"job": "soak_jobs:counts"}
            ),
            "params": {
                "bootstrap": bootstrap,
                "source": f"{name}_in",
                "target": f"{name}_out",
                "trigger": "5 seconds",
            },
            "intent": {"latency": f"{LATENCY_S:g}s", "utility": worth(names, name)},
            "max_rows_per_batch": 5000,
            "restart": {"max_restarts": 100, "backoff": "1s", "max_backoff": "10s"},
        }
        for name in names
    ]
    return {
        "name": "chaos",
        "master": cluster.master,
        "kafka": True,
        "policy": chaos_routes.NAME,
        "conf": {
            "spark.sql.shuffle.partitions": 2,
            "spark.executor.memory": "512m",
            "spark.driver.memory": "768m",
            **({} if cluster.net is None else {"spark.driver.host": cluster.net.gateway}),
        },
        "checkpoints": str(place / "checkpoints"),
        "interval": f"{INTERVAL_S:g}s",
        "jobs": jobs,
    }


def _until_ready(world: World) -> None:
    """Until every query has committed a batch."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    while len(list(world.place.glob("checkpoints/*/commits/0"))) < len(world.names):
        if time.monotonic() > deadline or world.ended:
            raise SystemExit(f"not all queries started within {STARTS_WITHIN_S:.0f} s; see {world.place}")
        time.sleep(LOOK_EVERY_S)
    tell("all queries run")


def _struck(world: World, bootstrap: str, options: argparse.Namespace) -> History:
    """Load all the while, and pairs of faults; then every row is counted."""
    watched = Watched(world.store, batches=Batches(world.place / "checkpoints", world.names))
    seconds = options.minutes * 60.0 if options.pairs is None else options.pairs * PAIR_AT_MOST_S
    loaded_s = WELL_WITHIN_S + seconds + PAIR_AT_MOST_S  # at most: rows come until the last pair is judged
    struck: list[Struck] = []
    known = (*ALL, *(APART if world.apart else ()), *(CLOCK if COMPILER else ()))
    pairs = islice(drawn(options.seed, _with(options.only.split(","), known)), options.skip, None)
    loads = {name: load(world.place, bootstrap, name, options.rate, loaded_s) for name in world.names}
    try:
        _until_well(world, watched)
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s and len(struck) != options.pairs:
            struck.append(_pair(world, watched, next(pairs)))
            _until_back(world, watched, struck)
    finally:
        for sender in loads.values():
            sender.terminate()  # it delivers what it has taken up, and writes its account
    unloaded_s = time.time()  # whose utility was not back by then has no rows to come back with
    rows, unjudged = _counted_or_why(world, watched, bootstrap, loads)
    seen = _recorded(world, watched, struck, unloaded_s)
    tables = settled(world.tables, {tenant: world.table_of(tenant) for tenant in ROUTED})
    history = replace(seen, rows=rows, unjudged=unjudged, interval_s=INTERVAL_S, tables=tables)
    (world.place / "history.json").write_text(json.dumps(asdict(history)), encoding="utf-8")
    return history


def _recorded(world: World, watched: Watched, struck: Sequence[Struck], until_s: float) -> History:
    """All that the store has; it may still be on its way back from the last fault."""
    deadline = time.monotonic() + RECOVERS_WITHIN_S
    while not (found := watched.history(struck, until_s, tuple(world.wrong))).cycles:
        if time.monotonic() > deadline:
            break
        time.sleep(LOOK_EVERY_S)
    return found


def _with(words: Sequence[str], faults: Sequence[tuple[Kind, str]]) -> Sequence[tuple[Kind, str]]:
    found = [fault for fault in faults if any(word in " ".join(fault) for word in words)]
    if len({whom for _, whom in found}) < 2:
        raise SystemExit(f"no pair of faults has one of these words; there are: {', '.join(map(' '.join, faults))}")
    return found


def _until_well(world: World, watched: Watched) -> None:
    """Until the tenants have what they ask for: what they are to come back to."""
    deadline = time.monotonic() + WELL_WITHIN_S
    while time.monotonic() < deadline:
        _watch(world, watched, time.monotonic() + 5.0 * LOOK_EVERY_S)
        newest = [cycle.share for cycle in watched.history((), 0.0, ()).cycles][-3:]
        if len(newest) == 3 and all(share is not None and share >= WELL for share in newest):
            _watch(world, watched, time.monotonic() + QUIET_S)
            return
    tell(f"the tenants had not {100 * WELL:.0f} % of their utility within {WELL_WITHIN_S:.0f} s")


def _watch(world: World, watched: Watched, until_s: float) -> None:
    while time.monotonic() < until_s:
        watched.look()
        world.look()
        time.sleep(LOOK_EVERY_S)


def _pair(world: World, watched: Watched, pair: tuple[Fault, Fault]) -> Struck:
    """Both at once, each on a thread of its own; what was wrong has ended when both have."""
    text, began_s = " and ".join(fault.text for fault in pair), time.time()
    tell(text)
    before = len(world.missed)
    threads = [threading.Thread(target=world.strike, args=(fault,), daemon=True) for fault in pair]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        watched.look()
        time.sleep(LOOK_EVERY_S)
    spares = all(fault.spares_governing for fault in pair)
    return Struck(began_s, time.time(), text, spares, tuple(world.missed[before:]))


def _until_back(world: World, watched: Watched, struck: Sequence[Struck]) -> None:
    deadline = time.monotonic() + RECOVERS_WITHIN_S
    while time.monotonic() < deadline:
        watched.look()
        world.look()
        took_s = recovered_s(watched.history(struck, 0.0, ()), struck[-1])
        if took_s is not None:
            tell(f"utility was back after {took_s:.0f} s")
            return
        time.sleep(5.0 * LOOK_EVERY_S)


def _counted_or_why(
    world: World, watched: Watched, bootstrap: str, loads: Mapping[str, "subprocess.Popen[bytes]"]
) -> tuple[tuple[Rows, ...], tuple[str, ...]]:
    """Every row; where nothing can be said of rows the other laws are judged all the same."""
    try:
        for sender in loads.values():
            sender.wait(DELIVERED_WITHIN_S)
        check_delivered(world.place, world.names)
        return _counted(world, watched, bootstrap), ()
    except (UnjudgedError, OSError, ValueError, KeyError, subprocess.TimeoutExpired, KafkaException) as error:
        return (), (f"{type(error).__name__}: {error}",)


def _counted(world: World, watched: Watched, bootstrap: str) -> tuple[Rows, ...]:
    """Once all rows are in batches that are committed, and a while after that: what is not counted then never is."""
    deadline = time.monotonic() + DONE_WITHIN_S
    while left := {name: rows for name in world.names if (rows := left_of(world.place, name))}:
        if time.monotonic() > deadline:
            raise UnjudgedError(f"within {DONE_WITHIN_S:.0f} s nobody read {left}")
        _watch(world, watched, time.monotonic() + 5.0 * LOOK_EVERY_S)
    _watch(world, watched, time.monotonic() + SURE_AFTER_S)
    return read_rows(world.place, world.names, bootstrap)


if __name__ == "__main__":
    main()
