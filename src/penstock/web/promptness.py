"""Answers within milliseconds from a process that computes for seconds, as a coordinator does over a large fleet.

Two things kept reports waiting for as long as a round took. Whoever computes keeps the interpreter for 5 ms by default,
and a report asks for it once for each call to the system: about five times, and 96 reports a second came to a queue.
And Python's collector of cycles stops all threads while it looks through every object there is: 0.2 us for each, 0.3 s
over 10,000 tenants, once in each round or more often.
"""

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

GIVES_WAY_S = 0.0005
TIDIES_EVERY_S = 3600.0  # cycles that got old: rounds leave next to none
_NEVER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Before:
    """What the interpreter was set to before anybody was to be answered promptly."""

    switch_s: float
    thresholds: tuple[int, int, int]


_lock = threading.Lock()
_open = 0
_before: _Before | None = None


@contextmanager
def prompt(tidies_every_s: float = TIDIES_EVERY_S) -> Iterator[None]:
    """While any such block lasts whoever computes gives way soon, and old objects are looked through seldom."""
    _enter()
    over = threading.Event()
    tidying = threading.Thread(target=_tidy, args=(over, tidies_every_s), name="penstock-tidies", daemon=True)
    tidying.start()
    try:
        yield
    finally:
        over.set()
        tidying.join()
        _leave()


def _enter() -> None:
    global _open, _before
    with _lock:
        if not _open:
            _before = _Before(sys.getswitchinterval(), gc.get_threshold())
            sys.setswitchinterval(GIVES_WAY_S)
            young, middle, _ = gc.get_threshold()
            gc.set_threshold(young, middle, _NEVER)
        _open += 1


def _leave() -> None:
    global _open
    with _lock:
        _open -= 1
        if not _open and _before is not None:
            sys.setswitchinterval(_before.switch_s)
            gc.set_threshold(*_before.thresholds)


def _tidy(over: threading.Event, every_s: float) -> None:
    while not over.wait(every_s):
        gc.collect()
