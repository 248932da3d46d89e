"""A real PostgreSQL from Debian's package, started by the tests on a free loopback port and ended by them."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

PASSWORD = "s3cret-Wort"
READY_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    """A running server of one user, who may do everything."""

    port: int

    def url(self, database: str, password: str = PASSWORD) -> str:
        return f"postgresql://penstock:{password}@127.0.0.1:{self.port}/{database}"

    def create(self, database: str) -> str:
        """A new database; its URL."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}"'.encode())
        return self.url(database)


@contextmanager
def running_server() -> Iterator[Server]:
    binaries = _binaries()
    home = Path(tempfile.mkdtemp(prefix="penstock-postgres-"))
    user = _unprivileged()
    try:
        if user is not None:
            shutil.chown(home, user)
        _initdb(binaries, home, user)
        with _started(binaries, home, user) as server:
            yield server
    finally:
        shutil.rmtree(home)


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        pytest.fail("PostgreSQL is not installed, and these tests need a real one: apt-get install postgresql")
    return Path(on_path).parent


def _unprivileged() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _initdb(binaries: Path, home: Path, user: str | None) -> None:
    secret = home / "password"
    secret.write_text(PASSWORD)
    options = ["--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
    command = [str(binaries / "initdb"), "-D", str(home / "data"), "-U", "penstock", *options]
    subprocess.run(command, check=True, user=user, cwd=home, stdout=subprocess.DEVNULL)


@contextmanager
def _started(binaries: Path, home: Path, user: str | None) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": home, "fsync": "off"}
    options = [f"--{name}={value}" for name, value in settings.items()]
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [binaries / "postgres", "-D", home / "data", *options], user=user, cwd=home, stdout=log, stderr=log
        )
    try:
        _wait_until_ready(Server(port), process, home / "log")
        yield Server(port)
    finally:
        process.send_signal(signal.SIGINT)  # a fast shutdown: clients are cut off
        process.wait(timeout=READY_WITHIN_S)


def _wait_until_ready(server: Server, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while True:
        try:
            psycopg.connect(server.url("postgres"), connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"PostgreSQL did not start: {log.read_text()}")
            time.sleep(0.05)
