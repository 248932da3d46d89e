"""The nemesis finds whom it strikes among processes that come and go."""

import os
import subprocess
import sys
from pathlib import Path

from chaos_world import lowest_free, pythons
from soak_driver import jvms


def test_a_process_that_ended_between_two_looks_is_no_jvm() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert jvms([ended.pid, os.getpid()]) == []


def test_what_a_supervisor_starts_beside_its_driver_is_not_taken_for_it_whichever_has_the_lower_number() -> None:
    waits, pipe = [sys.executable, "-c", "print(flush=True); input()"], subprocess.PIPE
    with (
        subprocess.Popen(waits, stdin=pipe, stdout=pipe) as beside,
        subprocess.Popen([*waits, "--supervisor", "1"], stdin=pipe, stdout=pipe) as driver,
    ):
        for process in (beside, driver):  # its command can be read once it runs, a moment after it was started
            assert process.stdout is not None
            process.stdout.readline()
        found = pythons([beside.pid, driver.pid])
        beside.communicate(b"\n")
        driver.communicate(b"\n")
    assert found == [driver.pid]


def test_of_a_process_that_may_open_nothing_more_the_lowest_free_number_is_one_too_many(tmp_path: Path) -> None:
    for taken in (0, 1, 2, 4, 9):
        (tmp_path / str(taken)).touch()
    assert lowest_free(tmp_path) == 3
    (tmp_path / "3").touch()
    assert lowest_free(tmp_path) == 5
