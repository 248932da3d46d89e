"""`penstock doctor`, a program of its own: its exit code says whether `ps.govern` would work."""

import json

import pytest

from tests.cli.calling import program

pytestmark = pytest.mark.jvm


def test_a_session_that_cannot_be_governed_is_exit_code_1_with_what_to_change_first() -> None:
    called = program("doctor", "--master", "local[2]", "--conf", "spark.scheduler.mode=FIFO", "--json", "-")
    assert called.returncode == 1
    found = json.loads(called.stdout)
    assert (found["governable"], found["master"]) == (False, "local[2]")
    assert found["to_change"][0].startswith("shares have no effect under FIFO: add ")
    table = called.stderr.splitlines()
    assert any(line.split() == ["spark.scheduler.mode", "FIFO", "see", "below"] for line in table)
    assert f"- {found['to_change'][0]}" in table
    assert "ps.govern would refuse this session" in table


@pytest.mark.long  # what is said of which session: tests/engines/spark/test_doctor.py
def test_one_that_can_be_governed_is_exit_code_0() -> None:
    called = program("doctor", "--master", "local[2]", "--conf", "spark.scheduler.mode=FAIR")
    assert (called.returncode, "ps.govern works with this session" in called.stdout) == (0, True)
