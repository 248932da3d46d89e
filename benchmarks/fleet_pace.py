"""How long a report waits for a coordinator whose rounds never pause, by the clock of the coordinator's own CPU.

    python benchmarks/fleet_pace.py --applications 200 --reports 4

On a machine that is shared the wall's clock tells of others. Here nothing goes by it: reports are due by the CPU that
the coordinator's process has used, 96 a second, and the time until an answer is the CPU that it used meanwhile. Rounds
follow one another at once, so that each report meets one. All is on one core. Prints one JSON document.
"""

import argparse
import json
import os
import random
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fleet_scale import CORES_EACH, Door, _application, _shares
from fleet_world import SimulatedApplication, SimulatedCluster

from penstock.engines.applications.conversation import Conversation
from penstock.engines.applications.link import PATH
from penstock.engines.applications.wire import Reply, encode_report

RATE = 96.0  # reports for each second of the coordinator's CPU
TENANTS = 10
_ENDS = b"\r\n\r\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--applications", type=int, default=200)
    parser.add_argument("--reports", type=int, default=4, help="of each")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if given.serve:
        serve(given.applications)
    else:
        print(json.dumps(measured(given.applications, given.reports)))


def measured(applications: int, reports: int) -> dict[str, Any]:
    """One fleet."""
    command = [sys.executable, __file__, "--serve", "--applications", str(applications)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        said = [_reports(one, reports) for one in _fleet(applications)]
        told = json.loads(server.stdout.readline())
        agents = Agents(Door(told["url"], told["token"], server.pid), said)
        took_s = agents.paced(reports)
        server.stdin.close()
        rounds = json.loads(server.stdout.readline())
        return {"applications": applications, "reports": len(took_s), **_shares("own_ms", took_s), **rounds}
    finally:
        server.kill()
        server.wait()


def _fleet(applications: int) -> list[SimulatedApplication]:
    chance, cluster = random.Random(7), SimulatedCluster(CORES_EACH * applications)
    return [_application(f"app-{number}", cluster, TENANTS, chance) for number in range(applications)]


def _reports(application: SimulatedApplication, count: int) -> list[bytes]:
    """The first one, and so many more, written beforehand: each says what changed, as if all were heard."""
    talk, found = Conversation(application.name, f"{application.name}-1"), []
    chance = random.Random(application.name)
    for _ in range(count + 1):
        application.rates = {name: rate * chance.uniform(0.98, 1.02) for name, rate in application.rates.items()}
        report, talk = talk.reporting(application.state())
        _, talk = talk.answered(Reply(1, talk.number, 2.0, 15.0), 0.0)
        found.append(encode_report(report))
    return found


class Agents:
    """All of them, over a connection each."""

    def __init__(self, door: Door, said: Sequence[Sequence[bytes]]) -> None:
        self._door = door
        self._said = said
        self._links = [socket.create_connection(door.place) for _ in said]
        self._by_fd = {link.fileno(): number for number, link in enumerate(self._links)}
        self._poll = select.epoll()
        for link in self._links:
            self._poll.register(link, select.EPOLLIN)
        self._sent: dict[int, float] = {}

    def paced(self, reports: int) -> list[float]:
        """How long each took, by the coordinator's clock, after all have joined."""
        for number in range(len(self._said)):
            self._say(number, 0)
            self._until(lambda: not self._sent)
        took_s: list[float] = []
        due_s = self._door.cpu_s()
        for turn in range(1, reports + 1):
            for number in range(len(self._said)):
                due_s += 1.0 / RATE
                self._until(lambda n=number, at=due_s: self._door.cpu_s() >= at and n not in self._sent, took_s)  # type: ignore[misc]
                self._say(number, turn)
        self._until(lambda: not self._sent, took_s)
        return took_s

    def _say(self, number: int, turn: int) -> None:
        raw = self._said[number][turn]
        head = f"POST {PATH} HTTP/1.1\r\nHost: coordinator\r\nAuthorization: Bearer {self._door.token}\r\n"
        self._sent[number] = self._door.cpu_s()
        self._links[number].sendall(f"{head}Content-Length: {len(raw)}".encode() + _ENDS + raw)

    def _until(self, done: Callable[[], bool], took_s: list[float] | None = None) -> None:
        while not done():
            for fd, _ in self._poll.poll(0.001):
                number = self._by_fd[fd]
                own_s = self._answered(self._links[number], number)
                if took_s is not None:
                    took_s.append(own_s)

    def _answered(self, link: socket.socket, number: int) -> float:
        """What the coordinator used until the answer began; it is read to its end."""
        raw = link.recv(65536)
        own_s = self._door.cpu_s() - self._sent.pop(number)
        if b" 200 " not in raw[:20]:
            raise RuntimeError(f"the coordinator answers {raw[:200]!r}")
        while _ENDS not in raw or len(raw.partition(_ENDS)[2]) < _length(raw):
            raw += link.recv(65536)
        return own_s


def _length(raw: bytes) -> int:
    return next(int(line[15:]) for line in raw.lower().split(b"\r\n") if line.startswith(b"content-length:"))


# The coordinator, in a process of its own


def serve(applications: int) -> None:
    """Coordinate without a pause until standard input ends."""
    from penstock.config.coordination import CoordinationFile
    from penstock.governing.coordinating import Coordination, Coordinator
    from penstock.web.agents_door import AgentsDoor, agent_tokens, new_agent_token

    place = Path(tempfile.mkdtemp())
    fleet = {"name": "pace", "cluster": {"cores": CORES_EACH * applications}, "interval": 0.05, "lease": 3000}
    rounds: list[float] = []
    how = Coordination(str(place / "runs.sqlite"))
    coordinator = Coordinator(
        CoordinationFile.model_validate(fleet), how, on_view=lambda view: rounds.append(view.at_s)
    )
    token = new_agent_token(place / "tokens.json", "*")
    tokens = agent_tokens(place / "tokens.json")
    with AgentsDoor(coordinator.hear, lambda: tokens).open() as door:
        threading.Thread(target=coordinator.run, daemon=True).start()
        while not rounds:
            time.sleep(0.1)
        print(json.dumps({"url": door.url, "token": token}), flush=True)
        begun, cpu_s = len(rounds), time.process_time()
        sys.stdin.read()
        used_s = round(time.process_time() - cpu_s, 1)
        print(json.dumps({"rounds": len(rounds) - begun, "cpu_s": used_s}), flush=True)
        coordinator.stop()
    shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
