"""Spark's calls into Python are taken again once there are descriptors again."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from py4j.java_gateway import CallbackServer, CallbackServerParameters, PythonProxyPool

from penstock.engines.spark.jvm.callbacks import KeptServer
from penstock.errors import GoverningEndsError
from tests.cli.calling import environment
from tests.patience import patience_s

pytestmark = pytest.mark.sockets

# Takes calls until its descriptors are gone; says so once it has ended of that, and has them again when it is told.
RUNS_OUT = """
import os, resource, sys, threading
from types import SimpleNamespace
from py4j.java_gateway import CallbackServer, CallbackServerParameters, PythonProxyPool
from py4j.java_gateway import server_connection_error, server_started
from penstock.engines.spark.jvm.callbacks import check_callbacks
given = CallbackServerParameters(port=0, daemonize=True, daemonize_connections=True)
server, failed = CallbackServer(PythonProxyPool(), None, callback_server_parameters=given), threading.Event()
server.pool.put("something of ours")
listening = threading.Event()
server_started.connect(lambda **told: listening.set(), server)
server.start()
listening.wait()  # its port is known before: it listens in a thread of its own
server_connection_error.connect(lambda **told: failed.set(), server)
check_callbacks(SimpleNamespace(_callback_server=server))
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
free = os.dup(0)
os.close(free)
resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
print(server.get_listening_port(), flush=True)
failed.wait()
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print("failed", flush=True)
sys.stdin.readline()
"""
FORGET = b"g\np0\ne\n"  # the JVM needs that object no more
DONE = b"!y\n"


def test_who_calls_while_no_descriptor_is_left_is_answered_once_there_is_one() -> None:
    script = [sys.executable, "-c", RUNS_OUT]
    with subprocess.Popen(script, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline())
            with socket.create_connection(("127.0.0.1", port), patience_s()) as caller:
                caller.sendall(FORGET)
                assert process.stdout.readline() == b"failed\n"
                assert caller.recv(16) == DONE
        finally:
            process.kill()


class Clock:
    """Each pause takes a minute."""

    now_s = 0.0

    def pause(self, seconds: float) -> None:
        self.now_s += 60.0


@pytest.fixture
def server() -> Iterator[CallbackServer]:
    given: Any = CallbackServerParameters(port=0, daemonize=True, daemonize_connections=True)
    made = CallbackServer(PythonProxyPool(), None, callback_server_parameters=given)
    made.start()
    yield made
    if made.server_socket is not None:
        made.shutdown()


def test_where_it_cannot_listen_again_for_long_governing_ends_and_says_why(
    server: CallbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    kept = KeptServer(server, lambda: clock.now_s, clock.pause)
    kept.check()
    monkeypatch.setattr(kept, "_has_room", lambda: False)
    kept._stopped()
    with pytest.raises(GoverningEndsError, match="find nobody"):
        kept.check()


def test_one_that_is_shut_down_is_not_begun_again(server: CallbackServer) -> None:
    clock = Clock()
    kept = KeptServer(server, lambda: clock.now_s, clock.pause)
    thread = server.thread
    server.shutdown()
    thread.join(patience_s())
    assert not thread.is_alive()
    kept.check()
