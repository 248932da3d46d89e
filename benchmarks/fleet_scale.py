"""How many applications one coordinator governs: simulated agents over real HTTP, the coordinator on one core.

    python benchmarks/fleet_scale.py --applications 100 300 1000 --tenants 10 --seconds 90

What is simulated is Spark: agents' conversations, their HTTP, the coordinator, its policy and its store are the real
ones. Each application's figures change every 10 s, as those of a round do. Prints one JSON document a fleet.

`report_ms` is what an agent waits, on the wall; `report_own_ms` how much CPU the coordinator used meanwhile, for that
report, for others and for its rounds. On a quiet machine they are nearly the same, for whoever waits there waits for
the coordinator; on one that is shared the second still tells of the coordinator alone, if somewhat too much.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fleet_world import SimulatedApplication, SimulatedCluster

from penstock.engines.applications.conversation import Conversation
from penstock.engines.applications.link import PATH
from penstock.engines.applications.wire import encode_report, read_answer

if TYPE_CHECKING:
    from penstock.governing.coordinating import Coordinator

ROUND_S = 10.0
CORES_EACH = 3  # of the cluster, for each application: less than all would like


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--applications", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--tenants", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=90.0)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(Path(given.serve), given.applications[0])
        return
    for applications in given.applications:
        print(json.dumps(measured(applications, given.tenants, given.seconds)), flush=True)


def measured(applications: int, tenants: int, seconds: float) -> dict[str, Any]:
    """One fleet."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, __file__, "--serve", place, "--applications", str(applications)]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            begun = json.loads(server.stdout.readline())
            load = os.getloadavg()[0]
            door = Door(begun["url"], begun["token"], server.pid)
            told = asyncio.run(_agents(door, applications, tenants, seconds))
            server.stdin.close()
            return {
                "applications": applications,
                "tenants": applications * tenants,
                **told,
                **json.loads(server.stdout.readline()),
                "load_before": load,
                "load_after": os.getloadavg()[0],
            }
        finally:
            server.kill()
            server.wait()


# The coordinator, in a process of its own


