"""A PostgreSQL of our own in a scratch directory, with the table that the lookup task asks: from start to end."""

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

from penstock.errors import ConfigError, EngineError
from penstock.workloads.tasks.table_get import COLUMNS, TABLE

_READY_WITHIN_S = 60.0
_LOOK_EVERY_S = 0.05
_COLUMN_CHARS = 10  # with 20 columns records of about 200 bytes
_SETTINGS = {"fsync": "off", "max_connections": 256, "shared_buffers": "128MB", "listen_addresses": "127.0.0.1"}


@dataclass(frozen=True, slots=True)
class TableService:
    """A running server and how many records its table holds."""

    url: str
    rows: int


@contextmanager
def table_service(rows: int = 2_000_000) -> Iterator[TableService]:
    """A server on a free port with the table filled, until the end of the block."""
    if rows < 1:
        raise ConfigError("rows", rows, "the table needs at least 1 record")
    binaries = _binaries()
    home = Path(tempfile.mkdtemp(prefix="penstock-table-"))
    user = _unprivileged()
    try:
        if user is not None:
            shutil.chown(home, user)
        _initdb(binaries, home, user)
        with _running(binaries, home, user) as url:
            _fill(url, rows)
            yield TableService(url, rows)
    finally:
        shutil.rmtree(home)


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise EngineError("the table task needs PostgreSQL and none is installed: apt-get install postgresql")
    return Path(on_path).parent


def _unprivileged() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _initdb(binaries: Path, home: Path, user: str | None) -> None:
    # Trust: the server listens on loopback only, lives for minutes and holds made-up records.
    options = ["--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
    command = [str(binaries / "initdb"), "-D", str(home / "data"), "-U", "penstock", *options]
    done = subprocess.run(command, user=user, cwd=home, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EngineError(f"PostgreSQL's initdb failed: {done.stderr.strip().splitlines()[-1:]}")


@contextmanager
def _running(binaries: Path, home: Path, user: str | None) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--{name}={value}" for name, value in {**_SETTINGS, "port": port}.items()]
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [binaries / "postgres", "-D", home / "data", f"--unix_socket_directories={home}", *options],
            user=user,
            cwd=home,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C in the terminal is for us, and we end it
        )
    try:
        url = f"postgresql://penstock@127.0.0.1:{port}/postgres"
        _wait_until_ready(url, process, home / "log")
        yield url
    finally:
        process.send_signal(signal.SIGINT)  # a fast shutdown: clients are cut off
        process.wait(timeout=_READY_WITHIN_S)


def _wait_until_ready(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    while True:
        try:
            psycopg.connect(url, connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                lines = log.read_text(errors="replace").strip().splitlines()
                raise EngineError(f"PostgreSQL did not start: {' '.join(lines[-1:])}") from None
            time.sleep(_LOOK_EVERY_S)


def _fill(url: str, rows: int) -> None:
    names = [f"c{number}" for number in range(1, COLUMNS)]
    columns = ", ".join(f"{name} text" for name in names)
    values = ", ".join(
        f"lpad((id * {number} % 1000000007)::text, {_COLUMN_CHARS}, 'x')" for number in range(1, COLUMNS)
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE UNLOGGED TABLE {TABLE} (id bigint, {columns})".encode())
        connection.execute(
            f"INSERT INTO {TABLE} SELECT id, {values} FROM generate_series(0::bigint, {rows - 1}) AS id".encode()
        )
        connection.execute(f"ALTER TABLE {TABLE} ADD PRIMARY KEY (id)".encode())
        connection.execute(f"ANALYZE {TABLE}".encode())
