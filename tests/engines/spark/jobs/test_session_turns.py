"""Turns at a session: who sets something of it has it alone, and nobody else waits for a start that stands still."""

from threading import Event, Thread

import pytest

from penstock.engines.spark.jobs.session_turns import SessionTurns
from penstock.errors import EngineError
from tests.patience import patience_s


class Holder:
    """Another start, which has the session for the block's time."""

    def __init__(self, turns: SessionTurns, alone: bool) -> None:
        self._turns, self._alone = turns, alone
        self._has_it, self._over = Event(), Event()
        self._thread = Thread(target=self._hold)

    def __enter__(self) -> None:
        self._thread.start()
        assert self._has_it.wait(patience_s())

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        self._thread.join(patience_s())

    def _hold(self) -> None:
        with self._turns.had("fraud", self._alone, within_s=None):
            self._has_it.set()
            assert self._over.wait(patience_s())


def test_a_start_that_stands_still_and_sets_nothing_keeps_back_only_who_sets_something() -> None:
    turns = SessionTurns()
    with Holder(turns, alone=False):
        with turns.had("ads", alone=False, within_s=0.0):
            pass
        with pytest.raises(EngineError, match=r"^ads: the start of another job has had the session for 0 s$"):
            turns.had("ads", alone=True, within_s=0.0).__enter__()
    with turns.had("ads", alone=True, within_s=patience_s()):
        pass


@pytest.mark.parametrize("alone", [True, False])
def test_who_has_it_alone_keeps_everybody_back_until_its_start_is_over(alone: bool) -> None:
    turns = SessionTurns()
    with Holder(turns, alone=True), pytest.raises(EngineError):
        turns.had("ads", alone, within_s=0.0).__enter__()
    with turns.had("ads", alone, within_s=patience_s()):
        pass


def test_a_start_that_fails_gives_it_back() -> None:
    turns = SessionTurns()
    for alone in (True, False):
        with pytest.raises(KeyError), turns.had("ads", alone, within_s=0.0):
            raise KeyError("bad row")
    with turns.had("clicks", alone=True, within_s=0.0):
        pass