def serve(place: Path, applications: int) -> None:
    """Coordinate until standard input ends, then say what it took."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    from penstock.engines.applications.wire import Report
    from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token

    rounds = _timed_rounds()
    coordinator = _coordinator(place, applications)
    token = new_agent_token(place / "tokens.json", "*")
    tokens = agent_tokens(place / "tokens.json")
    thread = threading.Thread(target=coordinator.run, daemon=True)
    heard = [0]

    def hear(report: Report) -> bytes:
        heard[0] += 1
        return coordinator.hear(report)

    waits: list[float] = []
    with AgentsDoor(hear, lambda: tokens).open() as door:
        thread.start()
        while not rounds:  # its imports and its first round are no part of this
            time.sleep(0.1)
        heard[0] = 0
        threading.Thread(target=_wait, args=(waits,), daemon=True).start()
        print(json.dumps({"url": door.url, "token": token}), flush=True)
        began_s, cpu_s = time.monotonic(), time.process_time()
        sys.stdin.read()
        took_s, used_s = time.monotonic() - began_s, time.process_time() - cpu_s
        coordinator.stop()
        thread.join(60.0)
    print(json.dumps({**_taken(place, rounds, heard[0], took_s, used_s), **_waited(waits)}), flush=True)


def _wait(waits: list[float]) -> None:
    """How long a thread waits until it goes on, beyond the 5 ms that it sleeps: for the core and the interpreter."""
    while True:
        begun_s = time.monotonic()
        time.sleep(0.005)
        waits.append(time.monotonic() - begun_s - 0.005)


def _waited(waits: Sequence[float]) -> Mapping[str, float | None]:
    found = sorted(waits)
    return {f"interpreter_ms_{name}": _ms(found, share) for name, share in (("p99", 0.99), ("max", 1.0))}


Round = tuple[float, float]  # seconds by the wall's clock, and of CPU


def _timed_rounds() -> list[Round]:
    """What each round of the loop takes, from now on."""
    from penstock.loop import Loop

    rounds: list[Round] = []
    run_cycle = Loop.run_cycle

    def timed(self: Loop, *asked: Any) -> Any:
        began_s, cpu_s = time.monotonic(), time.thread_time()
        carried = run_cycle(self, *asked)
        rounds.append((time.monotonic() - began_s, time.thread_time() - cpu_s))
        return carried

    Loop.run_cycle = timed  # type: ignore[method-assign, assignment]
    return rounds


def _coordinator(place: Path, applications: int) -> "Coordinator":
    from penstock.config.coordination import CoordinationFile
    from penstock.governing.coordinating import Coordination, Coordinator

    fleet = {"name": "scale", "cluster": {"cores": CORES_EACH * applications}, "interval": ROUND_S, "lease": 30}
    return Coordinator(CoordinationFile.model_validate(fleet), Coordination(str(place / "runs.sqlite")))


def _taken(place: Path, rounds: Sequence[Round], heard: int, took_s: float, used_s: float) -> Mapping[str, float]:
    settled = rounds[3:] or rounds
    walls, cpus = ([one[kind] for one in settled] for kind in (0, 1))
    return {
        "rounds": len(rounds),
        "round_s_median": round(_median(walls), 3),
        "round_s_max": round(max(walls), 3),
        "report_cpu_ms": round(1000.0 * (used_s - sum(cpu for _, cpu in rounds[1:])) / max(1, heard), 3),
        "round_cpu_s_median": round(_median(cpus), 3),
        "core_share": round(used_s / took_s, 3),
        "memory_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "store_mib": round(sum(file.stat().st_size for file in place.glob("runs.sqlite*")) / 2**20, 1),
    }


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


# The agents


@dataclass(frozen=True, slots=True)
class Door:
    """Where agents report, and the process that answers them."""

    url: str
    token: str
    pid: int

    @property
    def place(self) -> tuple[str, int]:
        found = urlsplit(self.url)
        return found.hostname or "", found.port or 0

    def cpu_s(self) -> float:
        """What the process has used so far: Linux has a clock of it that others may read."""
        return time.clock_gettime((~self.pid << 3) | 2)


@dataclass(frozen=True, slots=True)
class Answered:
    """A report: when it was sent, how long its answer took, and how long the coordinator computed meanwhile."""

    sent_s: float
    took_s: float
    own_s: float
    size: int


async def _agents(door: Door, applications: int, tenants: int, seconds: float) -> dict[str, Any]:
    chance = random.Random(7)
    cluster = SimulatedCluster(CORES_EACH * applications)
    fleet = [_application(f"app-{number}", cluster, tenants, chance) for number in range(applications)]
    answers: list[Answered] = []
    until_s = time.monotonic() + seconds
    await asyncio.gather(*(_agent(one, door, until_s, chance.random() * ROUND_S, answers) for one in fleet))
    # The first report of each is whole, and all come at once: told apart.
    settled = [one for one in answers if one.sent_s > until_s - seconds + 2 * ROUND_S]
    return {
        "reports": len(answers),
        "reports_per_s": round(len(settled) / (seconds - 2 * ROUND_S), 1),
        **_shares("report_ms", [one.took_s for one in settled]),
        **_shares("report_own_ms", [one.own_s for one in settled]),
        "report_bytes_mean": round(sum(one.size for one in answers) / max(1, len(answers))),
        "orders": sum(len(one.given) for one in fleet),
        "held_at_most": cluster.most_held,
        "cores": cluster.cores,
    }


async def _agent(
    application: SimulatedApplication, door: Door, until_s: float, first_s: float, answers: list[Answered]
) -> None:
    """One agent: reports when it is told to, looks anew every round, and gets a spike now and then."""
    await asyncio.sleep(first_s)
    chance = random.Random(application.name)
    talk = Conversation(application.name, f"{application.name}-1")
    reader, writer = await asyncio.open_connection(*door.place)
    head = f"POST {PATH} HTTP/1.1\r\nHost: coordinator\r\nAuthorization: Bearer {door.token}\r\n"
    state, looked_s = application.state(), time.monotonic()
    while time.monotonic() < until_s:
        if time.monotonic() - looked_s >= ROUND_S:
            if chance.random() < 0.05:
                factor = chance.choice((0.25, 0.5, 2.0, 4.0))
                application.rates = {
                    name: min(400.0, max(5.0, factor * rate)) for name, rate in application.rates.items()
                }
            application.rates = {name: rate * chance.uniform(0.98, 1.02) for name, rate in application.rates.items()}
            state, looked_s = application.state(), time.monotonic()
        report, talk = talk.reporting(state)
        raw = encode_report(report)
        sent_s, before_s = time.monotonic(), door.cpu_s()
        writer.write(f"{head}Content-Length: {len(raw)}\r\n\r\n".encode() + raw)
        status, body = await _response(reader)
        took_s = time.monotonic() - sent_s
        answers.append(Answered(sent_s, took_s, door.cpu_s() - before_s, len(raw)))
        if status == 200:
            order, talk = talk.answered(read_answer(body), took_s)
            if order is not None:
                application.give(order)
        await asyncio.sleep(talk.every_s)
    writer.close()


async def _response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    status = int((await reader.readline()).split()[1])
    length = 0
    while (line := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return status, await reader.readexactly(length)


def _application(name: str, cluster: SimulatedCluster, tenants: int, chance: random.Random) -> SimulatedApplication:
    rates = {f"t{number}": chance.uniform(5.0, 60.0) for number in range(tenants)}
    return SimulatedApplication(
        name, cluster, rates, wanted=CORES_EACH, utility=chance.choice((1.0, 5.0, 20.0)), most=16
    )


def _shares(name: str, seconds: Sequence[float]) -> Mapping[str, float | None]:
    found = sorted(seconds)
    shares = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))
    return {f"{name}_{label}": _ms(found, share) for label, share in shares}


def _ms(settled: Sequence[float], share: float) -> float | None:
    if not settled:
        return None
    return round(1000.0 * settled[min(len(settled) - 1, int(share * len(settled)))], 1)


if __name__ == "__main__":
    main()
