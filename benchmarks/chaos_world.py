"""The world that the nemesis strikes: the driver under its supervisor, the cluster, the broker and the database."""

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import chaos_clock
import chaos_routes
from chaos_acts import flood
from chaos_apart import cut, full, unplugged
from chaos_faults import AHEAD, BROKER_LINK, DATABASE_DISK, DATABASE_LINK, ROUTED, Fault, Kind
from chaos_history import Rerouted
from chaos_postgres import DATABASE_ADDRESS, Postgres, send
from chaos_record import RUN, Watched, rerouted
from soak_driver import executors, jvms

from penstock.errors import PenstockError, TakenOverError
from penstock.local import processes
from penstock.local.kafka import broker
from penstock.local.spark import standalone
from penstock.local.spark.hosts import Host, Net

HERE = Path(__file__).parent
AWAY_S = 5.0  # so long a broker, a database, a worker is away that was killed
ENDS_WITHIN_S = 180.0
TAKES_WITHIN_S = 420.0  # as long as a first driver may take to begin: until then the one before governs on
TOLD = 80  # characters of a command line, at its end: JVMs differ by what stands there
HOUR_S = 3600
DATABASE = "database"  # whose folder that is
BROKER_ADDRESS = "127.0.0.31"  # as clients on this host have it
MOVED_WITHIN_S = 120.0  # its driver may be killed as its table is asked for
SOCKETS, STREAMS, WHAT_IFS = 300, 60, 10


