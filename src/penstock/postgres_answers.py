"""Answers of PostgreSQL, each within a time.

The server's own time limits do not end a wait for a server that stands still, and the kernel keeps its connections.
"""

import selectors
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from sqlalchemy import Engine

ANSWERS_WITHIN_S = 3.0


class ImpatientConnection(psycopg.Connection[Any]):
    """A connection that did not answer in time is closed: whoever comes next takes a new one."""

    within_s = ANSWERS_WITHIN_S

    def wait(self, gen: Generator[Any, Any, Any], *given: Any, **named: Any) -> Any:
        """What the exchange with the server comes to; an OperationalError when that takes too long."""
        until_s = time.monotonic() + self.within_s
        try:
            wanted = next(gen)
            while True:
                ready = _ready(self.fileno(), wanted, until_s - time.monotonic())
                if not ready:
                    self.close()
                    raise psycopg.OperationalError(f"the server did not answer within {self.within_s:g} s")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value


def impatient(engine: "Engine") -> None:
    """Let it make such connections only."""
    from sqlalchemy import event  # who looks rows up without it need not wait for its import

    def connect(dialect: object, record: object, given: Any, named: Any) -> ImpatientConnection:
        return ImpatientConnection.connect(*given, **named)

    event.listen(engine, "do_connect", connect)


def _ready(file: int, wanted: int, within_s: float) -> int:
    """What of it is there: to be read, to be written; nothing when it took too long."""
    with selectors.DefaultSelector() as selector:
        selector.register(file, wanted)
        found = selector.select(max(0.0, within_s))
    return found[0][1] if found else 0
