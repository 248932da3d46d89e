"""A controller that dies before the n-th statement of its second cycle; run as a program by test_crash.py."""

import os
import sys
from typing import Any

import sqlalchemy as sa

from penstock.store.open import open_store
from tests.recorded import RUN, a_cycle, an_acting_cycle


def main(path: str, statements: int) -> None:
    store = open_store(path)
    store.begin(RUN)
    store.append(a_cycle(10.0))
    left = statements

    def die_in_time(*_: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os._exit(9)  # nothing is cleaned up, as when the kernel kills

    sa.event.listen(sa.Engine, "before_cursor_execute", die_in_time)
    sa.event.listen(sa.Engine, "commit", die_in_time)
    store.append(an_acting_cycle(20.0))
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
