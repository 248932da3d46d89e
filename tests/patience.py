"""How long a test waits for what others do: one bound for all waits, taken from this machine once.

A wait ends as soon as it sees what it waits for: a long bound costs nothing where all goes well. It must only be longer
than a busy machine takes for the slowest thing that is waited for, a first stateful batch on Spark.
"""

import functools
import time
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

AT_LEAST_S = 240.0  # a machine's host may give it a tenth of its cores for minutes
AT_MOST_S = 540.0  # within the limit of a real test, so that the wait that failed says what it waited for
_STEPS, _QUIET_S = 3_000_000, 0.1  # a piece of work, and how long a core takes for it that nobody else wants

Found = TypeVar("Found")


@functools.cache
def patience_s() -> float:
    """The bound of every wait: longer where this machine takes longer for a fixed piece of work."""
    begun = time.perf_counter()
    sum(range(_STEPS))
    slowness = (time.perf_counter() - begun) / _QUIET_S
    return min(AT_MOST_S, AT_LEAST_S * max(1.0, slowness))


def patiently(*modules: ModuleType) -> None:
    """Have these wait for what they start as long as tests do: somebody at a terminal has less patience."""
    for module in modules:
        vars(module)["_UP_WITHIN_S"] = patience_s()


def eventually(look: Callable[[], Found | None]) -> Found:
    """What `look` returns once it is something; a failure when that takes too long.

    Looks take a third of the time at most: what is waited for needs the cores too.
    """
    deadline = time.monotonic() + patience_s()
    while True:
        begun = time.monotonic()
        found = look()
        if found:
            return found
        now = time.monotonic()
        assert now < deadline, f"{look} came to nothing within {patience_s():.0f} s"
        time.sleep(min(2.0, max(0.05, 2.0 * (now - begun))))