def tell(text: str) -> None:
    """To whoever watches."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


@dataclass(slots=True)
class World:
    """What runs. `wrong` is what it saw itself that should not be."""

    place: Path
    names: Sequence[str]
    postgres: Postgres
    apart: bool = False  # with a disk and a network of its own
    net: Net | None = None  # the workers' hosts there
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)  # faults that struck nobody
    broker_address: str = BROKER_ADDRESS
    tables: list[Rerouted] = field(default_factory=list)  # that were asked for
    supervisor: "subprocess.Popen[bytes] | None" = None
    _lives: int = 0
    _acts: Iterator[int] = field(default_factory=lambda: count(1))  # the numbers of acts that nobody asked for yet
    _all: "list[subprocess.Popen[bytes]]" = field(default_factory=list)
    _one_driver: threading.Lock = field(default_factory=threading.Lock)

    @property
    def store(self) -> str:
        """Where the run is recorded."""
        return self.postgres.url

    @property
    def ended(self) -> bool:
        """Whether nobody governs any more, and nobody will."""
        return self.supervisor is None or self.supervisor.poll() is not None

    def start(self) -> None:
        """A supervisor with its driver, on the run that there is."""
        log = self.place / f"driver-{self._lives}.log"
        self._lives += 1
        given = ["--restart", "--run-id", RUN, "--store", self.postgres.drivers_url, "--dashboard", "--port", "0"]
        command = [sys.executable, "-m", "penstock.cli.main", "run", str(self.place / "tenants.yaml"), *given]
        paths = os.pathsep.join([str(self.place), os.environ.get("PYTHONPATH", "")])  # the nemesis's policy
        environment = {**os.environ, "XDG_STATE_HOME": str(self.place / "state"), "PYTHONPATH": paths}
        if chaos_clock.COMPILER is not None:
            environment |= chaos_clock.environment(self.place)
        with log.open("wb") as said:
            self.supervisor = subprocess.Popen(
                command, stdout=said, stderr=said, env=environment, start_new_session=True
            )
        self._all.append(self.supervisor)

    def look(self) -> None:
        """A supervisor that has ended by itself is a breach, and is started again: rows are still to be counted."""
        with self._one_driver:
            if self.ended:
                assert self.supervisor is not None
                self.wrong.append(f"the supervisor ended by itself with exit code {self.supervisor.returncode}")
                self.start()

    def end(self) -> None:
        """All drivers at once."""
        for one in self._all:
            send(processes.family(one.pid), signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                one.wait(10.0)

    def strike(self, fault: Fault) -> None:
        """Let it go wrong; over when this returns."""
        time.sleep(fault.after_s)
        try:
            deeds: dict[Kind, Callable[[Fault], object]] = {
                Kind.KILL: self._kill,
                Kind.STOP: self._stop,
                Kind.SECOND: self._second,
                Kind.LOSE: self._lose,
                Kind.FLOOD: self._flood,
                Kind.TAKE: self._take,
                Kind.FILL: self._fill,
                Kind.CUT: self._cut,
                Kind.SET: self._set,
                Kind.MOVE: self._move,
            }
            deeds[fault.kind](fault)
        except Exception as error:  # mostly whom it was to strike is not there: the other one struck before
            tell(f"{fault.text}: {error}")
            self.missed.append(fault.text)

    def _stop(self, fault: Fault) -> None:
        pids = self._pids(fault.whom)
        send(pids, signal.SIGSTOP)
        time.sleep(fault.length_s)
        send(pids, signal.SIGCONT)

    def _fill(self, fault: Fault) -> None:
        with full(self.place / (DATABASE if fault.whom == DATABASE_DISK else "checkpoints")):
            time.sleep(fault.length_s)
        if fault.whom == DATABASE_DISK:
            time.sleep(AWAY_S)
            until_it_works(self.postgres.revive_if_ended)

    def _cut(self, fault: Fault) -> None:
        """A link of the broker or of the database is its address: nobody who knows it by that one reaches it."""
        address = {BROKER_LINK: self.broker_address, DATABASE_LINK: DATABASE_ADDRESS}.get(fault.whom)
        if address is None and self.net is not None:
            broken = unplugged(self.net.hosts[0])
        else:
            broken = cut(address or standalone.worker_address(0))
        with broken:
            time.sleep(fault.length_s)

    def _move(self, fault: Fault) -> None:
        """Over once a round tells what came of it; the laws say which tables may be in force then."""
        if fault.whom not in self.names:
            raise LookupError(f"no tenant {fault.whom} is there")
        before, deadline = rerouted(self.store, fault.whom), time.monotonic() + MOVED_WITHIN_S
        held = self.table_of(fault.whom)
        self.tables.append(Rerouted(fault.whom, chaos_routes.ask_table(self.place, fault.whom), held, time.time()))
        while rerouted(self.store, fault.whom) <= before:
            if time.monotonic() > deadline:
                raise TimeoutError(f"nobody took up the table within {MOVED_WITHIN_S:.0f} s")
            time.sleep(0.5)

    def table_of(self, tenant: str) -> int | None:
        """The number of the table that is in force, of those that were asked for; None where no book tells."""
        newest = chaos_routes.asked_tables(self.place).get(tenant, 0)
        with contextlib.suppress(OSError, PenstockError):  # what the nemesis has struck: the book is not there
            return chaos_routes.in_force(self.place / "checkpoints" / tenant, newest)
        return None

    def _set(self, fault: Fault) -> None:
        with chaos_clock.set_by(self.place, HOUR_S if fault.whom == AHEAD else -HOUR_S):
            time.sleep(fault.length_s)

    def _take(self, fault: Fault) -> None:
        """It can open no other: the lowest number that is free is one too many."""
        (pid,) = self._pids(fault.whom)
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (lowest_free(Path(f"/proc/{pid}/fd")), before[1]))
        time.sleep(fault.length_s)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

    def _kill(self, fault: Fault) -> None:
        whom = fault.whom
        if whom == "supervisor":
            self._kill_supervisor()
            return
        again = _lines(self._pids(whom)[0]) if whom in ("master", "worker") else None
        send(self._pids(whom), signal.SIGKILL)
        if whom not in ("master", "worker", "broker", "PostgreSQL"):
            return
        time.sleep(AWAY_S)
        if whom == "PostgreSQL":
            until_it_works(self.postgres.revive)
        elif whom == "broker":
            until_it_works(lambda: broker.restart(self.place / "kafka.json"))
        elif again is not None:
            command, environment = again
            host = self._host(environment.get("SPARK_LOCAL_IP", ""))
            inside = command if host is None else host.inside(command)
            processes.start(whom, inside, self.place / "cluster" / f"{whom}-again.log", environment)

    def _host(self, address: str) -> Host | None:
        """Where a worker of that address lives; the master lives on none of them."""
        return next((host for host in (self.net.hosts if self.net else ()) if host.address == address), None)

    def _kill_supervisor(self) -> None:
        """Its driver is to notice, and to leave the run to the next one, which comes at once."""
        with self._one_driver:
            assert self.supervisor is not None
            left = processes.family(self.supervisor.pid)[1:]
            self.supervisor.kill()
            self.supervisor.wait()
            self.start()
        deadline = time.monotonic() + ENDS_WITHIN_S
        while still := [pid for pid in left if processes.start_ticks(pid) is not None]:
            if time.monotonic() > deadline:
                who = "; ".join(" ".join(processes.command_of(pid))[-TOLD:] for pid in still)
                self.wrong.append(f"without their supervisor there were after {ENDS_WITHIN_S:.0f} s: {who}")
                send(left, signal.SIGKILL)
                return
            time.sleep(0.5)

    def _second(self, fault: Fault) -> None:
        """Another driver takes the run up; the one before is to end, and to say why."""
        with self._one_driver:
            before = self.supervisor
            assert before is not None
            self._start_and_wait_until_it_took_over(before)
            try:
                code = before.wait(ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                self.wrong.append(f"the driver whose run was taken over was there {ENDS_WITHIN_S:.0f} s later")
                send(processes.family(before.pid), signal.SIGKILL)
                return
        if code != TakenOverError.exit_code:
            self.wrong.append(f"the driver whose run was taken over ended with {code}, not {TakenOverError.exit_code}")

    def _start_and_wait_until_it_took_over(self, before: "subprocess.Popen[bytes]") -> None:
        """How long it takes to begin is a matter of the machine: the end of the one before counts from then on."""
        watched, deadline = Watched(self.store), time.monotonic() + TAKES_WITHIN_S
        watched.look()
        epoch = max((held.epoch for held in watched.held), default=0)
        self.start()
        while before.poll() is None and all(held.epoch <= epoch for held in watched.held[-1:]):
            if time.monotonic() > deadline:
                self.wrong.append(f"a second driver had not taken the run within {TAKES_WITHIN_S:.0f} s")
                return
            time.sleep(0.5)
            watched.look()

    def _lose(self, fault: Fault) -> None:
        """A book comes back after a while, as from a backup: until then its tenant is not to start.

        A checkpoint goes once nobody writes to it: what executors wrote of its state afterwards would be a checkpoint
        that holds state and no batch, and Spark refuses such a one.
        """
        checkpoint = self.place / "checkpoints" / (self.names[0] if fault.whom == "checkpoint" else ROUTED[0])
        if fault.whom == "checkpoint":
            _killed([*self._pids("driver"), *executors(self.place)])
            shutil.rmtree(checkpoint)
            return
        send(self._pids("driver"), signal.SIGKILL)
        kept = aside(checkpoint / "routing")
        time.sleep(fault.length_s)
        if (checkpoint / "routing").exists():
            self.wrong.append(f"a book was begun anew beside {checkpoint.name}, whose own was lost")
            shutil.rmtree(checkpoint / "routing")
        kept.rename(checkpoint / "routing")

    def _flood(self, fault: Fault) -> None:
        if fault.whom == "acts":
            flood(self.store, self.names, self._acts)
            return
        port = self._port()
        if port is None:
            raise ProcessLookupError("no page to attack")
        counts = [f"--sockets={SOCKETS}", f"--streams={STREAMS}", f"--what-ifs={WHAT_IFS}"]
        command = [sys.executable, str(HERE / "web_attack.py"), "--attack", port, f"--for={fault.length_s:.0f}"]
        limit_s = fault.length_s + 120.0
        came = subprocess.run([*command, *counts], capture_output=True, check=True, timeout=limit_s).stdout
        if not any(times for kind, times in json.loads(came).items() if "no connection" not in kind):
            raise ConnectionError("the flood reached nobody")

    def _pids(self, whom: str) -> list[int]:
        """Those that are struck; an OSError where nobody is there."""
        found = self._found(whom)
        if not found:
            raise ProcessLookupError(f"no {whom} is there")
        return found

    def _found(self, whom: str) -> list[int]:
        if whom == "executor":
            return executors(self.place)[:1]
        if whom in ("master", "worker"):
            mark = str(standalone.settings_of(self.place / "cluster.json"))
            known = sorted(processes.found_by(whom, mark), key=lambda one: one.pid)
            kind = f"org.apache.spark.deploy.{whom}.{whom.capitalize()}"
            return [one.pid for one in known if kind in processes.command_of(one.pid)][:1]
        if whom == "broker":
            up = broker.status(self.place / "kafka.json")
            return [] if up is None or up.process is None else [up.process.pid]
        if whom == "PostgreSQL":
            return self.postgres.pids
        assert self.supervisor is not None
        return self._of_driver(whom, processes.family(self.supervisor.pid))

    def _of_driver(self, whom: str, pids: Sequence[int]) -> list[int]:
        if whom == "supervisor":
            return list(pids[:1])
        return {"driver": list(pids[1:]), "Python": pythons(pids[1:])[:1], "JVM": jvms(pids[1:])[:1]}[whom]

    def _port(self) -> str | None:
        said = (self.place / f"driver-{self._lives - 1}.log").read_text(encoding="utf-8", errors="replace")
        found = re.findall(r"http://127\.0\.0\.1:(\d+)", said)
        return found[-1] if found else None


def lowest_free(folder: Path) -> int:
    """Of a process's descriptors: what it would get next."""
    taken = {int(name) for name in os.listdir(folder)}
    return next(number for number in range(len(taken) + 1) if number not in taken)


