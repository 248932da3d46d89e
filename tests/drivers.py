"""Drivers of their own: modules of the tests that run as processes, with a JVM of their own."""

import json
import os
import subprocess
import sys
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
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout_s, check=False
    )


def told_by(module: str, *arguments: object) -> Any:
    """The JSON document that the driver prints in its last line."""
    done = ran(module, *arguments)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])
