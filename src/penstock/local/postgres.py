"""A PostgreSQL of our own from Debian's package, in a scratch directory on a free loopback port: from start to end."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from penstock.errors import EngineError

_READY_WITHIN_S = 60.0
_LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A running server of one user, who may do everything."""

    port: int
    password: str = field(repr=False)

    def url(self, database: str = "postgres") -> str:
        """Where clients find a database of it."""
        return f"postgresql://penstock:{self.password}@127.0.0.1:{self.port}/{database}"

    def create(self, database: str) -> str:
        """A new database; its URL."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}"'.encode())
        return self.url(database)


@contextmanager
def running_postgres(password: str, settings: Mapping[str, object] | None = None) -> Iterator[PostgresServer]:
    """A server until the end of the block; `settings` are PostgreSQL's own."""
    with postgres_files(password) as files, files.running(settings):
        yield files.server


@dataclass(frozen=True, slots=True)
class PostgresFiles:
    """What a server keeps on disk, and its place: it can run, end and run again."""

    server: PostgresServer
    binaries: Path
    home: Path
    user: str | None

    @contextmanager
    def running(self, settings: Mapping[str, object] | None = None) -> Iterator[None]:
        """The server answers until the end of the block."""
        with _started(self.server, self.binaries, self.home, self.user, settings or {}):
            yield


@contextmanager
def postgres_files(password: str) -> Iterator[PostgresFiles]:
    """A new server's files, until the end of the block."""
    binaries = _binaries()
    home = Path(tempfile.mkdtemp(prefix="penstock-postgres-"))
    user = _unprivileged()
    try:
        if user is not None:
            shutil.chown(home, user)
        _initdb(binaries, home, user, password)
        with held_port() as port:
            yield PostgresFiles(PostgresServer(port, password), binaries, home, user)
    finally:
        shutil.rmtree(home)


@contextmanager
def held_port() -> Iterator[int]:
    """A loopback port of our own: nobody is given it by chance, and a server that reuses addresses may listen at it.

    A port that is found free and let go is anybody's until the server listens; that takes PostgreSQL seconds at times.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise EngineError("PostgreSQL is needed and none is installed: apt-get install postgresql")
    return Path(on_path).parent


def _unprivileged() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _initdb(binaries: Path, home: Path, user: str | None, password: str) -> None:
    secret = home / "password"
    secret.write_text(password)
    options = ["--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
    command = [str(binaries / "initdb"), "-D", str(home / "data"), "-U", "penstock", *options]
    done = subprocess.run(command, user=user, cwd=home, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EngineError(f"PostgreSQL's initdb failed: {' '.join(done.stderr.strip().splitlines()[-1:])}")


@contextmanager
def _started(
    server: PostgresServer, binaries: Path, home: Path, user: str | None, settings: Mapping[str, object]
) -> Iterator[None]:
    own = {"listen_addresses": "127.0.0.1", "port": server.port, "unix_socket_directories": home, "fsync": "off"}
    options = [f"--{name}={value}" for name, value in {**own, **settings}.items()]
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [binaries / "postgres", "-D", home / "data", *options],
            user=user,
            cwd=home,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C in the terminal is for us, and we end it
        )
    try:
        _wait_until_ready(server, process, home / "log")
        yield
    finally:
        process.send_signal(signal.SIGINT)  # a fast shutdown: clients are cut off
        process.wait(timeout=_READY_WITHIN_S)


def _wait_until_ready(server: PostgresServer, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    while True:
        try:
            psycopg.connect(server.url(), connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                lines = log.read_text(errors="replace").strip().splitlines()
                raise EngineError(f"PostgreSQL did not start: {' '.join(lines[-1:])}") from None
            time.sleep(_LOOK_EVERY_S)
