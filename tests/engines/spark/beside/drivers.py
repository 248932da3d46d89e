"""Drivers that Python did not start, as processes of their own, with the plugin in them."""

import shutil
import signal
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pyspark
import pytest

from penstock.core.seen.figures import JobFigures
from penstock.core.seen.view import View
from penstock.engines.spark.jvm.beside.door import JAR, DriverDoor, doors, folder
from penstock.store.open import open_store
from tests.cli.calling import command, environment
from tests.drivers import running
from tests.patience import eventually, patience_s

HOME = Path(pyspark.__file__).parent
SOURCE = Path(__file__).with_name("TwoQueries.java")
TENANTS = """
interval: 1s
window: 5s
jobs:
  - {name: fraud, intent: {latency: 100ms, utility: 35}, max_slots: 4}
  - {name: clicks, intent: {juice: 0.1, utility: 5}}
"""
_NEEDED = ("spark-core", "spark-sql", "spark-common", "scala-library")


def needs_javac() -> None:
    """Skips the test on a machine that has Java alone, and no compiler of it."""
    if shutil.which("javac") is None:
        pytest.skip("needs javac: openjdk-17-jdk-headless")


def compiled(place: Path) -> Path:
    """The jar of a driver in Java."""
    jars = [str(jar) for jar in (HOME / "jars").glob("*.jar") if jar.name.startswith(_NEEDED)]
    subprocess.run(["javac", "-cp", ":".join(jars), "-d", place, SOURCE], check=True, capture_output=True)
    jar = place / "driver.jar"
    with zipfile.ZipFile(jar, "w") as written:
        for file in place.glob("*.class"):
            written.write(file, file.name)
    return jar


def in_place(place: Path) -> dict[str, str]:
    """The environment of a driver and of whoever governs it: what they tell each other is in that place."""
    state = {"XDG_STATE_HOME": str(place / "state"), "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
    return {**environment(), **state}


@contextmanager
def driver(place: Path, program: str, *given: str) -> Iterator["subprocess.Popen[bytes]"]:
    """`spark-submit` or `spark-pipelines` with the plugin's jar, until the block ends; what it says is in `said`."""
    start = [str(HOME / "bin" / program), "--driver-class-path", str(JAR), "--conf", "spark.ui.enabled=false", *given]
    with running(start, place, in_place(place)) as process:
        yield process


def door(place: Path, process: "subprocess.Popen[bytes]") -> DriverDoor:
    """Where the driver lets a penstock in, as soon as it does."""

    def found() -> Sequence[DriverDoor]:
        assert process.poll() is None, (place / "said").read_text(errors="replace")[-2000:]
        return doors(folder(in_place(place)))

    return eventually(found)[0]


@contextmanager
def attached(place: Path, tenants: Path, *given: str) -> Iterator["subprocess.Popen[str]"]:
    """`penstock attach` until the block ends; then it is interrupted, as by Ctrl-C."""
    store = ["--store", str(place / "runs.sqlite"), "--tenants", str(tenants)]
    with (place / "governed").open("w") as said:
        process = subprocess.Popen(
            command("attach", *given, *store), env=in_place(place), stdout=said, stderr=said, text=True
        )
    try:
        yield process
        process.send_signal(signal.SIGINT)
        process.wait(patience_s())
    finally:
        process.kill()
        process.wait()


def asked(place: Path, *act: str) -> "subprocess.CompletedProcess[str]":
    """`penstock control` of whoever governs there."""
    given = command("control", *act, "--store", str(place / "runs.sqlite"))
    return subprocess.run(given, env=in_place(place), capture_output=True, text=True, check=False)


def newest(place: Path) -> View | None:
    """What was seen last; None before anything was."""
    if not (place / "runs.sqlite").exists():
        return None
    with closing(open_store(place / "runs.sqlite")) as store:
        return next((view for info in store.runs() for view in reversed(list(store.views(info.id)))), None)


def figures(place: Path, name: str) -> JobFigures:
    """What was seen last of a tenant, as soon as anything is."""
    return eventually(lambda: newest(place)).job(name).figures


def bound(place: Path, name: str) -> float | None:
    """The bound of its batches, as Spark has it; None where it has none."""
    dial = figures(place, name).lever("bound")
    return None if dial is None else dial.now


def obeys(place: Path) -> None:
    """What people ask of a tenant comes into force there, as the engine of whoever governs it sees."""
    eventually(lambda: asked(place, "slots", "fraud", "3").returncode == 0)
    eventually(lambda: figures(place, "fraud").threads == 3)
    eventually(lambda: asked(place, "bound", "fraud", "77").returncode == 0)
    eventually(lambda: bound(place, "fraud") == 77)
