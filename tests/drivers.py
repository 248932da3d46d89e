"""Drivers of their own: modules of the tests that run as processes, with a JVM of their own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.patience import patience_s

ROOT = Path(__file__).parents[1]
_WAITS = 4  # that a driver may fail in one after the other; each ends by itself and says what did not come


def ran(module: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """The driver from its start to its end."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    places = [str(ROOT / name) for name in ("", "benchmarks", "workloads")]
    paths = filter(None, [*places, os.environ.get("PYTHONPATH")])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    timeout_s = _WAITS * patience_s()
    # In a group of its own: when that of the tests is orphaned (its shell ended), the kernel wakes all stopped in it.
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        process_group=0,
    )


@contextmanager
def running(command: Sequence[str], place: Path, environment: Mapping[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A program in that place and all that it starts, until the block ends; what it says is in `said` there."""
    with (place / "said").open("ab") as said:
        process = subprocess.Popen(
            command, cwd=place, env=dict(environment), stdout=said, stderr=subprocess.STDOUT, process_group=0
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def told_by(module: str, *arguments: object) -> Any:
    """The JSON document that the driver prints in its last line."""
    done = ran(module, *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])
