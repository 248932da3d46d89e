"""Drivers that wait to be ended, as processes."""

import sys
from pathlib import Path

from penstock.governing.drivers import DriverProcess

# Says that it is there, and ends well when it is asked to.
WAITS = """
import pathlib, signal, sys, threading
over = threading.Event()
signal.signal(signal.SIGTERM, lambda *given: over.set())
pathlib.Path(sys.argv[1]).write_text("there")
over.wait()
pathlib.Path(sys.argv[1]).write_text("ended")
"""


def driver(place: Path, name: str, script: str) -> DriverProcess:
    return DriverProcess(name, [sys.executable, "-c", script, str(place / name)], place / "logs" / f"{name}.log")


def waiting(place: Path) -> list[DriverProcess]:
    return [driver(place, name, WAITS) for name in ("fraud", "ads")]
