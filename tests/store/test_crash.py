"""A controller may die between any two statements."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from penstock.store.open import open_store
from tests.cli.calling import environment
from tests.recorded import RUN, Noted
from tests.store.crash import DIED

STATEMENTS = range(1, 9)
NEVER = 1000


@pytest.fixture(scope="module")
def died(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, bool]]:
    """Where the stores are, and which controllers died in their second cycle."""
    folder = tmp_path_factory.mktemp("deaths")
    command = [sys.executable, "-m", "tests.store.crash", str(folder), *map(str, [*STATEMENTS, NEVER])]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    told = [line.split() for line in done.stdout.splitlines()]
    assert {code for _, code in told} == {"0", str(DIED)}
    return folder, {int(statements): code == str(DIED) for statements, code in told}


def cycles_after(died: tuple[Path, dict[int, bool]], statements: int) -> tuple[float, ...]:
    """What is found afterwards, having checked that it hangs together."""
    folder, deaths = died
    with closing(open_store(folder / f"{statements}.sqlite", create=False)) as store:
        store.begin(RUN)
        memory, run = store.last_memory("henge", Noted), store.read_run(RUN.id)
    assert memory is not None
    assert memory.rounds == run.at_s[-1]  # the memory is that of the last cycle, never of another
    assert len(run.decisions) == (run.at_s[-1] == 20.0)
    assert run.at_s == ((10.0,) if deaths[statements] else (10.0, 20.0))
    return run.at_s


@pytest.mark.parametrize("statements", STATEMENTS)
def test_dying_in_a_cycle_leaves_the_one_before_whole(died: tuple[Path, dict[int, bool]], statements: int) -> None:
    assert cycles_after(died, statements) == (10.0,)


def test_a_cycle_that_was_written_is_there(died: tuple[Path, dict[int, bool]]) -> None:
    assert cycles_after(died, NEVER) == (10.0, 20.0)
