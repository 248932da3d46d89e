"""An event log comes from a history server by its address alone; what answers there and is none is told."""

import json
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.find_spark_home import _find_spark_home

from penstock.calls.advised import events_of
from penstock.engines.spark.history.files import log_at
from penstock.engines.spark.history.replay import queries_in
from penstock.engines.spark.history.server import _LEFT_FREE, download
from penstock.errors import ConfigError
from tests.harness.ports import own_port
from tests.patience import eventually

DATA = Path(__file__).parents[3] / "data"
ROLLED = next(DATA.glob("eventlog_v2_*"))


BROKEN_OFF = b"half of it"


@contextmanager
def answering(pages: Mapping[str, Any]) -> Iterator[str]:
    """A server that has these pages, and says 404 to any other; a number is what it says."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path, 404)
            self.send_response(page if isinstance(page, int) else 200)
            if page == BROKEN_OFF:
                self.send_header("Content-Length", "100")
            self.end_headers()
            if not isinstance(page, int):
                self.wfile.write(page if isinstance(page, bytes) else json.dumps(page).encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def application(name: str, *attempts: tuple[float, str | None]) -> dict[str, Any]:
    told = [{"lastUpdatedEpoch": at, **({} if number is None else {"attemptId": number})} for at, number in attempts]
    return {"id": name, "attempts": told}


def packed(name: str) -> bytes:
    held = BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(name, "{}\n")
    return held.getvalue()


@pytest.mark.sockets
def test_the_attempt_that_was_heard_of_last_is_taken_whatever_order_they_are_told_in(tmp_path: Path) -> None:
    old, new = application("app-1", (5, None)), application("app-2", (7, "1"), (9, "2"))
    pages = {
        "/spark/api/v1/applications": [old, new],
        "/spark/api/v1/applications/app-1": old,
        "/spark/api/v1/applications/app-2/2/logs": packed("app-2_2"),
        "/spark/api/v1/applications/app-1/logs": packed("app-1"),
    }
    with answering(pages) as server:
        for place, name in (("/spark/", "app-2_2"), ("/spark/history/app-1/jobs/", "app-1")):
            folder = tmp_path / name
            folder.mkdir()
            assert log_at(download(server + place, folder)).name == name


@pytest.mark.sockets
@pytest.mark.parametrize(
    ("pages", "path", "told"),
    [
        ({}, "", "it says 404 to applications"),
        ({"/api/v1/applications": b"<html>"}, "", "what answers there is none"),
        ({"/api/v1/applications": b"[" * 100_000}, "", "what answers there is none"),
        ({"/api/v1/applications": ["app-1"]}, "", "what answers there is none"),
        ({"/api/v1/applications": [{"attempts": [{}]}]}, "", "what answers there is none"),
        ({"/api/v1/applications": [{"id": "a", "attempts": None}]}, "", "what answers there is none"),
        ({"/api/v1/applications": [application("a", (float("inf"), None))]}, "", "what answers there is none"),
        ({"/api/v1/applications/a": []}, "/history/a", "it has no application yet|what answers there is none"),
        ({"/api/v1/applications": []}, "", "it has no application yet"),
        ({"/api/v1/applications": 401}, "", "it wants a login, which is not sent; give the folder"),
        ({}, "/history/app-9/", "it says 404 to applications/app-9: name an application that it has"),
        (
            {"/api/v1/applications": [application("a", (1, None))], "/api/v1/applications/a/logs": b"no"},
            "",
            "hands out no event logs",
        ),
        (
            {"/api/v1/applications/a": application("a", (1, None)), "/api/v1/applications/a/logs": BROKEN_OFF},
            "/history/a",
            "ask again: the log broke off in the middle",
        ),
    ],
)
def test_what_is_none_is_told_with_the_remedy(pages: Mapping[str, Any], path: str, told: str, tmp_path: Path) -> None:
    with answering(pages) as server, pytest.raises(ConfigError, match="--history: 'http://127") as error:
        download(server + path, tmp_path)
    assert any(one in str(error.value) for one in told.split("|"))


def damaged(at: bytes, by: bytes) -> bytes:
    """A packed log in whose bytes something stands instead of something else."""
    whole = deflated("app-1", b"{}\n" * 100)
    assert at in whole
    return whole.replace(at, by)


def deflated(name: str, held: bytes) -> bytes:
    """Of no time: what is collected a second later, on another worker, has to be the same test."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), held, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


@pytest.mark.sockets
@pytest.mark.parametrize(
    "log",
    [
        pytest.param(damaged(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x01\x00\x08\x00"), id="said to be encrypted"),
        pytest.param(damaged(b"\x00\x00\x08\x00", b"\x00\x00\x63\x00"), id="packed in a way that nobody knows"),
        pytest.param(damaged(b"app-1\xab", b"app-1\xff"), id="no packing at all"),
        pytest.param(deflated(f"{'a' * 300}", b"{}\n"), id="a name that no file can have"),
        pytest.param(deflated("app-1", b"{}\n")[:-30], id="cut off"),
    ],
)
def test_a_packed_log_that_is_damaged_is_refused_in_one_line(log: bytes, tmp_path: Path) -> None:
    pages = {"/api/v1/applications/a": application("a", (1, None)), "/api/v1/applications/a/logs": log}
    with answering(pages) as server, pytest.raises(ConfigError, match="hands out no event logs") as error:
        download(f"{server}/history/a", tmp_path)
    assert str(error.value).isprintable()


@pytest.mark.sockets
@pytest.mark.parametrize("more", [100_000, 10], ids=["unpacked", "packed"])
def test_a_log_that_would_fill_the_disk_is_refused_before_it_does(
    more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kilobyte that unpacks to a mebibyte: there is room for the one and not for the other, or for neither."""
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=_LEFT_FREE + more))
    bomb = deflated("app-1", bytes(1 << 20))
    pages = {"/api/v1/applications/a": application("a", (1, None)), "/api/v1/applications/a/logs": bomb}
    with answering(pages) as server, pytest.raises(ConfigError, match="set TMPDIR to a folder with more room"):
        download(f"{server}/history/a", tmp_path)
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("address", ["http://me:secret@127.0.0.1:1", "http://me:secret@[::1", "http://me:secret@h:x"])
def test_what_cannot_be_reached_is_told_without_its_password(address: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give the address of a history server that listens") as error:
        download(address, tmp_path)
    assert "secret" not in str(error.value)


@pytest.mark.jvm
def test_a_real_history_server_hands_out_what_its_folder_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROLLED, tmp_path / "logs" / ROLLED.name)
    port = own_port()
    settings = f"-Dspark.history.fs.logDirectory=file:{tmp_path / 'logs'} -Dspark.history.ui.port={port}"
    monkeypatch.setenv("SPARK_DAEMON_JAVA_OPTS", settings)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    program = [str(Path(_find_spark_home(), "bin", "spark-class")), "org.apache.spark.deploy.history.HistoryServer"]
    with (tmp_path / "history.log").open("wb") as log:
        process = subprocess.Popen(program, stdout=log, stderr=log)
    try:
        events = eventually(lambda: _once_it_has_one(f"http://127.0.0.1:{port}"))
    finally:
        process.terminate()
        process.wait()
    assert events == events_of(ROLLED)
    assert queries_in(events) == queries_in(events_of(ROLLED)) != ()


def _once_it_has_one(server: str) -> Any:
    try:
        return events_of(server)
    except ConfigError:  # it does not listen, or has not read its folder yet
        return None
