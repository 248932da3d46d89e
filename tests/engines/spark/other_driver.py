"""Another driver on this machine, as far as a checkpoint is concerned."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.calling import environment

CLAIMS = """
import pathlib, sys
from penstock.engines.spark.claims import claim
claim(pathlib.Path(sys.argv[1]), "ads")
print("claimed", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_driver(checkpoint: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has claimed it."""
    start = [sys.executable, "-c", CLAIMS, str(checkpoint)]
    with subprocess.Popen(start, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"claimed\n"
        yield process
        process.kill()
