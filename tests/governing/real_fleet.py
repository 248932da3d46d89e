"""Two real drivers on a cluster, and two coordinators as programs over a PostgreSQL: what faults are for."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import yaml

from penstock.core.seen.view import View
from penstock.engines.applications.wire import Order, Reply, Serials, encode_answer
from penstock.errors import ConfigError
from penstock.local import processes
from penstock.local.postgres import PostgresFiles
from penstock.local.processes import Process
from penstock.store.open import open_store
from tests.governing.coordinators import Program, leader_of
from tests.governing.relay import Relay, relay_to
from tests.governing.two_drivers import RUN, TwoDrivers
from tests.patience import eventually

LEASE_S = 10.0  # shorter ones run out by themselves on a machine that starts two drivers


@dataclass
class RealFleet:
    """The drivers are yet to begin; fraud's agent finds the coordinators through relays."""

    drivers: TwoDrivers
    files: PostgresFiles
    stack: ExitStack
    database: ExitStack = field(default_factory=ExitStack)  # which runs
    programs: list[Program] = field(default_factory=list)
    gone: list[Program] = field(default_factory=list)  # those that were killed
    relays: list[Relay] = field(default_factory=list)
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)  # the newest driver of each name

    def __post_init__(self) -> None:
        self.place, self.tokens = self.drivers.place, self.drivers.tokens
        self.file = self.place / "fleet.yaml"
        self.file.write_text(yaml.safe_dump(self.drivers.governed(lease=LEASE_S)))
        self.stack.callback(self.stop_database)
        self.start_database()
        self.store = self.files.server.create("runs")
        for number in range(2):
            program = Program(self, number)
            self.stack.callback(program.end)
            self.programs.append(program)
            self.relays.append(self.stack.enter_context(relay_to(program.port)))

    def begin(self, name: str) -> None:
        """A driver."""
        urls = [one.url for one in (self.relays if name == "fraud" else self.programs)]
        self.running[name] = self.stack.enter_context(self.drivers.driver(name, *urls))

    def begin_again(self, program: Program) -> None:
        """Another one in place of that one, which was killed: at the same address."""
        again = Program(self, len(self.programs) + len(self.gone), program.port)
        self.stack.callback(again.end)
        self.programs[self.programs.index(program)] = again
        self.gone.append(program)

    def start_database(self) -> None:
        """PostgreSQL answers."""
        self.database.enter_context(self.files.running())

    def stop_database(self) -> None:
        """PostgreSQL is away."""
        self.database.close()

    def cut_off(self) -> None:
        """Fraud's agent finds no coordinator."""
        for relay in self.relays:
            relay.cut()

    def connect(self) -> None:
        """It finds them again."""
        for relay, program in zip(self.relays, self.programs, strict=True):
            relay.lead_to(program.port)

    def leader(self) -> tuple[Program, Program]:
        """Who leads, once one does, and the other one."""
        leads = leader_of(self.programs)
        (other,) = (one for one in self.programs if one is not leads)
        return leads, other

    def hears_from_one_that_is_over(self, epoch: int, executors: int) -> None:
        """Fraud's agent is answered by a coordinator of that epoch, which orders it to hold so many; then by ours."""
        leads, _ = self.leader()
        relay = self.relays[self.programs.index(leads)]
        with _over(Reply(epoch, None, 1.0, LEASE_S, Order(Serials(epoch, 10_000), executors))) as (port, heard):
            relay.lead_to(port)
            eventually(heard.is_set)
            relay.lead_to(leads.port)

    def runs(self) -> tuple[str, ...]:
        """The runs that are recorded; none before whoever leads has made the tables."""
        with suppress(ConfigError), closing(open_store(self.store, create=False)) as store:
            return tuple(run.id for run in store.runs())
        return ()

    def views(self) -> tuple[View, ...]:
        """The rounds that are recorded."""
        with closing(open_store(self.store, create=False)) as store:
            return tuple(store.views(RUN))


def executors(application: str) -> tuple[Process, ...]:
    """Those of it that run, by what stands on their command line."""
    found = processes.found_by("executor", application)
    return tuple(one for one in found if "--executor-id" in processes.command_of(one.pid))


@contextmanager
def _over(reply: Reply) -> Iterator[tuple[int, Event]]:
    """A coordinator that answers every report so; its port, and whether an agent has heard such an answer."""
    asked, heard = Event(), Event()

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if asked.is_set():  # who asks again has the first answer
                heard.set()
            asked.set()
            raw = encode_answer(reply)
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port, heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
