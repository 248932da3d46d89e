"""A controller that dies before the n-th statement of its second cycle; run as a program by test_crash.py.

It begins once and is forked for each death: a program of its own for each would spend its life on imports.
"""

import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import sqlalchemy as sa

from penstock.store.open import open_store
from tests.recorded import RUN, a_cycle, an_acting_cycle

DIED = 9


def main(folder: Path, deaths: list[int]) -> None:
    """A store for each death, named by its number; its exit codes on standard output."""
    for statements in deaths:
        child = os.fork()
        if child == 0:
            _live(folder / f"{statements}.sqlite", statements)
        print(statements, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _live(path: Path, statements: int) -> NoReturn:
    store = open_store(path)
    store.begin(RUN)
    store.append(a_cycle(10.0))
    left = statements

    def die_in_time(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(DIED)  # nothing is cleaned up, as when the kernel kills

    sa.event.listen(sa.Engine, "before_cursor_execute", die_in_time)
    sa.event.listen(sa.Engine, "commit", die_in_time)
    store.append(an_acting_cycle(20.0))
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(statements) for statements in sys.argv[2:]])
