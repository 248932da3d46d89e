"""A controller may die between any two statements."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from penstock.store.open import open_store
from tests.recorded import RUN, Noted

ROOT = Path(__file__).parents[2]


def cycles_after_death(path: Path, statements: int) -> tuple[float, ...]:
    """Run the controller; what is found afterwards, having checked that it hangs together."""
    command = [sys.executable, "-m", "tests.store.crash", str(path), str(statements)]
    died = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}).returncode == 9
    with closing(open_store(path, create=False)) as store:
        store.begin(RUN)
        memory, run = store.last_memory("henge", Noted), store.read_run(RUN.id)
    assert memory is not None
    assert memory.rounds == run.at_s[-1]  # the memory is that of the last cycle, never of another
    assert len(run.decisions) == (run.at_s[-1] == 20.0)
    assert run.at_s == ((10.0,) if died else (10.0, 20.0))
    return run.at_s


@pytest.mark.parametrize("statements", [1, 2, 3, 4, 5, 6, 7, 8])
def test_dying_in_a_cycle_leaves_the_one_before_whole(tmp_path: Path, statements: int) -> None:
    assert cycles_after_death(tmp_path / "runs.sqlite", statements) == (10.0,)


def test_a_cycle_that_was_written_is_there(tmp_path: Path) -> None:
    assert cycles_after_death(tmp_path / "runs.sqlite", 1000) == (10.0, 20.0)
