"""Another driver on this machine, as far as a checkpoint is concerned."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.calling import environment

LOCKS = """
import pathlib, sys
from penstock.engines.spark.jobs.checkpoint_lock import lock_checkpoint
lock_checkpoint(pathlib.Path(sys.argv[1]), "ads")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_driver(checkpoint: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has locked it."""
    start = [sys.executable, "-c", LOCKS, str(checkpoint)]
    with subprocess.Popen(start, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        yield process
        process.kill()
