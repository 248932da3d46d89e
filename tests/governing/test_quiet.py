"""The chatter of state workers is left out of standard error, and nothing else is."""

import subprocess

import pytest

from penstock.governing.quiet import quiet_state_workers
from tests.patience import eventually

CHATTER = """Starting Streaming TransformWithStateInPandas Python worker.

Streaming TransformWithStateInPandas Python worker Starting execution of UDF: <function f at 0x7f>.

an error that matters

"""


def test_all_lines_but_the_chatter_come_through(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet_state_workers():
        process = subprocess.Popen(["sh", "-c", 'cat >&2; echo "the last" >&2'], stdin=subprocess.PIPE, text=True)
    process.communicate(CHATTER)
    heard: list[str] = []

    def last_came() -> bool:
        heard.append(capfd.readouterr().err)
        return "the last" in "".join(heard)

    eventually(last_came)
    assert "".join(heard) == "an error that matters\n\nthe last\n"


def test_afterwards_standard_error_is_what_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet_state_workers():
        pass
    subprocess.run(["sh", "-c", 'echo "Streaming TransformWithState worker" >&2'], check=True)
    assert capfd.readouterr().err == "Streaming TransformWithState worker\n"