def pythons(pids: Sequence[int]) -> list[int]:
    """Those that are a driver's Python: not what archives classes beside it, whose number may be the lower one."""
    return [pid for pid in pids if "--supervisor" in processes.command_of(pid)]


def _killed(pids: Sequence[int]) -> None:
    """Until none of them is there."""
    known = [(pid, processes.start_ticks(pid)) for pid in pids]
    send(pids, signal.SIGKILL)
    deadline = time.monotonic() + ENDS_WITHIN_S
    while any(ticks is not None and processes.start_ticks(pid) == ticks for pid, ticks in known):
        if time.monotonic() > deadline:
            raise TimeoutError(f"killed processes were there after {ENDS_WITHIN_S:.0f} s")
        time.sleep(0.01)


def until_it_works(start: Callable[[], object]) -> None:
    """What is slow to begin on a busy machine must not stay away for good: all later faults would be judged by that."""
    deadline = time.monotonic() + ENDS_WITHIN_S
    while True:
        try:
            start()
            return
        except (OSError, subprocess.SubprocessError, PenstockError) as error:
            if time.monotonic() > deadline:
                raise
            tell(f"it is tried again: {error}")
            time.sleep(AWAY_S)


def _lines(pid: int) -> tuple[list[str], dict[str, str]]:
    """How a process was started: its command, and its environment."""
    command = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    given = Path(f"/proc/{pid}/environ").read_bytes().rstrip(b"\0").split(b"\0")
    return [part.decode() for part in command], dict(part.decode().split("=", 1) for part in given if b"=" in part)


def aside(book: Path) -> Path:
    """Put where it is found again, beside its checkpoint: what fills up is a disk of the checkpoints' own.

    Nothing is moved from one disk to another, which would find no room there, or not the rights.
    """
    kept = book.parent.with_name(f"{book.parent.name}-book")
    book.rename(kept)
    return kept
