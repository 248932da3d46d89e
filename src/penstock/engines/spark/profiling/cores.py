"""Which core is the slot and which are everybody else's."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from penstock.errors import EngineError


@dataclass(frozen=True, slots=True)
class Cores:
    """The core of the slot, and the cores of generator, sink, driver and services."""

    slot: int
    others: frozenset[int]


def split_cores() -> Cores:
    """The last core that this process may use is the slot; an EngineError when there is no other."""
    if not hasattr(os, "sched_getaffinity"):
        raise EngineError("profiling pins processes to cores, which needs Linux; run it there")
    mine = sorted(os.sched_getaffinity(0))
    if len(mine) < 2:
        raise EngineError("profiling needs 2 cores: one for the slot, one for the generator and the sink; there is 1")
    return Cores(mine[-1], frozenset(mine[:-1]))


@contextmanager
def kept_off(cores: Cores) -> Iterator[None]:
    """This process, and what it starts meanwhile, stays off the slot's core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores.others)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
