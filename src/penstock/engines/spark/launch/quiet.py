"""What Spark's JVM says on standard error, without the lines that PySpark's state workers print at every start.

`transformWithState` starts a Python worker in the driver that tells of each of its steps with `print`; no setting
silences it. The JVM inherits a pipe in place of standard error, and a thread hands on all other lines.
"""

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2
_SAID = re.compile(rb"^(Starting )?Streaming TransformWithState\w* Python worker\b")


@contextmanager
def quiet_state_workers() -> Iterator[None]:
    """Processes that are started within the block are heard without the chatter of state workers, for as long as
    they live."""
    reads, writes = os.pipe()
    before = os.dup(_STDERR)
    threading.Thread(target=_hand_on, args=(reads, os.dup(before)), name="spark-stderr", daemon=True).start()
    os.dup2(writes, _STDERR)
    os.close(writes)
    try:
        yield
    finally:
        os.dup2(before, _STDERR)
        os.close(before)


def _hand_on(reads: int, to: int) -> None:
    """Until the last process that holds the pipe ended."""
    blank_too = False  # each line of the chatter is followed by an empty one
    with os.fdopen(reads, "rb") as lines, os.fdopen(to, "wb", buffering=0) as out:
        for line in lines:
            chatter = _SAID.match(line) is not None or (blank_too and not line.strip())
            blank_too = chatter and bool(line.strip())
            if not chatter:
                out.write(line)
