"""A driver that dies is started again, and knows of its earlier life."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.engines.spark.restarts import RestartPolicy
from penstock.governing.supervise import supervise

# Dies by SIGKILL in its first life; in its second it writes down what it was told and ends well.
SCRIPT = """
import os, pathlib, signal, sys
note = pathlib.Path(sys.argv[1])
lives = note.read_text().splitlines() if note.exists() else []
note.write_text("\\n".join([*lives, " ".join(sys.argv[2:])]))
if not lives:
    os.kill(os.getpid(), signal.SIGKILL)
"""
QUICK = RestartPolicy(max_restarts=2, backoff_s=0.01)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_the_second_life_goes_on_with_the_run_of_the_first_and_is_told_when_that_died(tmp_path: Path) -> None:
    note, said = tmp_path / "note", list[str]()
    began_s = time.time()
    code = supervise([sys.executable, "-c", SCRIPT, str(note)], said.append, QUICK, run_id="seven")
    first, second = note.read_text().splitlines()
    assert (code, first) == (0, "--run-id seven")
    *same, flag, died_s = second.split()
    assert (same, flag) == (["--run-id", "seven"], "--down-since")
    assert began_s <= float(died_s) <= time.time()
    assert "exit code -9" in said[0]


def test_one_that_dies_again_and_again_is_given_up() -> None:
    said = list[str]()
    assert supervise([sys.executable, "-c", "raise SystemExit(1)"], said.append, QUICK) == 1
    assert "given up after 3 failures" in said[-1]


def test_what_the_user_must_mend_is_not_tried_again() -> None:
    said = list[str]()
    assert supervise([sys.executable, "-c", "raise SystemExit(2)"], said.append, QUICK) == 2
    assert said == []
