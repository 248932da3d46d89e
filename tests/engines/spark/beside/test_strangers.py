"""Whoever has no token takes little of a driver: the plugin's own door, in a JVM without Spark."""

import select
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyspark
import pytest
from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
from py4j.java_gateway import GatewayParameters, JavaGateway

from penstock.engines.spark.jvm.beside.door import JAR
from penstock.local.java import java
from tests.patience import eventually

pytestmark = pytest.mark.jvm
STRANGERS = 64  # as the door has it
TOKEN = "a token"


@pytest.fixture(scope="module")
def jvm() -> Iterator[Any]:
    """One that has the plugin and py4j."""
    (py4j,) = (Path(pyspark.__file__).parent / "jars").glob("py4j-*.jar")
    command = [java(), "-cp", f"{py4j}:{JAR}", "py4j.GatewayServer", "--die-on-broken-pipe", "--enable-auth", "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port, token = int(process.stdout.readline()), process.stdout.readline().strip()
        yield JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token)).jvm
        process.kill()


@pytest.fixture
def port(jvm: Any) -> Iterator[int]:
    door = jvm.penstock.Door.of(jvm.java.lang.StringBuilder("within"), TOKEN)
    door.start(True)
    yield door.getListeningPort()
    door.shutdown(True)


def said_by(port: int) -> str:
    """What is behind the door, for who has the token."""
    java = JavaParameters(port=port, auth_token=TOKEN)
    client = ClientServer(java, PythonParameters(port=0, eager_load=False))
    try:
        return str(client.entry_point.toString())
    finally:
        client.close(keep_callback_server=True)


def turned_away(visitors: Sequence[socket.socket]) -> int:
    """How many of them have been told to go."""
    return len(select.select(visitors, [], [], 0.0)[0])


def test_of_a_crowd_without_a_token_a_few_may_stay_and_who_has_it_is_heard(port: int) -> None:
    with ExitStack() as inside:
        crowd = [inside.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(3 * STRANGERS)]
        eventually(lambda: turned_away(crowd) == 2 * STRANGERS)
        assert turned_away(crowd[: 2 * STRANGERS]) == 2 * STRANGERS  # the first that came
        assert said_by(port) == "within"


def test_who_has_the_token_stays_however_many_come_after(port: int) -> None:
    java = JavaParameters(port=port, auth_token=TOKEN)
    client = ClientServer(java, PythonParameters(port=0, eager_load=False))
    assert client.entry_point.toString() == "within"
    with ExitStack() as inside:
        crowd = [inside.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(2 * STRANGERS)]
        eventually(lambda: turned_away(crowd) == STRANGERS)
        assert client.entry_point.append(", still").toString() == "within, still"
    client.close(keep_callback_server=True)


def test_a_line_without_end_is_not_read_to_its_end(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as visitor:
        visitor.sendall(b"A" * 20_000)
        eventually(lambda: turned_away([visitor]) == 1)
    assert said_by(port) == "within"
