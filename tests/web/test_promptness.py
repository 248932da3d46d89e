"""A process that answers promptly: what the interpreter is set to meanwhile, and afterwards."""

import gc
import sys
import weakref

import pytest

from penstock.web.promptness import GIVES_WAY_S, prompt
from tests.patience import eventually


class Ring:
    """Refers to itself: only the collector of cycles ends it."""

    def __init__(self) -> None:
        self.ring = self


def test_whoever_computes_gives_way_soon_until_the_last_block_ends() -> None:
    before = (sys.getswitchinterval(), gc.get_threshold())
    with prompt():
        with prompt():
            pass
        assert sys.getswitchinterval() == pytest.approx(GIVES_WAY_S)
        assert gc.get_threshold()[:2] == before[1][:2]
        assert gc.get_threshold()[2] > 10**9
    assert (sys.getswitchinterval(), gc.get_threshold()) == before


def test_cycles_that_got_old_are_looked_for_now_and_then_all_the_same() -> None:
    ring = Ring()
    gone = weakref.ref(ring)
    gc.collect()  # it is old by now
    del ring
    with prompt(tidies_every_s=0.05):
        eventually(lambda: gone() is None)
