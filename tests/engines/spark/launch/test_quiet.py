"""The chatter of state workers is left out of standard error, and nothing else is."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from penstock.engines.spark.launch.quiet import quiet_state_workers
from tests.patience import eventually

CHATTER = """Starting Streaming TransformWithStateInPandas Python worker.

Streaming TransformWithStateInPandas Python worker Starting execution of UDF: <function f at 0x7f>.

an error that matters

"""


@contextmanager
def standard_error_into(file: Path) -> Iterator[None]:
    """What is written there stays there: pytest's own capture forgets what comes while it is looked at."""
    before = os.dup(2)
    with file.open("ab", buffering=0) as written:
        os.dup2(written.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def test_all_lines_but_the_chatter_come_through(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    with standard_error_into(heard), quiet_state_workers():
        process = subprocess.Popen(["sh", "-c", 'cat >&2; echo "the last" >&2'], stdin=subprocess.PIPE, text=True)
    process.communicate(CHATTER)
    eventually(lambda: "the last" in heard.read_text())
    assert heard.read_text() == "an error that matters\n\nthe last\n"


def test_afterwards_standard_error_is_what_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet_state_workers():
        pass
    subprocess.run(["sh", "-c", 'echo "Streaming TransformWithState worker" >&2'], check=True)
    assert capfd.readouterr().err == "Streaming TransformWithState worker\n"
