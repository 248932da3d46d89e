"""An engine that is asked through a hand, by the loop and by users: one after the other, and none waits for ever."""

from collections.abc import Sequence
from typing import Protocol

from penstock.core.figures import Snapshot
from penstock.core.plan import Outcome, Step
from penstock.core.ports import Engine
from penstock.engines.hand import Hand

# Rounds are 10 s apart, and no two more than 30 s, whatever hangs: one interval, a look at the jobs, and the quarter of
# a second in which that is found out; or one interval, what is done between rounds, and a look that waits behind it.
SEES_WITHIN_S = 19.0  # a hundred jobs are seen in one second
TENDS_WITHIN_S = 10.0  # what takes longer goes on, and rounds that see nothing say so
BEHIND_S = 9.0
ACTS_WITHIN_S = 240.0  # a planned restart waits 30 s for a batch, and a rewriting of state takes its time


class Tended(Engine, Protocol):
    """An engine that begins its jobs, and is tended between rounds."""

    def start(self) -> None:
        """Begin to start the jobs that are its own."""

    def tend(self) -> None:
        """Between rounds: start again what died, go on with what takes long."""


class HandedEngine:
    """What an engine does, each within its limit; an EngineError where it is not done by then."""

    def __init__(self, engine: Tended, hand: Hand) -> None:
        self._engine = engine
        self._hand = hand

    def observe(self, now: float) -> Snapshot:
        return self._hand.do("observing", lambda: self._engine.observe(now), SEES_WITHIN_S, BEHIND_S)

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return self._hand.do("acting", lambda: self._engine.apply(steps), ACTS_WITHIN_S)

    def tend(self) -> None:
        self._hand.do("tending the jobs", self._engine.tend, TENDS_WITHIN_S, behind_s=0.0)

    def start(self) -> None:
        self._hand.do("starting the jobs", self._engine.start, ACTS_WITHIN_S)
