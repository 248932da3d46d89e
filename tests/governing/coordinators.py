"""Coordinators as programs, over a simulated cluster whose page they read, and agents that report to them."""

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

import yaml
from fleet_world import SimulatedApplication, SimulatedCluster

from penstock.engines.applications.agent import Agent
from penstock.engines.applications.link import Link
from penstock.web.agents_door import new_agent_token
from tests.cli.calling import command, environment
from tests.harness.ports import own_port
from tests.patience import eventually

CORES = 6
MOST = 4  # executors of one application, by the fleet's file
LEASE_S = 4.0
_QUICK = {"interval": 0.3, "report": 0.1, "lease": LEASE_S, "settings": {"penstock": {"executors": {"settle_s": 0.5}}}}


class Together(Protocol):
    """What the coordinators of one fleet have in common: their file, the store, the hashes of agents' tokens."""

    place: Path
    store: str
    tokens: Path
    file: Path


class Program:
    """One `penstock coordinate`."""

    def __init__(self, fleet: Together, number: int, port: int | None = None, *more: str) -> None:
        self.port = own_port() if port is None else port
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = fleet.place / f"coordinator-{number}.log"
        kept = ["--store", fleet.store, "--agent-tokens", str(fleet.tokens), "--agents-port", str(self.port), *more]
        with self.log.open("wb") as said:
            self.process = subprocess.Popen(
                command("coordinate", str(fleet.file), *kept), env=environment(), stdout=said, stderr=said
            )

    def said(self) -> str:
        """All that it has said so far."""
        return self.log.read_text(encoding="utf-8")

    def epochs(self) -> list[int]:
        """Those in which it has led."""
        return [int(found) for found in re.findall(r"leads lab in epoch (\d+)", self.said())]

    def leads(self) -> bool:
        """Whether it leads, by the last that it said of that."""
        said = self.said()
        return said.rfind("leads lab in epoch") > said.rfind("no longer leads lab")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def freeze(self) -> None:
        """Stop it; on a busy machine it is some time until all its threads stand still."""
        self.signal(signal.SIGSTOP)
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)

    def wake(self) -> None:
        """Let it go on."""
        self.signal(signal.SIGCONT)

    def kill(self) -> None:
        """As the kernel does that wants memory."""
        self.process.kill()
        self.process.wait()

    def ended(self) -> int:
        """How it ended; a failure where it does not."""
        return eventually(lambda: (self.process.poll(),) if self.process.poll() is not None else None)[0] or 0

    def end(self) -> None:
        """Whatever it is about."""
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()


def leader_of(programs: Sequence[Program]) -> Program:
    """The one that leads, once one does."""
    return eventually(lambda: next((one for one in programs if one.leads()), None))


def check_epochs(programs: Sequence[Program]) -> None:
    """No two have led in one epoch."""
    epochs = [epoch for program in programs for epoch in program.epochs()]
    assert len(epochs) == len(set(epochs)), epochs


@dataclass
class Fleet:
    """Two applications that share six cores, and whoever coordinates them."""

    place: Path
    stack: ExitStack
    store: str = ""
    cluster: SimulatedCluster = field(default_factory=lambda: SimulatedCluster(CORES))
    programs: list[Program] = field(default_factory=list)
    agents: list[Agent] = field(default_factory=list)
    answers: threading.Event = field(default_factory=threading.Event)  # the master does

    def __post_init__(self) -> None:
        self.store = self.store or str(self.place / "runs.sqlite")
        self.tokens = self.place / "agent-tokens.json"
        self.token = new_agent_token(self.tokens, "*")
        self.file = self.place / "fleet.yaml"
        self.answers.set()
        page = self.stack.enter_context(_page_of(self.cluster, self.answers))
        limits = {"others": {"max_executors": MOST}}
        self.file.write_text(yaml.safe_dump({"name": "lab", "cluster": {"standalone": page}, **_QUICK, **limits}))

    def begin(self, port: int | None = None, *more: str) -> Program:
        """One more coordinator; it may not listen yet."""
        program = Program(self, len(self.programs), port, *more)
        self.stack.callback(program.end)
        self.programs.append(program)
        return program

    def governed(self, application: SimulatedApplication, *urls: str) -> Agent:
        """The application, with an agent that knows these coordinators."""
        agent = Agent(application.name, application, Link(urls, self.token, within_s=2.0))
        agent.start()
        self.stack.callback(agent.stop)
        self.agents.append(agent)
        return agent

    def leader(self, of: "list[Program]") -> Program:
        """The one that leads, of these."""
        return leader_of(of)

    def followed(self, epoch: int) -> None:
        """Wait until every agent obeys somebody of a later epoch."""
        eventually(lambda: all(agent.talk.epoch > epoch for agent in self.agents))

    def check(self) -> None:
        """What holds after whatever happened: one leads, and one led in each epoch; orders in turn, a budget that adds
        up, and nobody told to have more than it may.
        """
        check_epochs(self.programs)
        living = [program for program in self.programs if program.process.poll() is None]
        eventually(lambda: not living or [program.leads() for program in living].count(True) == 1)
        assert self.cluster.most_wanted <= CORES
        for one in self.cluster.applications.values():
            serials = [order.serials for order in one.given]
            assert serials == sorted(set(serials))
            assert all(one.least <= order.executors <= MOST for order in one.given)


@contextmanager
def _page_of(cluster: SimulatedCluster, answers: threading.Event) -> Iterator[str]:
    """The page of a standalone master, with what the simulated cluster has; one that stands still takes calls only."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers.wait()
            raw = json.dumps(_said_by(cluster)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            with suppress(OSError):  # who asked a master that stood still has hung up
                self.wfile.write(raw)

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        answers.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _said_by(cluster: SimulatedCluster) -> dict[str, Any]:
    room = cluster.room()
    (machine,) = room.workers
    worker = {"host": "10.0.0.1", "port": 1, "cores": machine.cores, "coresfree": machine.free_cores, "state": "ALIVE"}
    applications = [{"id": name, "cores": cores, "memoryperexecutor": 512} for name, cores in room.held.items()]
    return {"workers": [{**worker, "memory": 65536, "memoryfree": 65536}], "activeapps": applications}
