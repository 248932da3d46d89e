"""A PostgreSQL connection that waits for no answer longer than a limit.

The server's own time limits do not end a wait for a server that stands still, and the kernel keeps its connections.
"""

import selectors
import time
from collections.abc import Generator
from typing import Any

import psycopg

ANSWERS_WITHIN_S = 3.0


class ImpatientConnection(psycopg.Connection[Any]):
    """A connection that did not answer in time is closed: whoever comes next takes a new one."""

    def wait(self, gen: Generator[Any, Any, Any], *given: Any, **named: Any) -> Any:
        """What the exchange with the server comes to; an OperationalError when that takes too long."""
        until_s = time.monotonic() + ANSWERS_WITHIN_S
        try:
            wanted = next(gen)
            while True:
                ready = _ready(self.fileno(), wanted, until_s - time.monotonic())
                if not ready:
                    self.close()
                    raise psycopg.OperationalError(f"the server did not answer within {ANSWERS_WITHIN_S:g} s")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value


def _ready(file: int, wanted: int, within_s: float) -> int:
    """What of it is there: to be read, to be written; nothing when it took too long."""
    with selectors.DefaultSelector() as selector:
        selector.register(file, wanted)
        found = selector.select(max(0.0, within_s))
    return found[0][1] if found else 0
